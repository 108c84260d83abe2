#include "lib/query/samples/row_groups.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

/* Numbers of the values of a column, from 1 in order of appearance; 0: no value. */
struct numbering {
	const struct ml_samples_column *c;
	struct ml_map map;
	uint32_t next;
};

static uint32_t number_of(struct numbering *n, uint64_t row)
{
	bool is_new;

	if (!n->c || ml_samples_missing(n->c, row))
		return 0;
	uint64_t *v = ml_map_add(&n->map, ml_samples_bits(n->c, row), &is_new);
	if (is_new)
		*v = ++n->next;
	return (uint32_t)*v;
}

static void add_group(struct ml_row_groups *g, const struct numbering n[2], uint64_t row)
{
	struct ml_total x = { 0 };

	for (size_t i = 0; i < 2 && n[i].c; i++) {
		x.missing[i] = ml_samples_missing(n[i].c, row);
		x.value[i] = x.missing[i] ? 0 : ml_samples_bits(n[i].c, row);
	}
	g->list = ml_grow(g->list, &g->cap, g->count + 1, sizeof(*g->list));
	g->list[g->count++] = x;
}

void ml_row_groups_init(struct ml_row_groups *g, const struct ml_samples *s, int first,
			int second)
{
	struct numbering n[2] = { { .c = &s->columns[first] },
				  { .c = second < 0 ? NULL : &s->columns[second] } };
	struct ml_map groups = { 0 };

	*g = (struct ml_row_groups){ .first = first, .second = second };
	g->of_row = ml_resize(NULL, (s->rows + 1) * sizeof(*g->of_row));
	for (uint64_t row = 0; row < s->rows; row++) {
		uint64_t key = (uint64_t)number_of(&n[0], row) << 32 |
			       number_of(&n[1], row);
		bool is_new;
		uint64_t *at = ml_map_add(&groups, key, &is_new);

		if (is_new) {
			*at = g->count;
			add_group(g, n, row);
		}
		g->of_row[row] = (uint32_t)*at;
	}
	ml_map_release(&groups);
	ml_map_release(&n[0].map);
	ml_map_release(&n[1].map);
}

void ml_row_groups_release(struct ml_row_groups *g)
{
	ml_free(g->of_row);
	ml_free(g->list);
	*g = (struct ml_row_groups){ 0 };
}

/* The counts of each group, in the order of the groups. */
static struct ml_total *count_rows(const struct ml_row_groups *g,
				   const struct ml_samples *s,
				   const struct ml_selection *sel, struct ml_arena *a)
{
	const struct ml_samples_column *latency = ml_samples_latency(s);
	struct ml_total *list = ml_arena_alloc(a, (g->count + 1) * sizeof(*list));

	for (uint64_t w = 0; w < ml_selection_words(s->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1) {
			uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(bits);
			struct ml_total *x = &list[g->of_row[row]];

			x->samples++;
			if (latency && !ml_samples_missing(latency, row)) {
				x->timed++;
				x->cycles += ml_samples_bits(latency, row);
			}
		}
	return list;
}

void ml_row_groups_totals(const struct ml_row_groups *g, struct ml_totals *t,
			  const struct ml_samples *s, const struct ml_selection *sel,
			  enum ml_total_order order, struct ml_arena *a)
{
	struct ml_total *list = count_rows(g, s, sel, a);

	*t = (struct ml_totals){ .list = list };
	for (size_t i = 0; i < g->count; i++) {
		struct ml_total *to = &list[t->count];

		if (!list[i].samples)
			continue;
		*to = list[i];
		memcpy(to->value, g->list[i].value, sizeof(to->value));
		memcpy(to->missing, g->list[i].missing, sizeof(to->missing));
		t->all.samples += to->samples;
		t->all.timed += to->timed;
		t->all.cycles += to->cycles;
		to->cycles = ml_samples_cycles(to->cycles);
		t->count++;
	}
	t->all.cycles = ml_samples_cycles(t->all.cycles);
	ml_totals_sort(t->list, t->count, order);
}
