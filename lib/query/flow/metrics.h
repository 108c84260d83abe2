/*
 * What each node of a flow does at chosen sizes, and what moves between it and each
 * container: numbers for heat maps, evaluated from formulas. A scope has the sum of what
 * is below it. NaN: not known.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_flow;
struct ml_flow_counts;
struct ml_flow_sizes;
struct ml_simulated;

struct ml_flow_metrics {
	size_t nodes;
	double *runs, *operations;
	double *bytes;     /* read and written, without scalars */
	double *footprint; /* bytes of the boxes that accesses lie in, without scalars */
	double *cold, *misses; /* of a simulation */
	/* a row for each node and container that it accesses, children before parents */
	size_t edges;
	uint32_t *node, *container;
	uint8_t *how; /* 1: reads, 2: writes */
	double *read, *written;
	double *edge_footprint;
	double *edge_cold, *edge_misses; /* accesses */
};

/*
 * Evaluates root and the nodes below it; others are 0. Where not all sizes are set, what
 * depends on sizes is NaN. s, if not NULL, has the misses: distances of at least
 * `threshold` lines. All memory is from the arena.
 */
void ml_flow_metrics_make(struct ml_flow_metrics *m, const struct ml_flow *f,
			  const struct ml_flow_counts *counts, uint32_t root,
			  const struct ml_flow_sizes *z, const struct ml_simulated *s,
			  uint64_t threshold, struct ml_arena *a);
