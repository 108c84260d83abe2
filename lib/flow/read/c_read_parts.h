/* What the files of the C front end share: c_read.c has files and functions,
 * c_statement.c statements, c_loop.c loops, c_place.c types and declarations, c_point.c
 * places and pointers, c_value.c expressions, c_call.c calls. */
#pragma once

#include "lib/flow/read/c_reader.h"

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
bool ml_c_is_array(const struct ml_c_reader *r, CXType t);
/* Numbers, pointers and structures: what a variable can hold in a register. */
bool ml_c_is_scalar(const struct ml_c_reader *r, CXType t);
/* An array becomes a pointer to its first element. */
struct ml_c_place ml_c_decayed(struct ml_c_reader *r, struct ml_c_place p);
/* Dimensions, strides and elements of an array, or of what a pointer leads to. */
void ml_c_shape(struct ml_c_reader *r, CXCursor decl, CXType t,
		struct ml_flow_container *c);
/* Where a pointer of another type leads: the same elements in another shape. */
struct ml_c_place ml_c_reshaped(struct ml_c_reader *r, CXCursor decl, CXType t,
				struct ml_c_place p);
/* Notes which variables of a function have their address taken, before it is read. */
void ml_c_take_addresses(struct ml_c_reader *r, CXCursor function);
/* The computation does something that its accesses do not say. */
void ml_c_unplaced(struct ml_c_reader *r, CXCursor c, const char *why);
void ml_c_access(struct ml_c_reader *r, CXCursor c, const struct ml_c_place *p,
		 bool write);
uint32_t ml_c_work(struct ml_c_reader *r, CXCursor c);
/* A variable in a register is written, or read where its value is data: dependences
 * follow from it, memory does not see it. ml_c_finish drops those that never matter. */
void ml_c_scalar(struct ml_c_reader *r, CXCursor c, struct ml_c_variable *v, bool write);

/* c_point.c: where an expression is, or where the pointer that it gives leads. */
struct ml_c_place ml_c_place(struct ml_c_reader *r, CXCursor c);
/* Where an expression that can be assigned to is, be it a pointer or not. */
struct ml_c_place ml_c_locate(struct ml_c_reader *r, CXCursor c);
/* A pointer so many elements further on. */
struct ml_c_place ml_c_moved(struct ml_c_reader *r, struct ml_c_place p,
			     const struct ml_sym *by);
/* A variable points to memory that was allocated just now; own: to nothing else. */
void ml_c_allocate(struct ml_c_reader *r, struct ml_c_variable *v, bool own);
/* Pointers there are overwritten, so what they led to is not known. */
void ml_c_overwrite(struct ml_c_reader *r, const struct ml_c_place *p);

/* c_finish.c: after the function has been read. */
void ml_c_finish(struct ml_c_reader *r);

/* c_call.c */
const struct ml_sym *ml_c_call(struct ml_c_reader *r, CXCursor c);
CXCursor ml_c_body_of(const struct ml_c_reader *r, CXCursor function);
/* Whether memory does not see what a function does. */
bool ml_c_is_math(const char *name);

/* c_value.c: evaluates an expression with its accesses and operations; the value where
 * it is an integer of parameters and loop variables, else unknown. */
const struct ml_sym *ml_c_value(struct ml_c_reader *r, CXCursor c);
void ml_c_operation(struct ml_c_reader *r, CXCursor c, enum ml_flow_op op);
/* Whether a value is surely not negative, where parameters are sizes. */
bool ml_c_is_natural(const struct ml_c_reader *r, const struct ml_sym *e);
/* The value of an integer that is data, but the same in all that follows, gets a name. */
void ml_c_fix(struct ml_c_reader *r, struct ml_c_variable *v);

/* c_statement.c */
void ml_c_statement(struct ml_c_reader *r, CXCursor c);
/* All children, of which a block may have any number; to be released by ml_free(at). */
struct ml_c_list {
	CXCursor *at;
	size_t count, cap;
};
void ml_c_list(const struct ml_c_reader *r, CXCursor c, struct ml_c_list *l);
uint32_t ml_c_add_node(struct ml_c_reader *r, enum ml_flow_kind k, CXCursor c,
		       const char *label);
/* c_effects.c: what a statement may change, or how it may leave. */
struct ml_c_effects {
	struct ml_c_reader *r;
	bool only_looks; /* nothing is forgotten */
	bool breaks;     /* leaves the loop or switch around it */
	bool skips;      /* continue: ends the iteration */
	bool returns;    /* return, goto: leaves everything around it */
	unsigned loops;
};
/* Forgets the values of all variables that a statement assigns. */
struct ml_c_effects ml_c_effects(struct ml_c_reader *r, CXCursor c);
/* The same without forgetting anything. */
struct ml_c_effects ml_c_look(struct ml_c_reader *r, CXCursor c);
/* if (condition) continue; without else, or with { continue; }. */
bool ml_c_is_skip(const struct ml_c_reader *r, CXCursor c);
enum ml_c_leaving {
	ML_C_STAYS,
	ML_C_SKIPS,  /* an iteration may end early */
	ML_C_LEAVES, /* the loop may */
};
/* The number of loops in a function. */
unsigned ml_c_loops(struct ml_c_reader *r, CXCursor c);
enum ml_c_leaving ml_c_may_leave(struct ml_c_reader *r, CXCursor c);
void ml_c_body(struct ml_c_reader *r, CXCursor c, uint32_t below, bool of_loop);

/* c_step.c: what the condition (head[0]), the step (head[1]) and the body of a loop change.
 * Before the loop is read, for the values in front of it count. */
void ml_c_steps_find(struct ml_c_reader *r, struct ml_c_steps *s, const CXCursor *head,
		     const CXCursor *body);
/* Sets the variables to their values after so many steps. after: behind the loop. */
void ml_c_steps_set(struct ml_c_reader *r, const struct ml_c_steps *s,
		    const struct ml_sym *times, bool after);
/* Evaluates a condition: the last value of the loop's symbol at which it holds; NULL: data
 * decide. data: a part of it is data, so the loop may end earlier. */
const struct ml_sym *ml_c_steps_last(struct ml_c_reader *r, CXCursor c, uint32_t symbol,
				     bool *data);

/* c_loop.c */
void ml_c_for(struct ml_c_reader *r, CXCursor c);
void ml_c_while(struct ml_c_reader *r, CXCursor c);
uint32_t ml_c_counted_loop(struct ml_c_reader *r, CXCursor c, const char *what,
			   const struct ml_sym *from, uint32_t *symbol);
/* The node that the body of a loop goes below: a guard, if the loop may be left. */
uint32_t ml_c_guarded(struct ml_c_reader *r, uint32_t loop, CXCursor c,
		      enum ml_c_leaving how);
