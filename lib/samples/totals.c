#include "lib/samples/totals.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

double ml_total_mean(const struct ml_total *t)
{
	return t->timed ? (double)t->cycles / (double)t->timed : 0;
}

double ml_total_error(const struct ml_total *t)
{
	double n = (double)t->timed, mean = ml_total_mean(t);

	if (t->timed < 2)
		return 0;
	double variance = (t->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? sqrt(variance / n) : 0;
}

static int compare_values(const struct ml_total *x, const struct ml_total *y)
{
	for (size_t i = 0; i < 2; i++)
		if (x->missing[i] != y->missing[i])
			return x->missing[i] ? 1 : -1;
		else if (x->value[i] != y->value[i])
			return x->value[i] < y->value[i] ? -1 : 1;
	return 0;
}

static int by_cycles(const void *a, const void *b)
{
	const struct ml_total *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return compare_values(x, y);
}

static int by_samples(const void *a, const void *b)
{
	const struct ml_total *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return by_cycles(a, b);
}

static int by_mean(const void *a, const void *b)
{
	double x = ml_total_mean(a), y = ml_total_mean(b);

	return x != y ? (x > y ? -1 : 1) : by_cycles(a, b);
}

void ml_totals_sort(struct ml_total *list, size_t count, enum ml_total_order order)
{
	static int (*const orders[])(const void *,
				     const void *) = { by_cycles, by_samples, by_mean };

	if (count)
		qsort(list, count, sizeof(*list), orders[order]);
}

/* Numbers the values of a column from 1, in the order in which they appear. */
struct numbering {
	const struct ml_samples_column *c;
	struct ml_map map;
	uint32_t next;
};

enum { MISSING = 0 };

static uint32_t number_of(struct numbering *n, uint64_t row)
{
	bool is_new;

	if (!n->c || ml_samples_missing(n->c, row))
		return MISSING;
	uint64_t *v = ml_map_add(&n->map, ml_samples_bits(n->c, row), &is_new);
	if (is_new)
		*v = ++n->next;
	return (uint32_t)*v;
}

static void add(struct ml_total *t, const struct ml_samples_column *latency, uint64_t row)
{
	t->samples++;
	if (latency && !ml_samples_missing(latency, row)) {
		t->timed++;
		t->cycles += ml_samples_bits(latency, row);
		double x = ml_samples_to_real(latency, ml_samples_bits(latency, row));
		t->squares += x * x;
	}
}

void ml_totals_by(struct ml_totals *t, const struct ml_samples *s,
		  const struct ml_selection *sel, int first, int second,
		  enum ml_total_order order, struct ml_arena *a)
{
	const struct ml_samples_column *latency = ml_samples_latency(s);
	struct numbering n[2] = { { .c = &s->columns[first] },
				  { .c = second < 0 ? NULL : &s->columns[second] } };
	struct ml_map groups = { 0 };
	struct ml_total *list = NULL;
	size_t count = 0, cap = 0;

	*t = (struct ml_totals){ 0 };
	for (uint64_t w = 0; w < ml_selection_words(s->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1) {
			uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(bits);
			uint64_t key = (uint64_t)number_of(&n[0], row) << 32 |
				       number_of(&n[1], row);
			bool is_new;
			uint64_t *at = ml_map_add(&groups, key, &is_new);

			if (is_new) {
				*at = count;
				list = ml_grow(list, &cap, count + 1, sizeof(*list));
				for (size_t i = 0; i < 2 && n[i].c; i++) {
					list[count].missing[i] =
						ml_samples_missing(n[i].c, row);
					if (!list[count].missing[i])
						list[count].value[i] =
							ml_samples_bits(n[i].c, row);
				}
				count++;
			}
			add(&list[*at], latency, row);
			add(&t->all, latency, row);
		}
	for (size_t i = 0; i < count; i++)
		list[i].cycles = ml_samples_cycles(list[i].cycles);
	t->all.cycles = ml_samples_cycles(t->all.cycles);
	ml_totals_sort(list, count, order);
	t->list = (struct ml_total *)(void *)ml_arena_copy(a, list ? (void *)list : "",
							   count * sizeof(*list));
	t->count = count;
	ml_free(list);
	ml_map_release(&groups);
	ml_map_release(&n[0].map);
	ml_map_release(&n[1].map);
}
