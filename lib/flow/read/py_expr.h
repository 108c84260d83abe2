/*
 * Expressions of Python and sympy as .sdfg files hold them: ranges, conditions,
 * assignments, and the code of tasklets, whose operations are counted. A name means what
 * `name` answers; an element of an array is data, and `element` hears of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/flow.h"

struct ml_py {
	struct ml_arena *arena;
	/* The value of a name; NULL: unknown. */
	const struct ml_sym *(*name)(void *arg, const char *name);
	/* name[index...] was read; may be NULL. */
	void (*element)(void *arg, const char *name, const struct ml_sym *const *index,
			size_t count);
	void *arg;
	uint64_t ops[ML_FLOW_OPS]; /* results: operations met */
	bool bad;                  /* something was not understood */
	/* private */
	const char *at;
	unsigned depth;
};

/* The value of one expression; unknown where it is none, or malformed. */
const struct ml_sym *ml_py_value(struct ml_py *p, const char *text);
/* Counts the operations of statements, and hears of elements. */
void ml_py_code(struct ml_py *p, const char *text);
