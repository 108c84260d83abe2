/* What the files of the .sdfg front end share: sdfg_read.c has files, names and values,
 * sdfg_array.c arrays and subsets, sdfg_control.c control flow, sdfg_state.c the dataflow
 * of a state, sdfg_library.c library nodes. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/flow.h"
#include "lib/flow/read/py_expr.h"

enum { ML_SDFG_DEPTH = 60 };

/* What an array of a (nested) graph is: a part of a container. */
struct ml_sdfg_array {
	const char *name;
	uint32_t container;
	uint32_t dims;
	const struct ml_sym *shape[ML_FLOW_DIMS];
	bool mapped; /* dimension d is dimension `to[d]` of the container, from first */
	int to[ML_FLOW_DIMS];                     /* -1: of size 1 */
	const struct ml_sym *first[ML_FLOW_DIMS]; /* by dimension of the container */
	/* otherwise places are linear */
	const struct ml_sym *base, *stride[ML_FLOW_DIMS];
	bool lost; /* somewhere in the container */
	bool view; /* of another array, which an edge of the dataflow names */
};

struct ml_sdfg_name {
	const char *name;
	const struct ml_sym *value; /* NULL: unknown */
};

struct ml_sdfg_reader {
	struct ml_flow *f;
	struct ml_sdfg_array *array;
	size_t array_count, array_cap, array_base; /* those of this graph from base on */
	struct ml_sdfg_name *name;
	size_t name_count, name_cap, name_base;
	uint32_t parent;
	unsigned depth;
	bool bounded;
	uint32_t
		reads; /* node that elements read by expressions go to; NONE: a new one */
};

struct ml_sdfg_subset {
	uint32_t dims;
	bool bad, single;
	struct ml_flow_range range[ML_FLOW_DIMS];
};

/* sdfg_read.c */
const char *ml_sdfg_text(json_t *o, const char *key); /* "" where there is none */
json_t *ml_sdfg_attr(json_t *o, const char *key);     /* of its attributes */
const struct ml_sym *ml_sdfg_value(struct ml_sdfg_reader *r, json_t *text);
const char *ml_sdfg_code(json_t *o); /* of a property of code; "" where there is none */
/* An expression; `reads` adds what it reads of arrays to a computation of its own. */
const struct ml_sym *ml_sdfg_parse(struct ml_sdfg_reader *r, const char *text,
				   bool reads);
/* The value of a name; NULL: data. */
const struct ml_sym *ml_sdfg_name(struct ml_sdfg_reader *r, const char *name);
/* Gives a name of this graph another value. */
void ml_sdfg_assign(struct ml_sdfg_reader *r, const char *name,
		    const struct ml_sym *value);
void ml_sdfg_bind(struct ml_sdfg_reader *r, const char *name, const struct ml_sym *value);
struct ml_sdfg_array *ml_sdfg_find(struct ml_sdfg_reader *r, const char *name);
void ml_sdfg_where(struct ml_sdfg_reader *r, uint32_t node, json_t *o);
/* A loop below r->parent; bounds that are unknown become a parameter. */
uint32_t ml_sdfg_loop(struct ml_sdfg_reader *r, const char *label, const char *variable,
		      const struct ml_sym *from, const struct ml_sym *to, int64_t step);
/* sdfg_array.c */
void ml_sdfg_subset(struct ml_sdfg_reader *r, json_t *subset, struct ml_sdfg_subset *out);
/* Adds an access of an array to a computation. */
void ml_sdfg_access(struct ml_sdfg_reader *r, uint32_t work,
		    const struct ml_sdfg_array *a, const struct ml_sdfg_subset *s,
		    bool write, bool bounded);
/* Declares the arrays of a graph that are not bound yet. */
void ml_sdfg_arrays(struct ml_sdfg_reader *r, json_t *sdfg);
/* The layout that a graph gives to one of its arrays. */
bool ml_sdfg_layout(struct ml_sdfg_reader *r, json_t *desc, struct ml_flow_container *c);

/* sdfg_control.c */
/* A nested graph, below r->parent; the caller has bound names and arrays. */
void ml_sdfg_graph(struct ml_sdfg_reader *r, json_t *sdfg);

/* sdfg_library.c: the operations of a library node. Its accesses are there already. */
struct ml_sdfg_operand {
	const char *connector;
	bool write;
	struct ml_sdfg_subset subset;
};
void ml_sdfg_library(struct ml_sdfg_reader *r, uint32_t work, json_t *node,
		     const struct ml_sdfg_operand *operands, size_t count);

/* sdfg_state.c */
void ml_sdfg_state(struct ml_sdfg_reader *r, json_t *state);
