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

	/* Rows of bits: of all points by all points, or of the points near one by these.
	 */
	uint64_t *rows;    /* who is a neighbour */
	uint64_t *nonzero; /* the node of the edge may be another than 0 */
	size_t words;      /* of a row */
	uint64_t *todo, *front;

	/* Of lists: */
	struct rips_list {
		struct rips_neighbour {
			uint32_t point : 31, nonzero : 1;
		} * at;
		size_t count, cap;
	} * lists;        /* by point */
	uint32_t *number; /* of each point: its number among the near ones, from 1; 0: not
			     near */
	uint32_t *near;   /* neighbours of the point u whose edges are inserted */
	uint32_t near_count;
	size_t near_cap;
	bool *has_row; /* of each near point */
	uint64_t *joined_to_u, *nonzero_to_u;
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
/* Remembers the node of an edge, if it is not zero. */
void rips_set_leaf(struct ml_rips *r, uint32_t u, uint32_t v, uint32_t node);

void rips_bits_begin(struct rips_walk *w);
void rips_bits_run(struct rips_walk *w, uint32_t u, const uint32_t *ends, uint32_t count);
void rips_lists_begin(struct rips_walk *w);
void rips_lists_run(struct rips_walk *w, uint32_t u, const uint32_t *ends,
		    uint32_t count);
void rips_lists_end(struct rips_walk *w);
