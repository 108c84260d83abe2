/* What the two ways of finding the link of an edge share. Private to rips*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/cycles/edges.h"
#include "lib/analyse/cycles/rips.h"
#include "lib/base/arena.h"

enum { RIPS_NONE = UINT32_MAX };

/* What one run needs besides its result. */
struct rips_walk {
	struct ml_rips *r;
	struct ml_arena arena;
	uint32_t *parent;      /* of each point: connected parts of the graph */
	uint32_t *birth_level; /* of each class */
	size_t birth_cap;
	uint32_t level;
	uint32_t apex; /* the common neighbour from which the last link was searched */

	/* Rows of bits, of all points by all points: */
	uint64_t *rows;    /* who is a neighbour */
	uint64_t *nonzero; /* the node of the edge may be another than 0 */
	size_t words;      /* of a row */

	/* Of rows of blocks: */
	struct rips_row {
		struct rips_block {
			uint64_t bits, nonzero; /* of a word of a row as above */
			uint32_t word;
		} * at; /* ascending by word */
		size_t count, cap;
	} * sparse;                           /* by point */
	uint64_t *joined_to_u, *nonzero_to_u; /* the row of u, spread out */
	uint64_t *nonzero_to_v;               /* of v, in the words in use */
	uint32_t *used;          /* words of w->todo that had a common neighbour */
	size_t used_count, left; /* left: words of w->todo that are not 0 */

	/* Of both, bits by point: common neighbours that are not reached yet, and those
	 * that are. */
	uint64_t *todo, *front;
};

/* The two edges over x that an edge v -> u, v < u, can be replaced by. */
struct rips_detour {
	uint32_t first, second; /* nodes of v -> x and x -> u */
	bool minus_first, minus_second;
};

static inline struct rips_detour rips_detour_of(uint32_t u, uint32_t v, uint32_t x,
						uint32_t to_u, uint32_t to_v)
{
	return (struct rips_detour){ to_v, to_u, x < v, u < x };
}

/* The edge has no common neighbour: two parts are joined, or a class is born. Returns the
 * node of the edge. */
uint32_t rips_first_edge(struct rips_walk *w, uint32_t u, uint32_t v);
/* The node of an edge with a detour. */
uint32_t rips_node(struct rips_walk *w, struct rips_detour d);
/* The detour must be as good as the node says: ends a class if it is not. */
void rips_relate(struct rips_walk *w, struct rips_detour d, uint32_t node);
/* Fetches the place of the node of an edge into the cache. */
void rips_fetch_leaf(const struct ml_rips *r, uint32_t u, uint32_t v);
/* Remembers the node of an edge, if it is not zero. */
void rips_set_leaf(struct ml_rips *r, uint32_t u, uint32_t v, uint32_t node);

void rips_bits_begin(struct rips_walk *w);
void rips_bits_run(struct rips_walk *w, uint32_t u, const uint32_t *ends, uint32_t count);
void rips_blocks_begin(struct rips_walk *w);
void rips_blocks_run(struct rips_walk *w, uint32_t u, const uint32_t *ends,
		     uint32_t count);
void rips_blocks_end(struct rips_walk *w);
