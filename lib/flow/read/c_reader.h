/* The state of the C front end while it reads a function. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/read/c_clang.h"
#include "lib/flow/flow.h"

enum { ML_C_CHILDREN = 64, ML_C_DEPTH = 120, ML_C_INLINE = 8 };

/* An element of a container, or where a pointer points. Not ok: anywhere. */
struct ml_c_place {
	bool ok;      /* there is a container, or a register */
	bool unknown; /* somewhere in it */
	bool array;   /* an array, not an element yet: fewer indices than dimensions */
	bool flat;    /* the address of one element: neighbours may be in other rows */
	bool value;   /* no memory: the result of an expression */
	bool fresh;   /* memory that was allocated just now */
	uint32_t container;
	uint32_t reg; /* index + 1 of the variable that is in a register; 0: memory */
	uint32_t count;
	const struct ml_sym *index[ML_FLOW_DIMS];
	uint64_t field, size; /* bytes inside an element; size 0: all */
	uint64_t as;          /* bytes of what a cast makes it point to; 0: no cast */
};

struct ml_c_variable {
	CXCursor decl;
	const struct ml_sym *value; /* of an integer; NULL: none */
	bool stepped; /* each iteration around has another value, from the one before */
	bool fixed;   /* the value is data, but the same in all that follows */
	struct ml_c_place place; /* of arrays themselves; where pointers point */
	bool memory;             /* its address is taken: `place` is its own */
	bool outlives;           /* global or static */
	uint32_t inside;         /* the node it is declared in */
	uint32_t data;           /* container + 1 of a scalar that is data; 0: none yet */
};

struct ml_c_cursors {
	CXCursor *at;
	size_t count, cap;
};

/* A container of what pointers lead to, and where those pointers are. */
struct ml_c_rows {
	uint32_t container, pointers;
	uint64_t field;
};

struct ml_c_reader {
	const struct ml_clang *clang;
	struct ml_flow *f;
	CXTranslationUnit unit;
	struct ml_c_variable *variable;
	size_t variable_count, variable_cap;
	struct ml_c_cursors taken;  /* variables whose address is taken */
	struct ml_c_cursors called; /* functions whose effects have been looked at */
	struct ml_c_rows *rows, *changed; /* pointers that the program overwrites */
	size_t row_count, row_cap, changed_count, changed_cap;
	CXCursor statement;                /* the expression whose value nothing uses */
	CXCursor body;                     /* of the function that is read */
	CXCursor switched;                 /* the body of the switch around */
	CXCursor calling[ML_C_INLINE + 1]; /* functions that are being inlined */
	uint32_t parent;                   /* node that statements go below */
	uint32_t work;  /* computation that accesses go to; ML_FLOW_NONE: a new one */
	bool quiet;     /* operations are not counted: subscripts and bounds */
	bool bounded;   /* what follows may not be executed */
	bool loop_body; /* the next block is the body of a loop */
	unsigned jumps; /* loops made by goto around here */
	unsigned depth, inlined, loops;
	uint32_t scop_from, scop_to; /* lines; to 0: everything */
	/* of the function that is being inlined: its returns, those that are not certain
	 * twice; the node that it goes below */
	unsigned returns;
	uint32_t base;
	const struct ml_sym *returned;
	struct ml_c_place returned_place;
	size_t trips; /* loops whose end depends on data, so far */
};

enum { ML_C_STEPS = 16 };

/* Variables that each iteration of a loop changes by the same number. */
struct ml_c_steps {
	struct ml_c_step {
		CXCursor decl;
		int64_t by;
		bool bad;     /* it changes otherwise, or nobody knows where it begins */
		bool head;    /* it is a counter of the loop itself */
		bool pointer; /* by elements */
		const struct ml_sym *first;
		struct ml_c_place place; /* where a pointer begins */
	} at[ML_C_STEPS];
	size_t count;
	CXCursor factor; /* a variable that each iteration multiplies or divides */
	bool full, calls, skips;
};
