#include "lib/samples/information.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

enum { GROUPS = 16, ROWS_MAX = 100000 };

/* The rows that are looked at. */
static uint64_t *choose_rows(const struct ml_samples *s, const struct ml_selection *sel,
			     size_t *count, struct ml_arena *a)
{
	uint64_t all = sel ? ml_selection_count(sel) : s->rows, seen = 0, n = 0;
	uint64_t want = all < ROWS_MAX ? all : ROWS_MAX;
	uint64_t *rows = ml_arena_alloc(a, (want + 1) * sizeof(*rows));

	for (uint64_t i = 0; i < s->rows && n < want; i++) {
		if (sel && !ml_selection_has(sel, i))
			continue;
		/* the n-th of `want` evenly spread ones */
		if (seen++ == (uint64_t)((double)n * (double)all / (double)want))
			rows[n++] = i;
	}
	*count = (size_t)n;
	return rows;
}

struct grouped {
	uint8_t *group;                             /* of each row of the list */
	size_t count;                               /* of groups */
	uint64_t low[GROUPS + 1], high[GROUPS + 1]; /* keys, or the number of a name */
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Puts the keys of the rows that have a value in order; returns their number. Cells of
 * one or two bytes are counted, which costs a tenth of sorting them. */
static size_t sorted_keys(uint64_t *keys, const struct ml_samples_column *c,
			  const uint64_t *rows, size_t n, struct ml_arena *a)
{
	size_t known = 0;

	if (c->width > 2) {
		for (size_t i = 0; i < n; i++)
			if (!ml_samples_missing(c, rows[i]))
				keys[known++] =
					ml_samples_key(c, ml_samples_bits(c, rows[i]));
		qsort(keys, known, sizeof(*keys), by_number);
		return known;
	}
	uint32_t *counts = ml_arena_alloc(a, sizeof(*counts) << 16);
	for (size_t i = 0; i < n; i++)
		if (!ml_samples_missing(c, rows[i]))
			counts[ml_samples_bits(c, rows[i]) - c->base]++;
	for (uint64_t cell = 0; cell < 1 << 16; cell++)
		for (uint32_t k = counts[cell]; k; k--)
			keys[known++] = ml_samples_key(c, c->base + cell);
	return known;
}

/* The i-th key begins a group if it differs from the last and enough keys are before. */
static void group_numbers(struct grouped *g, const struct ml_samples_column *c,
			  const uint64_t *rows, size_t n, struct ml_arena *a)
{
	uint64_t *keys = ml_arena_alloc(a, (n + 1) * sizeof(*keys));
	size_t known = sorted_keys(keys, c, rows, n, a), begin = 0;

	for (size_t i = 1; i <= known; i++) {
		bool last = i == known;

		if (!last && (keys[i] == keys[i - 1] || i - begin < (known + 14) / 15 ||
			      g->count == GROUPS - 2))
			continue;
		g->low[g->count] = keys[begin];
		g->high[g->count++] = keys[i - 1];
		begin = i;
	}
	size_t missing = g->count;
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (ml_samples_missing(c, rows[i])) {
			g->group[i] = (uint8_t)missing;
			any = true;
			continue;
		}
		uint64_t key = ml_samples_key(c, ml_samples_bits(c, rows[i]));
		size_t at = 0;
		while (at + 1 < missing && g->high[at] < key)
			at++;
		g->group[i] = (uint8_t)at;
	}
	if (any)
		g->low[g->count++] = 1; /* above high: no value */
}

struct counted {
	uint64_t count, name;
};

static int by_count(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->name < y->name ? -1 : 1;
}

static void group_names(struct grouped *g, const struct ml_samples_column *c,
			const uint64_t *rows, size_t n, struct ml_arena *a)
{
	struct counted *names = ml_arena_alloc(a, (c->name_count + 1) * sizeof(*names));
	uint8_t *to = ml_arena_alloc(a, c->name_count + 1);
	bool rest = false;

	for (size_t i = 0; i < c->name_count; i++)
		names[i].name = i;
	for (size_t i = 0; i < n; i++)
		names[ml_samples_bits(c, rows[i])].count++;
	qsort(names, c->name_count, sizeof(*names), by_count);
	for (size_t i = 0; i < c->name_count && names[i].count; i++) {
		size_t group = i < GROUPS - 1 ? i : GROUPS - 1;

		rest |= i >= GROUPS - 1;
		to[names[i].name] = (uint8_t)group;
		if (i < GROUPS - 1) {
			g->low[i] = g->high[i] = names[i].name;
			g->count = i + 1;
		}
	}
	if (rest)
		g->low[GROUPS - 1] = 1; /* above high: the rest */
	g->count += rest;
	for (size_t i = 0; i < n; i++)
		g->group[i] = to[ml_samples_bits(c, rows[i])];
}

static struct grouped *group_all(const struct ml_samples *s, const uint64_t *rows,
				 size_t n, struct ml_arena *a)
{
	struct grouped *g = ml_arena_alloc(a, (s->count + 1) * sizeof(*g));

	for (size_t i = 0; i < s->count; i++) {
		struct ml_arena scratch = { 0 };

		g[i].group = ml_arena_alloc(a, n + 1);
		if (s->columns[i].kind == ML_SAMPLES_NAMES)
			group_names(&g[i], &s->columns[i], rows, n, &scratch);
		else
			group_numbers(&g[i], &s->columns[i], rows, n, &scratch);
		ml_arena_release(&scratch);
	}
	return g;
}

static double plogp(double count, double all)
{
	return count > 0 ? -(count / all) * log2(count / all) : 0;
}

static void depend(struct ml_dependence *d, const struct grouped *x,
		   const struct grouped *y, size_t n)
{
	uint32_t joint[GROUPS][GROUPS] = { { 0 } }, px[GROUPS] = { 0 },
		 py[GROUPS] = { 0 };
	double hx = 0, hy = 0, both = 0, all = (double)n;
	unsigned kx = 0, ky = 0, kxy = 0;

	for (size_t i = 0; i < n; i++)
		joint[x->group[i]][y->group[i]]++;
	for (size_t i = 0; i < GROUPS; i++)
		for (size_t j = 0; j < GROUPS; j++) {
			px[i] += joint[i][j];
			py[j] += joint[i][j];
			both += plogp(joint[i][j], all);
			kxy += joint[i][j] != 0;
		}
	for (size_t i = 0; i < GROUPS; i++) {
		hx += plogp(px[i], all);
		hy += plogp(py[i], all);
		kx += px[i] != 0;
		ky += py[i] != 0;
	}
	/* H is (k - 1) / 2n nats too small on average. */
	double bias = ((double)kxy - kx - ky + 1) / (2 * all) / log(2);
	double min = hx < hy ? hx : hy;
	d->bits = hx + hy - both - bias;
	if (d->bits < 0)
		d->bits = 0;
	d->share = min > 0 ? d->bits / min : 0;
	if (d->share > 1)
		d->share = 1;
}

static int by_share(const void *a, const void *b)
{
	const struct ml_dependence *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : 1;
}

size_t ml_information_pairs(struct ml_dependence **list, const struct ml_samples *s,
			    const struct ml_selection *sel, struct ml_arena *a)
{
	size_t n, made = 0;
	const uint64_t *rows = choose_rows(s, sel, &n, a);
	struct grouped *g = group_all(s, rows, n, a);

	*list = ml_arena_alloc(a, (s->count * s->count / 2 + 1) * sizeof(**list));
	for (size_t i = 0; i < s->count; i++)
		for (size_t j = i + 1; j < s->count; j++) {
			if (g[i].count < 2 || g[j].count < 2)
				continue;
			(*list)[made].a = (uint32_t)i;
			(*list)[made].b = (uint32_t)j;
			depend(&(*list)[made++], &g[i], &g[j], n);
		}
	qsort(*list, made, sizeof(**list), by_share);
	return made;
}

static uint64_t unkey(const struct ml_samples_column *c, uint64_t key)
{
	if (c->kind == ML_SAMPLES_SIGNED)
		return key ^ 1ull << 63;
	if (c->kind == ML_SAMPLES_REAL)
		return key >> 63 ? key & ~(1ull << 63) : ~key;
	return key;
}

static void compare(struct ml_special *x, const struct ml_samples_column *c,
		    const struct grouped *g, const uint64_t *rows, size_t n,
		    const struct ml_selection *sel)
{
	double in[GROUPS] = { 0 }, out[GROUPS] = { 0 }, all_in = 0, all_out = 0,
	       grown = -1;

	for (size_t i = 0; i < n; i++)
		*(ml_selection_has(sel, rows[i]) ? &in[g->group[i]]
						 : &out[g->group[i]]) += 1;
	for (size_t i = 0; i < GROUPS; i++) {
		all_in += in[i];
		all_out += out[i];
	}
	for (size_t i = 0; i < g->count && all_in > 0 && all_out > 0; i++) {
		double p = in[i] / all_in, q = out[i] / all_out, mean = (p + q) / 2;

		x->divergence += p > 0 ? p / 2 * log2(p / mean) : 0;
		x->divergence += q > 0 ? q / 2 * log2(q / mean) : 0;
		if (p - q > grown) {
			grown = p - q;
			x->rest = g->low[i] > g->high[i];
			x->inside = p;
			x->outside = q;
			x->low = c->kind == ML_SAMPLES_NAMES ? g->low[i]
							     : unkey(c, g->low[i]);
			x->high = c->kind == ML_SAMPLES_NAMES ? g->high[i]
							      : unkey(c, g->high[i]);
		}
	}
}

static int by_divergence(const void *a, const void *b)
{
	const struct ml_special *x = a, *y = b;

	if (x->divergence != y->divergence)
		return x->divergence > y->divergence ? -1 : 1;
	return x->column < y->column ? -1 : 1;
}

size_t ml_information_special(struct ml_special **list, const struct ml_samples *s,
			      const struct ml_selection *sel, struct ml_arena *a)
{
	struct ml_selection others = ml_selection_all(s->rows, a);
	uint64_t *rows = ml_arena_alloc(a, (2 * ROWS_MAX + 2) * sizeof(*rows));
	size_t n, m, made = 0;

	*list = ml_arena_alloc(a, (s->count + 1) * sizeof(**list));
	ml_selection_combine(&others, sel, ML_SELECTION_REMOVE);
	/* Each side has rows of its own, so that a small selection is not lost. */
	const uint64_t *in = choose_rows(s, sel, &n, a),
		       *out = choose_rows(s, &others, &m, a);
	if (!n || !m)
		return 0;
	for (size_t i = 0; i < n; i++)
		rows[i] = in[i];
	for (size_t i = 0; i < m; i++)
		rows[n + i] = out[i];
	struct grouped *g = group_all(s, rows, n + m, a);
	for (size_t i = 0; i < s->count; i++) {
		if (g[i].count < 2)
			continue;
		(*list)[made].column = (uint32_t)i;
		compare(&(*list)[made++], &s->columns[i], &g[i], rows, n + m, sel);
	}
	qsort(*list, made, sizeof(**list), by_divergence);
	return made;
}
