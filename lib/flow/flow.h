/*
 * The data movement of a program that is not run: containers, loops, guards and
 * computations with their accesses, in the order of execution, symbolic in the program's
 * parameters. The front ends (c_read.h, sdfg_read.h) build it (flow_build.h); count.h counts it
 * symbolically, walk.h enumerates it at chosen sizes, locality.h simulates it.
 *
 *	struct ml_flow *f = ml_flow_open("kernel.c", &options, &err);    (open.h)
 *	...
 *	ml_flow_close(f);
 *
 * What a front end cannot express is never dropped: a value that depends on data is
 * unknown (an access at an unknown place, a guard that may hold), a number of iterations
 * that depends on data is a parameter of its own, and notes say so.
 * Held by tests/flow/test_flow.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/flow/flow_access.h"
#include "lib/flow/sym.h"

enum ml_flow_symbol_kind {
	ML_FLOW_PARAMETER, /* a size that the user chooses */
	ML_FLOW_TRIPS, /* iterations of a loop whose end depends on data; chosen too */
	ML_FLOW_LOOP,  /* the variable of a loop */
	ML_FLOW_ATOM,  /* stands for an expression of parameters, in polynomials */
};

struct ml_flow_symbol {
	enum ml_flow_symbol_kind kind;
	const struct ml_sym *atom; /* what an atom stands for */
};

struct ml_flow_container {
	const char *name, *type; /* "float", "double"... */
	uint32_t element;        /* bytes */
	uint32_t dims;
	const struct ml_sym *shape[ML_FLOW_DIMS];  /* elements; NULL: not known */
	const struct ml_sym *stride[ML_FLOW_DIMS]; /* elements */
	const struct ml_sym *offset;               /* elements in front of the first */
	uint64_t alignment; /* of its storage, bytes; 0: not said */
	bool transient;     /* exists only inside the program */
	bool scalar;        /* lives in a register: counted, but not placed in memory */
	/* Storage that it shares: number + 1 of another container; 0: its own. */
	uint32_t view_of;
	const struct ml_sym *view_at; /* bytes from element 0 of that one to its own */
	uint32_t
		inside; /* the node it is declared in; each iteration of the loops around it
			    has its own. 0: the whole program */
	bool outlives;    /* a scalar: its last value can be seen after the function */
	bool pointed;     /* named by a pointer that is not `restrict`: other pointers and
			  arrays may lead to the same bytes */
	uint32_t rows_of; /* container + 1 of the pointers that lead to it; 0: none */
};

enum ml_flow_op {
	ML_FLOW_ADD, /* and subtractions */
	ML_FLOW_MUL,
	ML_FLOW_DIV,     /* and remainders */
	ML_FLOW_SPECIAL, /* square roots, powers, exponentials and other functions */
	ML_FLOW_COMPARE, /* comparisons, minimum and maximum */
	ML_FLOW_LOGIC,   /* of bits and of truth */
	ML_FLOW_OPS
};

extern const char *const ml_flow_op_names[ML_FLOW_OPS]; /* "add", "mul"... */

enum ml_flow_kind {
	ML_FLOW_SCOPE, /* a name for what is below: a function, a state, a nested graph */
	ML_FLOW_FOR,   /* a loop */
	ML_FLOW_IF,    /* a guard: what is below runs where the condition is not 0 */
	ML_FLOW_WORK,  /* a computation with accesses */
};

struct ml_flow_node {
	enum ml_flow_kind kind;
	uint32_t number;                    /* in flow.node */
	uint32_t parent, first, last, next; /* ML_FLOW_NONE: none */
	const char *label;
	const char *file; /* the source; NULL: the opened file */
	const char *code; /* of a tasklet, as the .sdfg has it; NULL: none */
	uint32_t line;    /* 0: not known */
	bool assumed;     /* a library call: the order of accesses is not known */
	/* a computation: why `access` has not all that it touches. NULL: access has it */
	const char *unplaced;
	bool otherwise; /* a guard: holds where the guard in front of it does not */
	bool leaves; /* a guard: iterations of the loop around may leave it early, and this
			guard holds in those that come before */

	/* a loop: for (symbol = from; symbol <= to; symbol += step), downwards if the
	 * step is negative */
	uint32_t symbol;
	const struct ml_sym *from, *to;
	int64_t step;
	bool parallel; /* iterations are independent: a map */

	const struct ml_sym *condition; /* of a guard; unknown: it may hold */

	struct ml_flow_access *access; /* of a computation, in the order of evaluation */
	size_t access_count, access_cap;
	uint64_t ops[ML_FLOW_OPS];
	const struct ml_sym *repeat; /* how often the operations run; NULL: once */
};

#define ML_FLOW_NONE UINT32_MAX

struct ml_flow {
	struct ml_arena arena;                 /* owns expressions and texts */
	const char *path, *function, *dialect; /* "C", "DaCe 1.0.2" */
	const char **names;                    /* of symbols */
	struct ml_flow_symbol *symbol;
	size_t symbol_count, name_cap, symbol_cap;
	struct ml_flow_container *container;
	size_t container_count, container_cap;
	struct ml_flow_node *node; /* node 0 is the root, parents before children */
	size_t node_count, node_cap;
	const char **note; /* sentences on what is bounded or assumed */
	size_t note_count, note_cap;
	const char **function_list; /* that could be chosen instead */
	size_t function_count, function_cap;
	bool apart; /* pointers without `restrict` are taken not to overlap */
};

void ml_flow_close(struct ml_flow *f);

/* UINT32_MAX: none. */
uint32_t ml_flow_find_symbol(const struct ml_flow *f, const char *name);
uint32_t ml_flow_find_container(const struct ml_flow *f, const char *name);
/* Whether accesses of two containers may touch the same bytes: they share storage, and
 * are no different members of a structure. */
bool ml_flow_may_overlap(const struct ml_flow *f, const struct ml_flow_access *x,
			 const struct ml_flow_access *y);
/* The place of an access's first element, in elements from the first byte of the storage,
 * as the container's strides have it. */
const struct ml_sym *ml_flow_place(struct ml_arena *a, const struct ml_flow_container *c,
				   const struct ml_flow_access *x);
