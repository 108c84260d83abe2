/*
 * The callers of library code. While a library works, this module knows the nearest site
 * in the user's own code that led there: "memcpy, called from parse.c:112". A program
 * under Valgrind tells enough for that: when it leaves the user's code, the last call
 * instruction seen there is pushed with the stack pointer; entries below the stack
 * pointer have returned. This works across callbacks (qsort), longjmp and exceptions.
 * Held by tests/record/test_callers.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ML_CALLERS_DEPTH = 64 };

struct ml_callers {
	struct ml_call {
		uint64_t sp;
		uint32_t site;
	} stack[ML_CALLERS_DEPTH]; /* innermost last */
	unsigned depth;
	uint64_t sp;        /* stack pointer after the last step, as far as known */
	uint32_t last_call; /* site of the last call instruction in the user's code */
	bool user;          /* the last step was in the user's code */
	bool returned;      /* and it ended with a return */
};

/* The program crosses between the user's code and a library; sp is the stack pointer
 * there. */
void ml_callers_cross(struct ml_callers *c, bool to_user, uint64_t sp);
/* The site that led into the library where the program is, or 0. */
uint32_t ml_callers_site(const struct ml_callers *c);
