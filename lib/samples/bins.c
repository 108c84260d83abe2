#include "lib/samples/bins.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

__extension__ typedef unsigned __int128 wide;

/* Number of values of a column of integers or names, less one. */
static uint64_t span(const struct ml_samples_column *c)
{
	return c->kind == ML_SAMPLES_NAMES ? (c->name_count ? c->name_count - 1 : 0)
					   : c->max - c->min;
}

static uint64_t first(const struct ml_samples_column *c)
{
	return c->kind == ML_SAMPLES_NAMES ? 0 : c->min;
}

static size_t bin_of(const struct ml_samples_column *c, uint64_t bits, size_t bins)
{
	if (c->kind == ML_SAMPLES_REAL) {
		double low = ml_samples_to_real(c, c->min),
		       high = ml_samples_to_real(c, c->max),
		       v = (ml_samples_to_real(c, bits) / 2 - low / 2) /
			   (high / 2 - low / 2) * (double)bins;

		return v >= (double)bins ? bins - 1 : v > 0 ? (size_t)v : 0;
	}
	uint64_t at = bits - first(c);
	size_t bin = (size_t)((wide)at * bins / ((wide)span(c) + 1));
	return bin < bins ? bin : bins - 1;
}

void ml_bins_init(struct ml_bins *b, const struct ml_samples *s, size_t column,
		  size_t bins)
{
	const struct ml_samples_column *c = &s->columns[column];

	assert(bins >= 1 && bins <= ML_BINS_MAX);
	if (c->kind == ML_SAMPLES_REAL ? c->min == c->max : span(c) < bins)
		bins = c->kind == ML_SAMPLES_REAL ? 1 : (size_t)span(c) + 1;
	*b = (struct ml_bins){ .count = bins,
			       .width = bins < 256 ? 1 : 2,
			       .rows = s->rows };
	b->cells = ml_resize(NULL, s->rows * b->width + 1);
	for (uint64_t i = 0; i < s->rows; i++) {
		size_t bin = ml_samples_missing(c, i) ? bins
			     : bins == 1              ? 0
					 : bin_of(c, ml_samples_bits(c, i), bins);

		if (b->width == 1)
			((uint8_t *)b->cells)[i] = (uint8_t)bin;
		else
			((uint16_t *)b->cells)[i] = (uint16_t)bin;
	}
}

void ml_bins_release(struct ml_bins *b)
{
	ml_free(b->cells);
	*b = (struct ml_bins){ 0 };
}

uint64_t ml_bins_low(const struct ml_samples_column *c, const struct ml_bins *b, size_t i)
{
	if (i >= b->count)
		return c->kind == ML_SAMPLES_NAMES ? span(c) : c->max;
	if (c->kind == ML_SAMPLES_REAL) {
		double low = ml_samples_to_real(c, c->min),
		       high = ml_samples_to_real(c, c->max),
		       part = (double)i / (double)b->count,
		       v = low * (1 - part) + high * part;
		uint64_t bits;

		memcpy(&bits, &v, sizeof(bits));
		return bits;
	}
	/* the smallest value whose bin is i */
	wide all = (wide)span(c) + 1;
	return first(c) + (uint64_t)((all * i + b->count - 1) / b->count);
}

void ml_bins_histogram(const struct ml_bins *b, const struct ml_selection *sel,
		       uint64_t *counts)
{
	for (uint64_t w = 0; w < ml_selection_words(sel->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1)
			counts[ml_bins_at(b, w * 64 + (uint64_t)__builtin_ctzll(bits))]++;
}

void ml_bins_pairs(const struct ml_bins *a, const struct ml_bins *b,
		   const struct ml_selection *sel, uint64_t *counts)
{
	for (uint64_t w = 0; w < ml_selection_words(sel->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1) {
			uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(bits);

			counts[ml_bins_at(a, row) * (b->count + 1) +
			       ml_bins_at(b, row)]++;
		}
}
