#include "lib/samples/bins.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/samples/row_ranges.h"
#include "lib/samples/samples.h"

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

/* How a column is cut, for threads that cut ranges of rows. */
struct cut {
	const struct ml_samples_column *c;
	size_t bins;
	uint64_t first, all; /* of the values: the lowest, and their number */
	bool direct;         /* at * bins fits 64 bits */
	double inverse;      /* 1 / all */
	void *cells;
	unsigned width;
};

/* at * bins / all: the quotient by a reciprocal is off by one at most. */
static size_t quick_bin(const struct cut *k, uint64_t bits)
{
	uint64_t product = (bits - k->first) * k->bins;
	uint64_t q = (uint64_t)((double)product * k->inverse);

	if (q * k->all > product)
		q--;
	else if ((q + 1) * k->all <= product)
		q++;
	return q < k->bins ? q : k->bins - 1;
}

static size_t cut_bin(const struct cut *k, uint64_t row)
{
	uint64_t bits = ml_samples_bits(k->c, row);

	return k->bins == 1 ? 0
	       : k->direct  ? quick_bin(k, bits)
			    : bin_of(k->c, bits, k->bins);
}

static void cut_rows(void *arg, uint64_t first_row, uint64_t end)
{
	const struct cut *k = arg;

	for (uint64_t i = first_row; i < end; i++) {
		size_t bin = cut_bin(k, i);

		if (k->width == 1)
			((uint8_t *)k->cells)[i] = (uint8_t)bin;
		else
			((uint16_t *)k->cells)[i] = (uint16_t)bin;
	}
	for (uint64_t i = first_row; k->c->missing && i < end; i++)
		if (ml_samples_missing(k->c, i)) {
			if (k->width == 1)
				((uint8_t *)k->cells)[i] = (uint8_t)k->bins;
			else
				((uint16_t *)k->cells)[i] = (uint16_t)k->bins;
		}
}

/* A cell of one byte has 256 bins at most: each is found once. */
static void cut_bytes(void *arg, uint64_t first_row, uint64_t end)
{
	const struct cut *k = arg;
	const uint8_t *from = k->c->cells;
	uint8_t *to = k->cells, bin[256];

	for (unsigned i = 0; i < 256; i++)
		bin[i] = (uint8_t)(k->bins == 1 ? 0
						: bin_of(k->c, k->c->base + i, k->bins));
	for (uint64_t i = first_row; i < end; i++)
		to[i] = bin[from[i]];
	for (uint64_t i = first_row; k->c->missing && i < end; i++)
		if (ml_samples_missing(k->c, i))
			to[i] = (uint8_t)k->bins;
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
			       .rows = s->rows,
			       .cut = ml_bins_cut(column, bins, false),
			       .memory = ml_bin_memory_new(s->rows) };
	b->cells = ml_resize(NULL, s->rows * b->width + 1);
	struct cut k = { .c = c,
			 .bins = bins,
			 .first = first(c),
			 .all = span(c) + 1,
			 .direct = c->kind != ML_SAMPLES_REAL && span(c) < 1ull << 50,
			 .inverse = 1 / ((double)span(c) + 1),
			 .cells = b->cells,
			 .width = b->width };
	bool bytes = c->width == 1 && b->width == 1 && c->kind != ML_SAMPLES_REAL;
	ml_row_ranges(s->rows, bytes ? cut_bytes : cut_rows, &k);
}

void ml_bins_release(struct ml_bins *b)
{
	ml_free(b->cells);
	ml_bin_memory_release(b->memory);
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
