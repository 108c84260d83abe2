/*
 * `memlamp cc` runs a compiler with the user's command line, our flags and, when it
 * links, our runtime. The user's words stay as they are and in their order. Our flags
 * stand before them, so that the user's flags overrule ours.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_arena;

enum compiler_language { COMPILER_C, COMPILER_CXX, COMPILER_FORTRAN };

/* The environment variable that a compiler run by memlamp has. */
#define COMPILER_RUNS "MEMLAMP_COMPILER_RUNS"

/*
 * Which compiler to run, as a list of words that ends with NULL: `asked` if not NULL,
 * else the value of MEMLAMP_CC (or _CXX, _FC), else of CC (CXX, FC) unless that is
 * memlamp itself, else cc (c++, gfortran). Below another run of `memlamp cc` it is the
 * last of these at once, so that a script that leads back here ends.
 */
const char **compiler_choose(enum compiler_language language, const char *asked,
			     struct ml_arena *a);

/* What a command line asks for. */
struct compiler_job {
	bool inputs;    /* there are inputs */
	bool links;     /* it makes a program or library */
	bool compiles;  /* some input is source text */
	bool partial;   /* -r: links objects into another object */
	bool is_static; /* -static, -static-pie */
	bool lto;
};

/* Reads response files (@FILE) too. */
struct compiler_job compiler_read(char *const *args, struct ml_arena *a);

/*
 * The command line to run. runtime: folder of the runtime. False: the job is impossible.
 */
bool compiler_line(const char **compiler, char *const *args, const char *runtime,
		   enum compiler_language language, struct ml_arena *a,
		   const char ***line, struct ml_err *err);
