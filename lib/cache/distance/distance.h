/*
 * Stack distance: the number of other lines touched since a line was touched last. An LRU
 * cache of n lines hits exactly when the distance is less than n, so one pass gives the
 * misses of every size.
 * Held by tests/cache/test_distance.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ML_NEVER UINT32_MAX /* distance of a first touch */

/*
 * A histogram of distances: exact up to a bound, then 16 buckets for each power of two.
 */
struct ml_distances {
	uint64_t *count; /* by bucket */
	size_t buckets, cap;
	uint64_t cold, total;
};

void ml_distances_add(struct ml_distances *d, uint32_t distance, uint64_t times);
void ml_distances_merge(struct ml_distances *d, const struct ml_distances *other);
/*
 * Misses of an LRU cache of `lines` lines. Exact where a bucket ends there: for all sizes
 * up to the bound, and above it for powers of two and their sixteenths.
 */
uint64_t ml_distances_misses(const struct ml_distances *d, uint64_t lines);
void ml_distances_release(struct ml_distances *d);

/* Exact, fully associative. Memory grows with the number of distinct lines. */
struct ml_distance;
struct ml_distance *ml_distance_open(void);
void ml_distance_close(struct ml_distance *d);
/*
 * Sets distance[i] for line number line[i]. distance may be NULL; then only the histogram
 * is kept.
 */
void ml_distance_run(struct ml_distance *d, const uint64_t *line, size_t count,
		     uint32_t *distance);
/* Of all lines run so far. */
const struct ml_distances *ml_distance_histogram(struct ml_distance *d);
/*
 * The lines touched so far, each once, the one touched last at the end; to be released by
 * ml_free. An ml_distance that is run over them continues as this one does.
 */
size_t ml_distance_lines(const struct ml_distance *d, uint64_t **line);

/*
 * Sampled by line (SHARDS, fixed size): follows at most `lines` lines, chosen by hash,
 * for a trace of any length. Distances and counts are scaled up.
 */
struct ml_sampled;
struct ml_sampled *ml_sampled_open(size_t lines);
void ml_sampled_close(struct ml_sampled *s);
void ml_sampled_run(struct ml_sampled *s, const uint64_t *line, size_t count);
double ml_sampled_rate(
	const struct ml_sampled *s); /* share of all lines that is followed; 1 is exact */
/* Estimated miss ratio of an LRU cache of `lines` lines, and its standard error. */
double ml_sampled_misses(const struct ml_sampled *s, uint64_t lines, double *error);
