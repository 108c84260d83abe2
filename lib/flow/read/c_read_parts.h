/* What the files of the C front end share: c_read.c has files and functions,
 * c_statement.c statements, c_place.c types and places, c_value.c expressions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/read/c_clang.h"
#include "lib/flow/flow.h"

enum { ML_C_CHILDREN = 64, ML_C_DEPTH = 120, ML_C_INLINE = 8 };

/* An element of a container, or where a pointer points. */
struct ml_c_place {
	bool ok;      /* there is a container */
	bool unknown; /* somewhere in it */
	bool array;   /* an array, not an element yet: fewer indices than dimensions */
	uint32_t container;
	uint32_t count;
	const struct ml_sym *index[ML_FLOW_DIMS];
	uint64_t field, size; /* bytes inside an element; size 0: all */
};

struct ml_c_variable {
	CXCursor decl;
	const struct ml_sym *value; /* of an integer; NULL: none */
	struct ml_c_place place;    /* of arrays and pointers */
	uint32_t data; /* container + 1 of a scalar whose value is data; 0: none yet */
};

struct ml_c_reader {
	const struct ml_clang *clang;
	struct ml_flow *f;
	struct ml_c_variable *variable;
	size_t variable_count, variable_cap;
	uint32_t parent; /* node that statements go below */
	uint32_t work;   /* computation that accesses go to; ML_FLOW_NONE: a new one */
	bool quiet;      /* operations are not counted: subscripts and bounds */
	bool bounded;    /* what follows may not be executed */
	bool loop_body;  /* the next block is the body of a loop */
	unsigned jumps;  /* loops made by goto around here */
	unsigned depth, inlined;
	uint32_t scop_from, scop_to; /* lines; to 0: everything */
	const struct ml_sym *returned;
	struct ml_c_place returned_place;
	size_t trips; /* loops whose end depends on data, so far */
};

/* c_place.c */
struct ml_c_children {
	CXCursor at[ML_C_CHILDREN];
	size_t count;
};
void ml_c_children(const struct ml_c_reader *r, CXCursor c, struct ml_c_children *out);
char *ml_c_name(const struct ml_c_reader *r, CXCursor c); /* from the flow's arena */
uint32_t ml_c_line(const struct ml_c_reader *r, CXCursor c, uint32_t *column);
/* Removes parentheses and implicit casts. */
CXCursor ml_c_bare(const struct ml_c_reader *r, CXCursor c);
struct ml_c_variable *ml_c_find(struct ml_c_reader *r, CXCursor decl);
struct ml_c_variable *ml_c_declare(struct ml_c_reader *r, CXCursor decl, bool argument);
bool ml_c_is_integer(const struct ml_c_reader *r, CXType t);
bool ml_c_is_pointer(const struct ml_c_reader *r, CXType t);
struct ml_c_place ml_c_place(struct ml_c_reader *r, CXCursor c);
void ml_c_access(struct ml_c_reader *r, CXCursor c, const struct ml_c_place *p,
		 bool write);
uint32_t ml_c_work(struct ml_c_reader *r, CXCursor c);
/* A scalar variable whose value is data is read or written: dependences follow from it,
 * memory does not see it. Parameters count from where they are first written. */
void ml_c_scalar(struct ml_c_reader *r, CXCursor c, struct ml_c_variable *v, bool write);

/* c_value.c: evaluates an expression with its accesses and operations; the value where
 * it is an integer of parameters and loop variables, else unknown. */
const struct ml_sym *ml_c_value(struct ml_c_reader *r, CXCursor c);
struct ml_c_place ml_c_call_place(struct ml_c_reader *r, CXCursor c);

/* c_statement.c */
void ml_c_statement(struct ml_c_reader *r, CXCursor c);
/* All children, of which a block may have any number; to be released by ml_free(at). */
struct ml_c_list {
	CXCursor *at;
	size_t count, cap;
};
void ml_c_list(const struct ml_c_reader *r, CXCursor c, struct ml_c_list *l);
/* The number of loops in a function. Forgets what it assigns. */
unsigned ml_c_loops(struct ml_c_reader *r, CXCursor c);
uint32_t ml_c_add_node(struct ml_c_reader *r, enum ml_flow_kind k, CXCursor c,
		       const char *label);
/* What a statement may change, or how it may leave. */
struct ml_c_effects {
	struct ml_c_reader *r;
	bool leaves;  /* break, continue, return, goto */
	bool returns; /* return, goto: leaves everything around it, too */
	unsigned loops;
};
/* Forgets the values of all variables that a statement assigns. */
struct ml_c_effects ml_c_effects(struct ml_c_reader *r, CXCursor c);
bool ml_c_may_leave(struct ml_c_reader *r, CXCursor c);
void ml_c_body(struct ml_c_reader *r, CXCursor c, uint32_t below, bool of_loop);

/* c_loop.c */
void ml_c_for(struct ml_c_reader *r, CXCursor c);
void ml_c_while(struct ml_c_reader *r, CXCursor c);
uint32_t ml_c_counted_loop(struct ml_c_reader *r, CXCursor c, const char *what,
			   const struct ml_sym *from, uint32_t *symbol);
