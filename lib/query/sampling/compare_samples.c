#include "lib/query/sampling/compare_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"
#include "lib/samples/totals.h"

static const struct by {
	const char *name;
	enum ml_samples_role first, second;
} bys[] = {
	{ "totals", ML_SAMPLES_NO_ROLE, ML_SAMPLES_NO_ROLE },
	{ "levels", ML_SAMPLES_LEVEL, ML_SAMPLES_NO_ROLE },
	{ "lines", ML_SAMPLES_FILE, ML_SAMPLES_LINE },
	{ "functions", ML_SAMPLES_FUNCTION, ML_SAMPLES_NO_ROLE },
	{ "variables", ML_SAMPLES_VARIABLE, ML_SAMPLES_NO_ROLE },
	{ NULL, ML_SAMPLES_NO_ROLE, ML_SAMPLES_NO_ROLE },
};

const char *const ml_compare_samples_tables[] = { "totals",    "levels",    "lines",
						  "functions", "variables", NULL };

/* What has one name, on both sides. */
struct row {
	const char *name;
	struct ml_total side[2];
	double share[2]; /* of the side's cycles, or of its samples */
};

struct rows {
	struct row *list;
	size_t count, cap;
	struct ml_names names;
	struct ml_arena arena;
};

static const struct by *find(const char *name)
{
	for (const struct by *b = bys; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

static bool side_has(const struct by *b, const struct ml_samples *s)
{
	return (!b->first || s->role[b->first] >= 0) &&
	       (!b->second || s->role[b->second] >= 0);
}

bool ml_compare_samples_has(const char *name, const struct ml_samples *a,
			    const struct ml_samples *b)
{
	const struct by *by = find(name);

	return by && side_has(by, a) && side_has(by, b);
}

static const char *value_of(struct rows *r, const struct ml_samples *s, int column,
			    const struct ml_total *x, size_t i)
{
	char text[ML_SAMPLES_TEXT];

	return x->missing[i]
		       ? "??"
		       : ml_arena_strdup(&r->arena, ml_samples_text(&s->columns[column],
								    x->value[i], text));
}

/* Files are compared without their folders: the two programs may lie in different ones.
 */
static const char *name_of(struct rows *r, const struct ml_samples *s,
			   const struct by *by, const struct ml_total *x)
{
	const char *name = value_of(r, s, s->role[by->first], x, 0);

	if (!by->second)
		return name;
	const char *slash = strrchr(name, '/');
	return ml_arena_printf(&r->arena, "%s:%s", slash ? slash + 1 : name,
			       value_of(r, s, s->role[by->second], x, 1));
}

static struct row *row_of(struct rows *r, const char *name)
{
	uint32_t at = ml_names_add(&r->names, name);

	if (at == r->count) {
		r->list = ml_grow(r->list, &r->cap, r->count + 1, sizeof(*r->list));
		r->list[r->count++] = (struct row){ .name = name };
	}
	return &r->list[at];
}

static void add_total(struct ml_total *to, const struct ml_total *x)
{
	to->samples += x->samples;
	to->timed += x->timed;
	to->cycles += x->cycles;
	to->squares += x->squares;
}

static void add_side(struct rows *r, const struct ml_samples *s, const struct by *by,
		     size_t side)
{
	struct ml_selection all = ml_selection_all(s->rows, &r->arena);
	struct ml_totals t;

	ml_totals_by(&t, s, &all, by->first ? s->role[by->first] : 0,
		     by->second ? s->role[by->second] : -1, ML_TOTAL_BY_CYCLES,
		     &r->arena);
	if (!by->first) {
		add_total(&row_of(r, "all")->side[side], &t.all);
		return;
	}
	for (size_t i = 0; i < t.count; i++)
		add_total(&row_of(r, name_of(r, s, by, &t.list[i]))->side[side],
			  &t.list[i]);
}

static void set_shares(struct rows *r)
{
	for (size_t side = 0; side < 2; side++) {
		struct ml_total all = { 0 };

		for (size_t i = 0; i < r->count; i++)
			add_total(&all, &r->list[i].side[side]);
		for (size_t i = 0; i < r->count; i++) {
			const struct ml_total *x = &r->list[i].side[side];

			if (all.cycles)
				r->list[i].share[side] = (double)x->cycles /
							 (double)all.cycles;
			else if (all.samples)
				r->list[i].share[side] = (double)x->samples /
							 (double)all.samples;
		}
	}
}

static int by_change(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	double c = fabs(x->share[1] - x->share[0]), d = fabs(y->share[1] - y->share[0]);

	return c != d ? (c > d ? -1 : 1) : strcmp(x->name, y->name);
}

static void put_mean(struct ml_table *t, const struct ml_total *x)
{
	if (x->timed)
		ml_table_real(t, ml_total_mean(x));
	else
		ml_table_no_value(t);
}

static void put_row(struct ml_table *t, const struct row *x)
{
	const struct ml_total *a = &x->side[0], *b = &x->side[1];
	double change = ml_total_mean(b) - ml_total_mean(a),
	       error = hypot(ml_total_error(a), ml_total_error(b));

	ml_table_count(t, a->samples);
	ml_table_count(t, b->samples);
	ml_table_real(t, x->share[0]);
	ml_table_real(t, x->share[1]);
	put_mean(t, a);
	put_mean(t, b);
	if (a->timed && b->timed)
		ml_table_real(t, change);
	else
		ml_table_no_value(t);
	if (a->timed > 1 && b->timed > 1 && error > 0)
		ml_table_real(t, fabs(change) / error);
	else
		ml_table_no_value(t);
	ml_table_text(t, x->name);
}

bool ml_compare_samples(struct ml_table *t, size_t *all, const char *name,
			const struct ml_samples *a, const struct ml_samples *b,
			size_t top, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "samples_a", ML_COLUMN_COUNT, "samples A", 0 },
		{ "samples_b", ML_COLUMN_COUNT, "B", 0 },
		{ "share_a", ML_COLUMN_PERCENT, "share A", 1 },
		{ "share_b", ML_COLUMN_PERCENT, "B", 1 },
		{ "mean_a", ML_COLUMN_REAL, "mean A", 1 },
		{ "mean_b", ML_COLUMN_REAL, "B", 1 },
		{ "change", ML_COLUMN_REAL, NULL, 1 },
		{ "sure", ML_COLUMN_REAL, NULL, 1 },
		{ "name", ML_COLUMN_TEXT, NULL, 0 },
	};
	const struct by *by = find(name);
	struct rows r = { 0 };

	if (!by)
		return ml_fail(
			err, ML_USAGE,
			"there is no table '%s'; tables are totals, levels, lines, "
			"functions and variables",
			name);
	if (!side_has(by, a) || !side_has(by, b))
		return ml_fail(err, ML_USAGE, "%s: no column tells the %s of a sample",
			       (side_has(by, a) ? b : a)->path, by->name);
	add_side(&r, a, by, 0);
	add_side(&r, b, by, 1);
	set_shares(&r);
	if (r.count)
		qsort(r.list, r.count, sizeof(*r.list), by_change);
	*t = (struct ml_table){ .columns = heads, .width = 9 };
	for (size_t i = 0; i < r.count && i < top; i++)
		put_row(t, &r.list[i]);
	*all = r.count;
	ml_free(r.list);
	ml_names_release(&r.names);
	ml_arena_release(&r.arena);
	return true;
}
