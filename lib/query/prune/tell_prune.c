#include "lib/query/prune/tell_prune.h"

#include <string.h>

#include "lib/prune/search.h"
#include "lib/query/drawing/sections.h"
#include "lib/query/prune/prune_tables.h"
#include "lib/query/workspace/ask.h"

#define WHAT "a search space"

enum { USUAL = 20, BINS = 60 };

static uint64_t survivors(const struct ml_search *s)
{
	return ml_combos_match(&s->combos, ml_combos_all(&s->combos), 0);
}

/* The values of a parameter: "1 to 320", or its first and last word. */
static const char *range(const struct ml_search *s, size_t p, struct ml_arena *a)
{
	const struct ml_param_range *r = &s->space.params[p];

	return ml_arena_printf(a, "%s to %s", ml_space_value(&s->space, p, r->lo, a),
			       ml_space_value(&s->space, p, r->hi, a));
}

static void put_parameters(struct ml_sections *x, const struct ml_search *s)
{
	static const struct ml_column columns[] = {
		{ "parameter", .kind = ML_COLUMN_TEXT },
		{ "values", .kind = ML_COLUMN_COUNT, .heading = "values at most" },
		{ "range", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = 3 };

	for (size_t p = 0; s->described && p < s->space.param_count; p++) {
		ml_table_text(&t, s->space.params[p].name);
		ml_table_count(&t, s->space.params[p].trips);
		ml_table_text(&t, range(s, p, &x->arena));
	}
	ml_sections_table(x, "parameters", "Parameters", NULL, &t, 0);
}

static void put_constraints(struct ml_sections *x, const struct ml_search *s)
{
	struct ml_prune_order order = { .named = 0 };
	struct ml_err ignored;
	struct ml_table t;

	ml_prune_read_order(&order, &s->combos, NULL, &ignored);
	ml_prune_effects_table(&t, &s->combos, &order);
	ml_sections_table(x, "constraints", "Constraints", "What each one eliminates.",
			  &t, 0);
	ml_prune_combos_table(&t, &s->combos, x->rows);
	ml_sections_table(x, "combinations", "Combinations",
			  "How many variants fail exactly these.", &t, s->combos.count);
}

static void put_facts(struct ml_sections *x, const struct ml_search *s)
{
	const struct ml_combos *t = &s->combos;
	uint32_t set = ml_combos_smallest(t);

	ml_sections_text(x, "name", s->name);
	ml_sections_number(x, "variants", t->total);
	ml_sections_number(x, "survivors", survivors(s));
	if (set)
		ml_sections_text(
			x, survivors(s) ? "smallest_equal_set" : "why_nothing_survives",
			ml_prune_names(t, set, &x->arena));
}

/* Pictures: what constraints eliminate, and which values survive. */
static bool put_pictures(struct ml_sections *x, struct ml_search *s,
			 const struct ml_work *work, struct ml_err *err)
{
	const struct ml_combos *t = &s->combos;
	struct ml_bar bars[ML_COMBOS_CONSTRAINTS];
	struct ml_distribution d[ML_SPACE_PARAMS];
	struct ml_selection_of of = { .care = ml_combos_all(t) };

	for (size_t c = 0; c < t->constraint_count; c++) {
		uint64_t n = ml_combos_match(t, UINT32_C(1) << c, UINT32_C(1) << c);
		char text[ML_NUMBER_ROOM];

		bars[c] = (struct ml_bar){
			t->constraints[c].name,
			ml_arena_strdup(&x->arena, ml_format_count(text, n)), (double)n
		};
	}
	ml_sections_bars(x, "eliminated", "Eliminated",
			 "Variants that each constraint fails.", bars,
			 t->constraint_count);
	if (!s->described || !survivors(s))
		return true;
	if (!ml_variant_list_distributions(d, &s->prune, of, BINS, &x->arena, work, err))
		return false;
	for (size_t p = 0; p < s->space.param_count; p++) {
		double *v = ml_arena_alloc(&x->arena, (d[p].count + 1) * sizeof(*v));
		const struct ml_param_range *r = &s->space.params[p];

		for (size_t i = 0; i < d[p].count; i++)
			v[i] = (double)d[p].bins[i];
		ml_sections_histogram(
			x, ml_arena_printf(&x->arena, "values-%zu", p),
			ml_arena_printf(&x->arena, "Survivors by %s", r->name), NULL, v,
			d[p].count, "variants",
			ml_space_value(&s->space, p, r->lo, &x->arena),
			ml_space_value(&s->space, p, r->hi, &x->arena));
	}
	return true;
}

static bool open_space(struct ml_search *s, const char *path, const struct ml_ask *q,
		       struct ml_err *err)
{
	if (!ml_search_open(s, path, err))
		return false;
	if (ml_search_evaluate(s, ML_PRUNE_AUTO, NULL, 0, q->work, err))
		return true;
	ml_search_close(s);
	return false;
}

static bool tell(const char *path, const struct ml_ask *q, bool page, struct ml_told *t,
		 struct ml_err *err)
{
	struct ml_sections x = { .path = path, .what = WHAT, .rows = ml_ask_rows(q) };
	struct ml_search s;

	if (!open_space(&s, path, q, err))
		return false;
	if (page && !q->top)
		x.rows = USUAL;
	put_facts(&x, &s);
	bool ok = !page || put_pictures(&x, &s, q->work, err);
	put_constraints(&x, &s);
	put_parameters(&x, &s);
	if (ok && page)
		ml_sections_html(&x, &t->out);
	else if (ok)
		ok = ml_sections_tell(&x, q, t, err);
	ml_search_close(&s);
	ml_sections_release(&x);
	return ok;
}

bool ml_prune_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		   struct ml_err *err)
{
	return tell(path, q, false, t, err);
}

bool ml_prune_report(const char *path, const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err)
{
	return tell(path, q, true, t, err);
}

/* ---- two search spaces ---- */

static void put_count(struct ml_table *t, const struct ml_combos *c, const char *name)
{
	size_t at;

	if (ml_combos_find(c, name, &at))
		ml_table_count(t,
			       ml_combos_match(c, UINT32_C(1) << at, UINT32_C(1) << at));
	else
		ml_table_no_value(t);
}

static void put_constraint(struct ml_table *t, const struct ml_combos *a,
			   const struct ml_combos *b, const struct ml_combo_constraint *k)
{
	size_t at;
	bool in_a = ml_combos_find(a, k->name, &at),
	     in_b = ml_combos_find(b, k->name, &at);

	put_count(t, a, k->name);
	put_count(t, b, k->name);
	ml_table_text(t, in_a && in_b ? "" : in_a ? "only A" : "only B");
	ml_table_text(t, k->name);
	ml_table_text(t, k->text);
}

static const char *range_of(const struct ml_search *s, const char *name,
			    struct ml_arena *a)
{
	for (size_t p = 0; s->described && p < s->space.param_count; p++)
		if (!strcmp(s->space.params[p].name, name))
			return range(s, p, a);
	return NULL;
}

static void put_ranges(struct ml_table *t, const struct ml_search *a,
		       const struct ml_search *b, bool only_b, struct ml_arena *arena)
{
	const struct ml_search *s = only_b ? b : a;

	for (size_t p = 0; s->described && p < s->space.param_count; p++) {
		const char *name = s->space.params[p].name;

		if (only_b && range_of(a, name, arena))
			continue;
		ml_table_text(t, name);
		ml_table_text(t, range_of(a, name, arena));
		ml_table_text(t, range_of(b, name, arena));
	}
}

static void compare(struct ml_sections *x, const struct ml_search *a,
		    const struct ml_search *b)
{
	static const struct ml_column constraint_columns[] = {
		{ "eliminated_a", .kind = ML_COLUMN_COUNT, .heading = "eliminated A" },
		{ "eliminated_b", .kind = ML_COLUMN_COUNT, .heading = "eliminated B" },
		{ "side", .kind = ML_COLUMN_TEXT, .heading = "" },
		{ "constraint", .kind = ML_COLUMN_TEXT },
		{ "expression", .kind = ML_COLUMN_TEXT },
	};
	static const struct ml_column range_columns[] = {
		{ "parameter", .kind = ML_COLUMN_TEXT },
		{ "range_a", .kind = ML_COLUMN_TEXT, .heading = "range A" },
		{ "range_b", .kind = ML_COLUMN_TEXT, .heading = "range B" },
	};
	struct ml_table totals = ml_sections_totals(),
			constraints = { .columns = constraint_columns, .width = 5 },
			ranges = { .columns = range_columns, .width = 3 };
	const struct ml_combos *p = &a->combos, *q = &b->combos;
	size_t at;

	ml_sections_total(&totals, "variants", p->total, q->total);
	ml_sections_total(&totals, "survivors", survivors(a), survivors(b));
	ml_sections_total(&totals, "constraints", p->constraint_count,
			  q->constraint_count);
	for (size_t c = 0; c < p->constraint_count; c++)
		put_constraint(&constraints, p, q, &p->constraints[c]);
	for (size_t c = 0; c < q->constraint_count; c++)
		if (!ml_combos_find(p, q->constraints[c].name, &at))
			put_constraint(&constraints, p, q, &q->constraints[c]);
	put_ranges(&ranges, a, b, false, &x->arena);
	put_ranges(&ranges, a, b, true, &x->arena);
	ml_sections_table(x, "totals", "Totals", NULL, &totals, 0);
	ml_sections_table(x, "constraints", "Constraints", NULL, &constraints, 0);
	ml_sections_table(x, "parameters", "Parameters", NULL, &ranges, 0);
}

bool ml_prune_diff(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		   struct ml_err *err)
{
	struct ml_sections x = {
		.path = path[0], .second = path[1], .what = WHAT, .rows = ml_ask_rows(q)
	};
	struct ml_search a, b;

	if (!open_space(&a, path[0], q, err))
		return false;
	bool ok = open_space(&b, path[1], q, err);
	if (ok) {
		compare(&x, &a, &b);
		ok = ml_sections_tell(&x, q, t, err);
		ml_search_close(&b);
	}
	ml_search_close(&a);
	ml_sections_release(&x);
	return ok;
}
