/*
 * Edit distances between sequences of equal width: how many insertions, deletions and
 * substitutions of a symbol turn one into the other. Bit-parallel (Myers 1999, Hyyro
 * 2003), many pairs at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_edges;
struct ml_work;

/* One pair; the slow and obvious table of all prefixes. */
uint32_t ml_edit_distance(const uint32_t *a, const uint32_t *b, uint32_t width);

/* One sequence against many. Symbols are below symbol_count. */
struct ml_edit_pattern {
	uint32_t width;
	const uint32_t *symbols; /* of the pattern */
	uint64_t *places;        /* of each symbol: bits of the places where it stands */
	size_t symbol_count;
};

void ml_edit_pattern_init(struct ml_edit_pattern *p, uint32_t width, size_t symbol_count);
void ml_edit_pattern_set(struct ml_edit_pattern *p, const uint32_t *symbols);
void ml_edit_pattern_release(struct ml_edit_pattern *p);
/* distance[i] is that to row index[i] of the sequences. */
void ml_edit_pattern_distances(const struct ml_edit_pattern *p, const uint32_t *sequences,
			       const uint32_t *index, size_t count, uint8_t *distance);

/*
 * The edges between sequences that are nearer than width: their length is the distance.
 * Distances of width, the largest, are left out: with them everything is one simplex,
 * which edges->end says. Points without an edge stay alone. Where there are more than
 * max_edges, *too_many is set, and there are no edges.
 */
bool ml_edges_of_windows(struct ml_edges *e, const uint32_t *sequences, uint32_t count,
			 uint32_t width, size_t symbol_count, uint64_t max_edges,
			 bool *too_many, const struct ml_work *work, struct ml_err *err);
