/*
 * What native_code.c and native_lanes.c share: the text that is being written, and what
 * is in scope at its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;
struct ml_expr;
struct ml_space;

/* A truth value of the innermost loop that is computed in lanes. */
struct ml_native_atom {
	uint32_t node;
	int level;   /* loop in which its plane is computed; the innermost: with all */
	int indexed; /* loop that indexes the table of planes; -1: none */
};

struct ml_native_writer {
	const struct ml_space *s;
	struct ml_buf *out;
	bool *scalar; /* of a node: its variable is in scope */
	bool *lane;   /* of a node: its lane is in scope */
	bool *plane;  /* of a node: its plane is in scope */
	struct ml_native_atom *atoms;
	size_t atom_count, table_words;
	int inner;    /* level of the innermost loop */
	bool divides; /* some divisor may be zero */
};

void ml_native_put(struct ml_native_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const struct ml_expr *ml_native_node_of(const struct ml_native_writer *w, uint32_t node);
bool ml_native_maybe_zero(const struct ml_expr *e);
/* The greatest of some parameters; -1: there are none. */
int ml_native_level_of(uint64_t deps);

/* "v12", or a number. */
const char *ml_native_scalar_name(const struct ml_native_writer *w, uint32_t node,
				  char text[32]);
/* Declares the variable of a node, and those it needs that are not in scope. */
void ml_native_scalar(struct ml_native_writer *w, uint32_t node);
/* The value of a loop's parameter by index. */
void ml_native_param_value(struct ml_native_writer *w, int level, const char *index);

/* Lanes of the innermost loop that are computed at a time. */
unsigned ml_native_lane_count(const struct ml_native_writer *w);
/* Finds the atoms of a truth value, and where each is computed. */
void ml_native_find_atoms(struct ml_native_writer *w, uint32_t node);
/* Fills the tables of the atoms that are computed in a loop. */
void ml_native_tables(struct ml_native_writer *w, int level);
/* Results of one atom, or of all of a level, as bytes, from lane c on. */
void ml_native_lane_loop(struct ml_native_writer *w, const struct ml_native_atom *only,
			 int level);
/* Declares the plane of a truth value at lanes c to c + 63. */
void ml_native_plane(struct ml_native_writer *w, uint32_t node);
