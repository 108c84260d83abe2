#include "lib/query/ensemble/ensemble_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/query/ensemble/ensemble_axes.h"

void ml_ensemble_table_release(struct ml_ensemble_table *t)
{
	ml_table_release(&t->table);
	ml_free(t->columns);
	ml_arena_release(&t->arena);
}

static void start(struct ml_ensemble_table *t)
{
	*t = (struct ml_ensemble_table){ 0 };
}

/* All columns must be added before the first cell. */
static void column(struct ml_ensemble_table *t, const char *key, enum ml_column_kind kind,
		   int decimals)
{
	t->columns = ml_grow(t->columns, &t->column_cap, t->table.width + 1,
			     sizeof(*t->columns));
	t->columns[t->table.width++] = (struct ml_column){
		.key = ml_arena_strdup(&t->arena, key), .kind = kind, .decimals = decimals
	};
	t->table.columns = t->columns;
}

static void real(struct ml_ensemble_table *t, double v)
{
	if (isfinite(v))
		ml_table_real(&t->table, v);
	else
		ml_table_no_value(&t->table);
}

static const struct ml_ensemble *ensemble(const struct ml_ensemble_ask *q)
{
	return ml_curves_ensemble(q->curves);
}

static size_t how_many(const struct ml_ensemble_ask *q)
{
	return q->members ? q->count : ensemble(q)->member_count;
}

static uint32_t member_of(const struct ml_ensemble_ask *q, size_t i)
{
	return q->members ? q->members[i] : (uint32_t)i;
}

static int by_rank(const void *a, const void *b)
{
	const struct ml_ranked *x = a, *y = b;
	double v = x->more_is_better ? -x->value : x->value,
	       w = x->more_is_better ? -y->value : y->value;

	if (isnan(v) != isnan(w))
		return isnan(v) ? 1 : -1;
	if (v < w || v > w)
		return v < w ? -1 : 1;
	return x->member < y->member ? -1 : 1;
}

void ml_ensemble_rank(const struct ml_ensemble_ask *q, struct ml_ranked *rows)
{
	for (size_t i = 0; i < how_many(q); i++) {
		uint32_t m = member_of(q, i);

		rows[i] = (struct ml_ranked){ ml_curve_total(q->curves, m, q->o, q->from,
							     q->to),
					      m, ml_measure_more_is_better(q->o) };
	}
	qsort(rows, how_many(q), sizeof(*rows), by_rank);
}

static double position(const struct ml_curve_options *o, uint32_t trace, double common)
{
	return o->matching ? ml_time_match_position(o->matching, trace, common) : common;
}

double ml_ensemble_references(const struct ml_ensemble_ask *q, uint32_t member)
{
	const struct ml_ensemble *e = ensemble(q);
	uint32_t t = e->members[member].trace;
	double refs = (double)ml_ensemble_refs(&e->traces[t]);
	double from = position(q->o, t, q->from), to = position(q->o, t, q->to);

	return (to < refs ? to : refs) - (from < refs ? from : refs);
}

static enum ml_column_kind kind_of(enum ml_measure m)
{
	return m == ML_MEASURE_SERVED || m == ML_MEASURE_MISS ? ML_COLUMN_PERCENT
							      : ML_COLUMN_REAL;
}

/* The column "memory" is the share of the references that memory serves. */
static const char *measure_column(const struct ml_curve_options *o)
{
	return o->measure == ML_MEASURE_MEMORY ? "memory_bytes"
					       : ml_measure_names[o->measure];
}

/* The member with the most levels, whose levels name the columns. */
static const struct ml_machine *deepest(const struct ml_ensemble_ask *q)
{
	const struct ml_ensemble *e = ensemble(q);
	const struct ml_machine *best = NULL;

	for (size_t i = 0; i < how_many(q); i++) {
		const struct ml_machine *m = &e->members[member_of(q, i)].parsed;

		if (!best || m->levels > best->levels)
			best = m;
	}
	return best;
}

static void level_columns(struct ml_ensemble_table *t, const struct ml_machine *m,
			  enum ml_column_kind kind)
{
	for (unsigned k = 1; m && k <= m->levels + 1; k++)
		column(t, ml_machine_level_name(m, k), kind, 2);
}

/* A member's value in the window of a measure that may differ from the asked one. */
static double other(const struct ml_ensemble_ask *q, uint32_t member,
		    enum ml_measure measure, unsigned level, double from, double to)
{
	struct ml_curve_options o = *q->o;

	o.measure = measure;
	o.level = level;
	o.against = SIZE_MAX;
	o.volume = false;
	return ml_curve_total(q->curves, member, &o, from, to);
}

/* A share, or a count of references; the count is whole if cells end on bins. */
static void level_cell(struct ml_ensemble_table *t, double refs, double share)
{
	double v = refs * share, whole = round(v);

	real(t, refs > 1 && fabs(v - whole) < 1e-6 * refs ? whole : v);
}

/* Shares by level, memory last. Levels that the member lacks stay empty. */
static void level_cells(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			uint32_t member, unsigned levels, double from, double to,
			double refs)
{
	unsigned own = ensemble(q)->members[member].parsed.levels;

	for (unsigned k = 1; k <= levels + 1; k++) {
		unsigned level = k <= levels ? k : own + 1;

		if (k <= levels && k > own)
			ml_table_no_value(&t->table);
		else
			level_cell(t, refs,
				   other(q, member, ML_MEASURE_SERVED, level, from, to));
	}
}

static void param_columns(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q)
{
	for (size_t i = 0; !q->brief && i < q->axes->count; i++)
		column(t, q->axes->at[i].name, ML_COLUMN_TEXT, 0);
	column(t, "label", ML_COLUMN_TEXT, 0);
}

static void param_cells(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			uint32_t member)
{
	for (size_t i = 0; !q->brief && i < q->axes->count; i++)
		ml_table_text(&t->table, ml_axis_value(&q->axes->at[i], member));
	ml_table_text(&t->table, ensemble(q)->members[member].label);
}

void ml_ensemble_ranking(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q)
{
	const struct ml_ensemble *e = ensemble(q);
	struct ml_curve_options alone = *q->o;
	struct ml_ensemble_ask ask = *q;
	bool against = q->o->against < e->member_count;
	const struct ml_machine *deep = deepest(q);
	double base = NAN;

	start(t);
	alone.against = SIZE_MAX;
	ask.o = &alone;
	if (against)
		base = ml_curve_total(q->curves, q->o->against, &alone, q->from, q->to);
	column(t, "member", ML_COLUMN_COUNT, 0);
	column(t, measure_column(q->o), kind_of(q->o->measure), 2);
	if (against) {
		column(t, "difference", kind_of(q->o->measure), 2);
		column(t, "relative", ML_COLUMN_PERCENT, 1);
	}
	if (q->o->measure != ML_MEASURE_TIME || q->o->volume)
		column(t, "cycles", ML_COLUMN_REAL, 2);
	level_columns(t, deep, ML_COLUMN_PERCENT);
	if (q->o->measure != ML_MEASURE_MEMORY)
		column(t, "memory_bytes", ML_COLUMN_REAL, 2);
	column(t, "references", ML_COLUMN_COUNT, 0);
	param_columns(t, q);
	struct ml_ranked *rows = ml_arena_alloc(&t->arena,
						(how_many(q) + 1) * sizeof(*rows));
	ml_ensemble_rank(&ask, rows);
	for (size_t i = 0; i < how_many(q); i++) {
		uint32_t m = rows[i].member;

		ml_table_count(&t->table, m);
		real(t, rows[i].value);
		if (against) {
			real(t, rows[i].value - base);
			real(t, rows[i].value / base - 1);
		}
		if (q->o->measure != ML_MEASURE_TIME || q->o->volume)
			real(t, other(q, m, ML_MEASURE_TIME, 1, q->from, q->to));
		level_cells(t, q, m, deep->levels, q->from, q->to, 1);
		if (q->o->measure != ML_MEASURE_MEMORY)
			real(t, other(q, m, ML_MEASURE_MEMORY, 1, q->from, q->to));
		ml_table_count(&t->table,
			       (uint64_t)llround(ml_ensemble_references(q, m)));
		param_cells(t, q, m);
	}
}

/*
 * The beginning of cell c. In raw time it is the beginning of a bin, so that counts are
 * whole.
 */
static double cell_start(const struct ml_ensemble_ask *q, size_t c, size_t cells)
{
	const struct ml_ensemble *e = ensemble(q);
	double at = q->from + (q->to - q->from) * (double)c / (double)cells;
	unsigned bits = 0;

	if (c == 0 || c == cells ||
	    (q->o->matching && q->o->matching->how != ML_TIME_MATCH_RAW))
		return at;
	for (size_t i = 0; i < e->trace_count; i++)
		bits = e->traces[i].bits > bits ? e->traces[i].bits : bits;
	double width = (double)((uint64_t)1 << bits);
	return fmin(fmax(round(at / width) * width, q->from), q->to);
}

void ml_ensemble_series(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			size_t cells)
{
	const struct ml_machine *deep = deepest(q);

	start(t);
	column(t, "member", ML_COLUMN_COUNT, 0);
	param_columns(t, q);
	column(t, "from", ML_COLUMN_REAL, 0);
	column(t, "to", ML_COLUMN_REAL, 0);
	column(t, "references", ML_COLUMN_REAL, 0);
	level_columns(t, deep, ML_COLUMN_REAL);
	column(t, measure_column(q->o), kind_of(q->o->measure), 3);
	column(t, "low", kind_of(q->o->measure), 3);
	column(t, "high", kind_of(q->o->measure), 3);
	column(t, "deviation", kind_of(q->o->measure), 3);
	for (size_t i = 0; i < how_many(q); i++)
		for (size_t c = 0; c < cells; c++) {
			uint32_t m = member_of(q, i);
			struct ml_ensemble_ask cell = *q;
			double v[4];

			cell.from = cell_start(q, c, cells);
			cell.to = cell_start(q, c + 1, cells);
			double refs = ml_ensemble_references(&cell, m);
			if (!(refs > 0))
				continue;
			ml_curve(q->curves, m, q->o, cell.from, cell.to, 1, &v[0], &v[1],
				 &v[2], &v[3]);
			ml_table_count(&t->table, m);
			param_cells(t, q, m);
			real(t, cell.from);
			real(t, cell.to);
			real(t, refs);
			level_cells(t, q, m, deep->levels, cell.from, cell.to, refs);
			for (size_t k = 0; k < 4; k++)
				real(t, v[k]);
		}
}

void ml_ensemble_matching(struct ml_ensemble_table *t, const struct ml_ensemble *e,
			  const struct ml_time_matching *m, size_t max)
{
	size_t shown = m->knots < max || max < 2 ? m->knots : max;

	start(t);
	column(t, "milestone", ML_COLUMN_TEXT, 0);
	column(t, "visit", ML_COLUMN_COUNT, 0);
	for (size_t i = 0; i < e->trace_count; i++) {
		column(t, ml_arena_printf(&t->arena, "%s at", e->traces[i].label),
		       ML_COLUMN_COUNT, 0);
		column(t, ml_arena_printf(&t->arena, "%s references", e->traces[i].label),
		       ML_COLUMN_COUNT, 0);
	}
	for (size_t i = 0; i < shown; i++) {
		size_t k = i * (m->knots - 1) / (shown - 1);
		size_t next = i + 1 < shown ? (i + 1) * (m->knots - 1) / (shown - 1) : 0;

		ml_table_text(&t->table, m->name[k]);
		if (m->visit[k])
			ml_table_count(&t->table, m->visit[k]);
		else
			ml_table_no_value(&t->table);
		for (size_t x = 0; x < e->trace_count; x++) {
			ml_table_count(&t->table, m->at[x][k]);
			if (next)
				ml_table_count(&t->table, m->at[x][next] - m->at[x][k]);
			else
				ml_table_no_value(&t->table);
		}
	}
}

/* The values of all ways over the window. */
static double *values_of(const struct ml_ensemble_ask *q, const struct ml_shared_cache *s,
			 struct ml_arena *a)
{
	double *v = ml_arena_alloc(a, (s->count + 1) * sizeof(*v));
	struct ml_curve_options whole = *q->o;

	whole.window = 0;
	ml_shared_cache_curves(q->curves, s, &whole, 0, q->from, q->to, 1, v, NULL, NULL);
	return v;
}

void ml_ensemble_ways(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
		      const struct ml_shared_cache *s)
{
	const struct ml_ensemble *e = ensemble(q);

	start(t);
	column(t, ml_measure_names[q->o->measure], kind_of(q->o->measure), 3);
	column(t, "starved", ML_COLUMN_COUNT, 0);
	for (unsigned i = 0; i < s->threads; i++)
		column(t, ml_arena_printf(&t->arena, "size_%u", i + 1), ML_COLUMN_BYTES,
		       0);
	double *v = values_of(q, s, &t->arena);
	struct ml_ranked *rows = ml_arena_alloc(&t->arena,
						(s->count + 1) * sizeof(*rows));
	for (uint32_t i = 0; i < s->count; i++)
		rows[i] = (struct ml_ranked){ v[i], i, ml_measure_more_is_better(q->o) };
	qsort(rows, s->count, sizeof(*rows), by_rank);
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_shared_cache_member *way = &s->at[rows[i].member];

		real(t, rows[i].value);
		ml_table_count(&t->table, way->starved);
		for (unsigned k = 0; k < s->threads; k++)
			ml_table_count(&t->table,
				       (uint64_t)ml_curve_number(
					       &e->members[way->member[k]], s->param));
	}
}

void ml_ensemble_clusters(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			  const struct ml_shared_cache *s)
{
	enum ml_column_kind kind = kind_of(q->o->measure);

	start(t);
	column(t, "starved", ML_COLUMN_COUNT, 0);
	column(t, "ways", ML_COLUMN_COUNT, 0);
	column(t, "mean", kind, 3);
	column(t, "deviation", kind, 3);
	column(t, "least", kind, 3);
	column(t, "greatest", kind, 3);
	double *v = values_of(q, s, &t->arena);
	for (unsigned starved = 0; starved <= s->threads; starved++) {
		double min = INFINITY, max = -INFINITY, mean, deviation;
		double *of = ml_arena_alloc(&t->arena, (s->count + 1) * sizeof(*of));
		size_t n = 0;

		for (size_t i = 0; i < s->count; i++) {
			if (s->at[i].starved != starved || isnan(v[i]))
				continue;
			of[n++] = v[i];
			min = v[i] < min ? v[i] : min;
			max = v[i] > max ? v[i] : max;
		}
		if (!n)
			continue;
		ml_curve_spread(of, n, 1, &mean, &deviation);
		ml_table_count(&t->table, starved);
		ml_table_count(&t->table, n);
		real(t, mean);
		real(t, deviation);
		real(t, min);
		real(t, max);
	}
}
