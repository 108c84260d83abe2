/*
 * Stack distance: how many other lines were touched since this line was touched
 * last. An LRU cache of n lines hits exactly when the distance is less than n, so
 * one pass gives the misses of every size; with one stack for each set, those of
 * every associativity for that number of sets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ML_NEVER UINT32_MAX /* distance of a first touch */

/* How often each distance occurred: exact up to a bound, then by powers of two / 16. */
struct ml_distances {
	uint64_t *count; /* by bucket */
	size_t buckets, cap;
	uint64_t cold, total;
};

void ml_distances_add(struct ml_distances *d, uint32_t distance, uint64_t times);
void ml_distances_merge(struct ml_distances *d, const struct ml_distances *other);
/* Misses of an LRU cache of so many lines; exact where a bucket ends there (all sizes
 * up to the bound, and the powers of two and their sixteenths above). */
uint64_t ml_distances_misses(const struct ml_distances *d, uint64_t lines);
void ml_distances_release(struct ml_distances *d);

/* Exact, fully associative. Memory grows with the number of distinct lines. */
struct ml_distance;
struct ml_distance *ml_distance_open(void);
void ml_distance_close(struct ml_distance *d);
/* distance[i] of line number line[i]; may be NULL, and then only the histogram is kept.
 */
void ml_distance_run(struct ml_distance *d, const uint64_t *line, size_t count,
		     uint32_t *distance);
/* Of all that was run so far. */
const struct ml_distances *ml_distance_histogram(struct ml_distance *d);
/*
 * The lines touched so far, each once, the one touched last at the end; to be given to
 * ml_free. Another one that is run over them answers from then on as this one does.
 */
size_t ml_distance_lines(const struct ml_distance *d, uint64_t **line);

/* Exact for `sets` sets (a power of two or not) and up to `ways` ways. */
struct ml_ways;
struct ml_ways *ml_ways_open(uint32_t sets, uint32_t ways);
void ml_ways_close(struct ml_ways *w);
void ml_ways_run(struct ml_ways *w, const uint64_t *line, size_t count);
/* Misses with so many ways a set, 1 to the most. */
uint64_t ml_ways_misses(const struct ml_ways *w, uint32_t ways);

/*
 * Sampled by line (SHARDS, fixed size): follows at most `lines` lines, chosen by
 * hash, however long the trace is. Distances and counts are scaled up.
 */
struct ml_sampled;
struct ml_sampled *ml_sampled_open(size_t lines);
void ml_sampled_close(struct ml_sampled *s);
void ml_sampled_run(struct ml_sampled *s, const uint64_t *line, size_t count);
double
ml_sampled_rate(const struct ml_sampled *s); /* share of lines followed, 1 is exact */
/* Estimated miss ratio of an LRU cache of so many lines, and its standard error. */
double ml_sampled_misses(const struct ml_sampled *s, uint64_t lines, double *error);
