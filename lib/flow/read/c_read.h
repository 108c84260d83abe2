/*
 * Reads a function of a C file as a flow, through libclang; nothing is run.
 *
 * Order of accesses: operands from left to right; the subscripts of an element before the
 * element; the right side of an assignment before the subscripts of its left side; the
 * target of += is read after the right side, and written last. Scalars (also pointers and
 * struct variables that are no arrays) are in registers and make no accesses; a member of
 * an array of structures is an access of its bytes.
 *
 * Operations in subscripts and loop bounds are not counted. Both sides of ?: and the
 * right sides of && and || count, as a bound. Functions of the same file are inlined;
 * functions of <math.h> are operations; what other functions do to arrays is marked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_flow;

struct ml_flow_options {
	const char *function;    /* of a C file; NULL: the one with `#pragma scop`, else
				    the one with most loops */
	const char *const *args; /* for the C preprocessor: -I, -D; ends with NULL */
	bool overlap;        /* pointers without `restrict` may lead to the same memory */
	const char *headers; /* folder of memlamp.h, searched last; NULL: none */
};

/* f has the path for messages and #include; text is the file. */
bool ml_c_read(struct ml_flow *f, const char *text, size_t size,
	       const struct ml_flow_options *o, struct ml_err *err);
