#include "lib/query/samples/log_bins.h"

#include <math.h>

#include "lib/base/arena.h"
#include "lib/samples/row_ranges.h"
#include "lib/samples/samples.h"

bool ml_log_bins_can(const struct ml_samples_column *c)
{
	return (c->kind == ML_SAMPLES_UNSIGNED || c->kind == ML_SAMPLES_SIGNED) &&
	       c->max != c->min;
}

size_t ml_log_bins_edges(const struct ml_samples_column *c, size_t bins, uint64_t *low)
{
	uint64_t span = c->max - c->min; /* modulo 2^64, also of signed values */
	double whole = log2((double)span + 1);
	size_t count = 0;

	for (size_t i = 0; i < bins; i++) {
		double at = exp2(whole * (double)i / (double)bins) - 1;
		uint64_t edge = at < 0 ? 0 : (uint64_t)ceil(at);

		if (edge > span)
			break;
		if (!count || c->min + edge != low[count - 1])
			low[count++] = c->min + edge;
	}
	return count;
}

/* The bin of a distance from the lowest value. */
static size_t bin_of(const uint64_t *low, size_t count, uint64_t min, uint64_t at)
{
	size_t from = 0, to = count;

	while (to - from > 1) {
		size_t mid = (from + to) / 2;

		if (low[mid] - min <= at)
			from = mid;
		else
			to = mid;
	}
	return from;
}

struct cut {
	const struct ml_samples_column *c;
	const uint64_t *low;
	struct ml_bins *b;
};

static void cut_rows(void *arg, uint64_t first_row, uint64_t end)
{
	const struct cut *k = arg;

	for (uint64_t i = first_row; i < end; i++) {
		size_t bin = ml_samples_missing(k->c, i)
				     ? k->b->count
				     : bin_of(k->low, k->b->count, k->c->min,
					      ml_samples_bits(k->c, i) - k->c->min);

		if (k->b->width == 1)
			((uint8_t *)k->b->cells)[i] = (uint8_t)bin;
		else
			((uint16_t *)k->b->cells)[i] = (uint16_t)bin;
	}
}

void ml_log_bins_init(struct ml_bins *b, const struct ml_samples *s, size_t column,
		      size_t bins)
{
	const struct ml_samples_column *c = &s->columns[column];
	uint64_t low[ML_BINS_MAX];
	size_t count = ml_log_bins_edges(c, bins, low);

	*b = (struct ml_bins){ .count = count,
			       .width = count < 256 ? 1 : 2,
			       .rows = s->rows,
			       .cut = ml_bins_cut(column, bins, true),
			       .memory = ml_bin_memory_new(s->rows) };
	b->cells = ml_resize(NULL, s->rows * b->width + 1);
	struct cut k = { c, low, b };
	ml_row_ranges(s->rows, cut_rows, &k);
}
