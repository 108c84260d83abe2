/*
 * Bins that grow: each is about the same factor wider than the one before, counted from
 * the lowest value. Latencies have a long tail; in bins of equal width nearly all of them
 * are in the first. Values are cut exactly; there is a bin a value where bins would be
 * narrower than one.
 * Held by tests/query/test_log_bins.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/samples/bins.h"

struct ml_arena;
struct ml_samples;
struct ml_samples_column;

/* Whether a column can be cut so: integers of more than one value. */
bool ml_log_bins_can(const struct ml_samples_column *c);
/* The lowest value of each of at most `bins` bins, as bits; returns their number. */
size_t ml_log_bins_edges(const struct ml_samples_column *c, size_t bins, uint64_t *low);
/* As ml_bins_init of bins.h. */
void ml_log_bins_init(struct ml_bins *b, const struct ml_samples *s, size_t column,
		      size_t bins);
