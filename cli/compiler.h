/*
 * What `memlamp cc` makes of a compiler's command line: the same with our flags, and
 * with the runtime where something is linked. The words of the user stay as they are
 * and in their order; ours stand before them where they may be overruled.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_arena;

enum compiler_language { COMPILER_C, COMPILER_CXX, COMPILER_FORTRAN };

/*
 * Which compiler to run, as a list of words that ends with NULL: `asked` if not NULL,
 * else what MEMLAMP_CC (or _CXX, _FC) says, else CC (CXX, FC) unless that is memlamp
 * itself, else cc (c++, gfortran).
 */
const char **compiler_choose(enum compiler_language language, const char *asked,
			     struct ml_arena *a);

/* What a command line asks for. */
struct compiler_job {
	bool inputs;    /* there is something to compile or link */
	bool links;     /* down to a program or library */
	bool compiles;  /* some input is source text */
	bool partial;   /* -r: links, but something that will be linked again */
	bool is_static; /* -static, -static-pie */
	bool lto;
};

/* Response files (@FILE) are looked into. */
struct compiler_job compiler_read(char *const *args, struct ml_arena *a);

/*
 * The command line to run. runtime: folder of the runtime. False: it cannot be done.
 */
bool compiler_line(const char **compiler, char *const *args, const char *runtime,
		   enum compiler_language language, struct ml_arena *a,
		   const char ***line, struct ml_err *err);
