#include "lib/query/trace/tables/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/path.h"
#include "lib/query/trace/tables/source_lines.h"
#include "lib/query/trace/tables/analysed_trace.h"

double ml_compare_change(double a, double b)
{
	if (a > 0)
		return (b - a) / a;
	return b > 0 ? INFINITY : 0;
}

/*
 * Finds the misses of a level by its name, in references. False: there is no such level.
 */
static bool missed_at(const struct ml_analysed_trace *s, const char *level,
		      double *missed)
{
	const struct ml_machine *m = &s->simulation.profile->machine;

	for (unsigned i = 0; i < m->levels; i++)
		if (!strcmp(m->level[i].name, level)) {
			*missed = (double)s->rows.total.missed[i];
			return true;
		}
	return false;
}

static void add_total(struct ml_compare *c, const char *key, const char *name, bool real,
		      double a, double b)
{
	*ML_ADD(c->totals) = (struct ml_compare_total){ key, name, real, a, b };
}

static void make_totals(struct ml_compare *c)
{
	const struct ml_profile *p = c->a->simulation.profile,
				*q = c->b->simulation.profile;
	const struct ml_machine *m = &p->machine;

	add_total(c, "references", "references", false, (double)p->refs, (double)q->refs);
	for (unsigned i = 0; i < m->levels; i++) {
		double a = 0, b = 0;

		missed_at(c->a, m->level[i].name, &a);
		if (missed_at(c->b, m->level[i].name, &b))
			add_total(
				c,
				ml_arena_printf(&c->arena, "%s.misses", m->level[i].name),
				ml_arena_printf(&c->arena, "misses of %s",
						m->level[i].name),
				false, a, b);
	}
	add_total(c, "memory", "served by memory", false,
		  (double)p->served[m->levels + 1],
		  (double)q->served[q->machine.levels + 1]);
	add_total(c, "cycles", "cycles a reference", true, p->cycles, q->cycles);
	add_total(c, "total_cycles", "cycles in all", false, p->cycles * (double)p->refs,
		  q->cycles * (double)q->refs);
}

/* A row of one side that looks for its partner on the other side. */
struct item {
	const char *key;      /* the first match is by this */
	const char *fallback; /* the second match is by this; NULL: none */
	struct ml_compare_row row;
	const struct ml_profile_count *count;
	bool taken;
};

struct items {
	struct item *at;
	size_t count, cap;
};

static int by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = strcmp(x->row.file, y->row.file);

	if (order)
		return order;
	return x->row.line_a < y->row.line_a ? -1 : x->row.line_a > y->row.line_a;
}

/*
 * Tells equal keys apart by their order: the second `i++` of a function matches the
 * second one.
 */
static void number_keys(struct items *items, struct ml_arena *a)
{
	struct ml_names names = { 0 };
	uint32_t *times = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < items->count; i++) {
		struct item *x = &items->at[i];
		uint32_t name = ml_names_add(&names, x->key);

		times = ml_grow(times, &cap, (size_t)name + 1, sizeof(*times));
		if (times[name]++)
			x->key = ml_arena_printf(a, "%s\n%u", x->key, times[name]);
	}
	ml_free(times);
	ml_names_release(&names);
}

static struct items items_of_lines(struct ml_analysed_trace *s, struct ml_arena *a)
{
	struct ml_source_lines sources = { .trace = &s->trace };
	struct items items = { 0 };

	for (size_t i = 0; i < s->rows.lines.count; i++) {
		const struct ml_profile_line_row *r = &s->rows.lines.at[i];
		const char *text = r->at.line ? ml_source_lines_find(&sources, r->at.file,
								     r->at.line)
					      : NULL;
		const char *file = ml_path_name(r->at.file);
		struct item *x = ML_ADD(items);

		x->count = &r->count;
		x->row.file = r->at.file;
		x->row.func = r->at.func;
		x->row.line_a = r->at.line;
		x->row.text = text && *text ? ml_arena_strdup(a, text) : NULL;
		x->row.name = !r->at.own   ? "none of yours"
			      : r->at.line ? ml_arena_printf(a, "%s:%u", file, r->at.line)
			      : *r->at.func ? r->at.func
					    : "unknown";
		x->fallback = x->row.name;
		x->key = x->row.text ? ml_arena_printf(a, "%s\n%s\n%s", file, r->at.func,
						       text)
				     : x->row.name;
	}
	ml_source_lines_release(&sources);
	if (items.count)
		qsort(items.at, items.count, sizeof(*items.at), by_place);
	number_keys(&items, a);
	return items;
}

static struct items items_of_regions(struct ml_analysed_trace *s, struct ml_arena *a)
{
	struct items items = { 0 };

	for (size_t i = 0; i < s->rows.regions.count; i++) {
		const struct ml_profile_region_row *r = &s->rows.regions.at[i];
		struct item *x = ML_ADD(items);

		x->count = &r->count;
		x->row.name = x->key = r->name;
		x->row.file = x->row.func = "";
	}
	number_keys(&items, a);
	return items;
}

static void put_pair(struct ml_compare_row *row, struct item *a, struct item *b)
{
	*row = b ? b->row : a->row;
	row->in_a = a;
	row->in_b = b;
	row->line_a = a ? a->row.line_a : 0;
	row->line_b = b ? b->row.line_a : 0;
	if (a) {
		row->a = *a->count;
		a->taken = true;
	}
	if (b) {
		row->b = *b->count;
		b->taken = true;
	}
}

static int by_change(const void *a, const void *b)
{
	const struct ml_compare_row *x = a, *y = b;
	double s = fabs(x->b.lost - x->a.lost), t = fabs(y->b.lost - y->a.lost);

	if (s < t || s > t)
		return s > t ? -1 : 1;
	s = x->a.lost + x->b.lost;
	t = y->a.lost + y->b.lost;
	if (s < t || s > t)
		return s > t ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Matches items by key, then the remaining ones by fallback. Items without a partner
 * become rows of one side.
 */
static size_t match(struct items *a, struct items *b, struct ml_compare_row *rows)
{
	size_t count = 0;

	for (unsigned round = 0; round < 2; round++) {
		struct ml_names names = { 0 };
		size_t *at = ml_resize(NULL, (b->count + 1) * sizeof(*at));

		for (size_t i = 0; i < b->count; i++) {
			const char *key = round ? b->at[i].fallback : b->at[i].key;
			size_t known = names.count;

			if (!b->at[i].taken && key && ml_names_add(&names, key) == known)
				at[known] = i;
		}
		for (size_t i = 0; i < a->count; i++) {
			const char *key = round ? a->at[i].fallback : a->at[i].key;
			uint32_t name = !a->at[i].taken && key
						? ml_names_find(&names, key)
						: UINT32_MAX;

			if (name != UINT32_MAX && !b->at[at[name]].taken)
				put_pair(&rows[count++], &a->at[i], &b->at[at[name]]);
		}
		ml_names_release(&names);
		ml_free(at);
	}
	for (size_t i = 0; i < a->count; i++)
		if (!a->at[i].taken)
			put_pair(&rows[count++], &a->at[i], NULL);
	for (size_t i = 0; i < b->count; i++)
		if (!b->at[i].taken)
			put_pair(&rows[count++], NULL, &b->at[i]);
	if (count)
		qsort(rows, count, sizeof(*rows), by_change);
	ml_free(a->at);
	ml_free(b->at);
	return count;
}

static void make_rows(struct ml_compare *c)
{
	struct items a = items_of_lines(c->a, &c->arena);
	struct items b = items_of_lines(c->b, &c->arena);

	c->lines.at = ml_grow(NULL, &c->lines.cap, a.count + b.count + 1,
			      sizeof(*c->lines.at));
	c->lines.count = match(&a, &b, c->lines.at);
	a = items_of_regions(c->a, &c->arena);
	b = items_of_regions(c->b, &c->arena);
	c->regions.at = ml_grow(NULL, &c->regions.cap, a.count + b.count + 1,
				sizeof(*c->regions.at));
	c->regions.count = match(&a, &b, c->regions.at);
}

static const struct ml_finding *find_same(const struct ml_findings *in,
					  const struct ml_finding *n)
{
	for (size_t i = 0; i < in->count; i++) {
		const struct ml_finding *x = &in->at[i];

		if (!strcmp(x->kind, n->kind) && !strcmp(x->region, n->region) &&
		    !strcmp(x->func, n->func))
			return x;
	}
	return NULL;
}

static void make_findings(struct ml_compare *c)
{
	const struct ml_findings *a = &c->a->findings, *b = &c->b->findings;

	for (size_t i = 0; i < b->count; i++)
		if (!find_same(a, &b->at[i]))
			*ML_ADD(c->findings) = (struct ml_compare_finding){
				ML_COMPARE_NEW, NULL, &b->at[i]
			};
	for (size_t i = 0; i < a->count; i++)
		if (!find_same(b, &a->at[i]))
			*ML_ADD(c->findings) = (struct ml_compare_finding){
				ML_COMPARE_GONE, &a->at[i], NULL
			};
	for (size_t i = 0; i < b->count; i++) {
		const struct ml_finding *x = find_same(a, &b->at[i]);

		if (x)
			*ML_ADD(c->findings) = (struct ml_compare_finding){
				ML_COMPARE_STAYED, x, &b->at[i]
			};
	}
}

void ml_compare_make(struct ml_compare *c, struct ml_analysed_trace *a,
		     struct ml_analysed_trace *b)
{
	*c = (struct ml_compare){ .a = a, .b = b };
	make_totals(c);
	make_rows(c);
	make_findings(c);
}

void ml_compare_release(struct ml_compare *c)
{
	ml_free(c->totals.at);
	ml_free(c->lines.at);
	ml_free(c->regions.at);
	ml_free(c->findings.at);
	ml_arena_release(&c->arena);
}
