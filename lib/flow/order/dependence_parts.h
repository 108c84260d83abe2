/* What the files of dependences share: dependence.c has the accesses and what loops carry,
 * dependence_keep.c changed orders. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/flow/order/dependence.h"

struct ml_buf;
struct ml_flow_access;
struct ml_flow_node;
struct ml_isl;
struct ml_set_text;

enum { LOOPS = 32 };

struct ml_statement {
	uint32_t node, rank;
	uint32_t symbol[LOOPS]; /* of the loops around it, the outermost first */
	size_t loops;
};

struct ml_touch {
	const struct ml_statement *statement;
	const struct ml_flow_access *access; /* NULL: whether the loop around goes on */
	bool write;
	void *map; /* from iterations to elements */
	bool exact;
};

struct ml_dependences {
	const struct ml_isl *isl;
	const struct ml_flow *f;
	void *ctx;
	struct ml_statement *statement;
	size_t statements;
	struct ml_touch *touch;
	size_t touches;
	uint32_t *private; /* by container: scalars.h */
	const char *why;
	struct ml_arena arena;
};

/* Computations, and guards of loops that may be left early. */
bool ml_is_statement(const struct ml_flow_node *n);
void ml_statement_put(struct ml_set_text *t, const struct ml_statement *s, char variable);
/* Whether not all that it touches is known; says so. */
bool ml_statement_unplaced(struct ml_dependences *d, const struct ml_statement *s);
/* Ends the text and reads it. NULL: it is not affine. */
void *ml_dependences_map(struct ml_dependences *d, struct ml_set_text *t);
/* The map of a touch whose container is private to a loop. */
void ml_touch_read(struct ml_dependences *d, struct ml_touch *x, uint32_t private);
/* The loop that what is touched is private to in the original. */
uint32_t ml_touch_private(const struct ml_dependences *d, const struct ml_touch *x);
bool ml_touch_conflict(const struct ml_flow *f, const struct ml_touch *x,
		       const struct ml_touch *y);
/* Both are updates of one kind: their order matters to nothing but rounding. */
bool ml_touch_updates(const struct ml_touch *x, const struct ml_touch *y);
/* Pairs of iterations that touch the same element; NULL: not known. */
void *ml_touch_pairs(struct ml_dependences *d, const struct ml_touch *x,
		     const struct ml_touch *y);
void ml_touch_say(struct ml_buf *b, const struct ml_flow *f, const struct ml_touch *x);
/* Sets why a pair of touches is not understood. */
void ml_touch_say_unknown(struct ml_dependences *d, const struct ml_touch *x,
			  const struct ml_touch *y);
/* Whether a pair of touches is exact where it is not empty. */
bool ml_touch_exact(const struct ml_touch *x, const struct ml_touch *y);
/* Whether pairs, of which `order` is a part, are empty: 1, 0, or -1: not known. Takes
 * both. */
int ml_pairs_empty(struct ml_dependences *d, void *pairs, void *order);
