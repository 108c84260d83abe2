/*
 * Columns cut into bins, one or two bytes a cell, so that histograms and the counts
 * between two axes cost a pass over small numbers. Numbers are cut into ranges of equal
 * width, one a value if there are few; names by their numbers. A cell without a value is
 * in the bin behind the last.
 *
 * Counts of large tables are remembered with the selection that they are of. The next
 * selection is mostly near the last one, as when a brush is dragged: then only the rows
 * that joined or left it are counted. Any thread may count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_bin_memory;
struct ml_samples;
struct ml_samples_column;
struct ml_selection;

enum { ML_BINS_MAX = 1000 };

struct ml_bins {
	size_t count;   /* of bins, without that of missing cells */
	unsigned width; /* bytes a cell */
	void *cells;    /* of ml_resize */
	uint64_t rows;
	uint64_t cut;                 /* ml_bins_cut; 0: counts are not remembered */
	struct ml_bin_memory *memory; /* counts of this column (bin_counts.c); or NULL */
};

/* At most so many bins, 1 to ML_BINS_MAX. */
void ml_bins_init(struct ml_bins *b, const struct ml_samples *s, size_t column,
		  size_t bins);
void ml_bins_release(struct ml_bins *b);
/* The lowest value of bin i, as bits; for i == count the highest value of the column. */
uint64_t ml_bins_low(const struct ml_samples_column *c, const struct ml_bins *b,
		     size_t i);

static inline size_t ml_bins_at(const struct ml_bins *b, uint64_t row)
{
	return b->width == 1 ? ((const uint8_t *)b->cells)[row]
			     : ((const uint16_t *)b->cells)[row];
}

/* Adds up the selected rows of each bin; counts has count + 1 elements. */
void ml_bins_histogram(const struct ml_bins *b, const struct ml_selection *sel,
		       uint64_t *counts);
/* The same for pairs of bins of one table: counts[i * (b->count + 1) + j], i of a and j
 * of b. */
void ml_bins_pairs(const struct ml_bins *a, const struct ml_bins *b,
		   const struct ml_selection *sel, uint64_t *counts);

/*
 * Both for n axes, on all CPUs: histograms[i] of axis i, pairs[i] of axes i and i + 1.
 * Each pair is counted once; histograms are its sums.
 */
void ml_bins_axes(const struct ml_bins *const *bins, size_t n,
		  const struct ml_selection *sel, uint64_t *const *histograms,
		  uint64_t *const *pairs);

/* For those who cut columns. A number tells the cuts of one table apart: by column, by
 * how many bins there are at most, and by whether bins grow (log_bins.h). */
static inline uint64_t ml_bins_cut(size_t column, size_t bins, bool grow)
{
	return 2 * (column * (ML_BINS_MAX + 1) + bins) + grow;
}
struct ml_bin_memory *ml_bin_memory_new(uint64_t rows);
void ml_bin_memory_release(struct ml_bin_memory *m);
