/*
 * The edges of a Rips complex in the order in which they enter it: by length, then by
 * their larger end, then by their smaller end. Equal lengths are one level. Edges are
 * made in blocks of consecutive larger ends, which threads fill independently.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The edges of one level from one point to smaller ones. */
struct ml_edge_run {
	uint32_t point; /* the larger end */
	uint32_t count;
	uint64_t first; /* into ends */
};

struct ml_edge_list {
	uint32_t *ends; /* smaller ends, ascending within a run */
	struct ml_edge_run *runs;
	size_t count, cap, run_count, run_cap;
};

struct ml_edges {
	uint32_t points, levels, blocks;
	double *length; /* of each level, ascending */
	/* What lives behind the last level dies here; INFINITY: it does not die. */
	double end;
	struct ml_edge_list *lists; /* [block * levels + level] */
	uint64_t count;             /* of all edges */
};

static inline struct ml_edge_list *ml_edges_list(const struct ml_edges *e, uint32_t block,
						 uint32_t level)
{
	return &e->lists[(size_t)block * e->levels + level];
}

void ml_edges_init(struct ml_edges *e, uint32_t points, uint32_t levels, uint32_t blocks);
void ml_edges_release(struct ml_edges *e);
/* Appends one edge; those of a list come in the order above. */
void ml_edge_list_add(struct ml_edge_list *l, uint32_t larger, uint32_t smaller);
/* Counts the edges, once all are there. */
void ml_edges_finish(struct ml_edges *e);

/*
 * All pairs of points with the distances of a lower triangle (row 1, row 2, ...), up to
 * threshold. Without one (INFINITY) the edges end at the enclosing radius: from there on
 * some point is joined to all others, and nothing has a hole.
 */
void ml_edges_of_triangle(struct ml_edges *e, const double *triangle, uint32_t points,
			  double threshold);
