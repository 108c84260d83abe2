/*
 * Which cells of a column lie in a range, as bits. Cells of integers and names are
 * differences from the lowest value, so a range of values is a range of cells, and no
 * cell is unpacked.
 */
#include <string.h>

#include "lib/samples/row_ranges.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

struct range {
	const struct ml_samples_column *c;
	uint64_t low, high;   /* keys */
	uint64_t first, span; /* of cells: first to first + span */
	uint64_t *words;
};

/* The lowest bits of eight bytes, which are 0 or 1, as one byte. */
static uint64_t gather(const uint8_t flags[64])
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t eight;

		memcpy(&eight, flags + 8 * i, 8);
		bits |= (eight * 0x0102040810204080u >> 56) << 8 * i;
	}
	return bits;
}

/* Compilers make vector instructions of the inner loop. */
#define SELECT(name, type) \
	static void name(const struct range *r, uint64_t first, uint64_t end) \
	{ \
		const type *cells = r->c->cells; \
		type low = (type)r->first, span = (type)r->span; \
\
		for (uint64_t i = first; i < end; i += 64) { \
			uint8_t flags[64] = { 0 }; \
			uint64_t n = end - i < 64 ? end - i : 64; \
\
			if (n == 64) \
				for (unsigned k = 0; k < 64; k++) \
					flags[k] = (type)(cells[i + k] - low) <= span; \
			else \
				for (unsigned k = 0; k < n; k++) \
					flags[k] = (type)(cells[i + k] - low) <= span; \
			r->words[i / 64] = gather(flags); \
		} \
	}

SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)

static void select_keys(const struct range *r, uint64_t first, uint64_t end)
{
	for (uint64_t i = first; i < end; i += 64) {
		uint64_t bits = 0, n = end - i < 64 ? end - i : 64;

		for (uint64_t k = 0; k < n; k++) {
			uint64_t key = ml_samples_key(r->c, ml_samples_bits(r->c, i + k));

			bits |= (uint64_t)(key >= r->low && key <= r->high) << k;
		}
		r->words[i / 64] = bits;
	}
}

static void select_rows(void *arg, uint64_t first, uint64_t end)
{
	const struct range *r = arg;
	bool plain = r->c->kind != ML_SAMPLES_REAL && r->c->base == r->c->min;

	switch (plain ? r->c->width : 0) {
	case 1: select_1(r, first, end); break;
	case 2: select_2(r, first, end); break;
	case 4: select_4(r, first, end); break;
	case 8: select_8(r, first, end); break;
	default: select_keys(r, first, end);
	}
	for (uint64_t w = first / 64; r->c->missing && w < ml_selection_words(end); w++)
		r->words[w] &= ~r->c->missing[w];
}

void ml_selection_keys(struct ml_selection *sel, const struct ml_samples_column *c,
		       uint64_t low, uint64_t high)
{
	uint64_t min = ml_samples_key(c, c->min), max = ml_samples_key(c, c->max);

	if (low > high || low > max || high < min) {
		memset(sel->words, 0, ml_selection_words(sel->rows) * sizeof(uint64_t));
		return;
	}
	low = low > min ? low : min;
	high = high < max ? high : max;
	struct range r = { c, low, high, low - min, high - low, sel->words };
	ml_row_ranges(sel->rows, select_rows, &r);
}

struct names {
	const struct ml_samples_column *c;
	const bool *chosen;
	uint64_t *words;
};

static void select_chosen(void *arg, uint64_t first, uint64_t end)
{
	const struct names *x = arg;

	for (uint64_t i = first; i < end; i += 64) {
		uint64_t bits = 0, n = end - i < 64 ? end - i : 64;

		for (uint64_t k = 0; k < n; k++)
			bits |= (uint64_t)x->chosen[ml_samples_bits(x->c, i + k)] << k;
		if (x->c->missing)
			bits &= ~x->c->missing[i / 64];
		x->words[i / 64] = bits;
	}
}

void ml_selection_names(struct ml_selection *sel, const struct ml_samples_column *c,
			const bool *chosen)
{
	struct names x = { c, chosen, sel->words };
	size_t count = 0, last = 0;

	for (size_t i = 0; i < c->name_count; i++)
		if (chosen[i]) {
			count++;
			last = i;
		}
	if (count == 1)
		ml_selection_keys(sel, c, last, last);
	else
		ml_row_ranges(sel->rows, select_chosen, &x);
}
