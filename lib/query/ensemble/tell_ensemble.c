#include "lib/query/ensemble/tell_ensemble.h"

#include <string.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/time_match.h"
#include "lib/query/drawing/sections.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/ensemble/ensemble_tables.h"
#include "lib/query/ensemble/picture_ensemble.h"
#include "lib/query/workspace/ask.h"

#define WHAT "an ensemble of simulations"

enum { USUAL = 40 };

static uint64_t done(const struct ml_ensemble *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->member_count; i++)
		n += e->members[i].done;
	return n;
}

static void put_traces(struct ml_sections *x, const struct ml_ensemble *e)
{
	static const struct ml_column columns[] = {
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "from", .kind = ML_COLUMN_COUNT },
		{ "milestones", .kind = ML_COLUMN_COUNT },
		{ "trace", .kind = ML_COLUMN_TEXT },
		{ "file", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = 5 };

	for (size_t i = 0; i < e->trace_count; i++) {
		const struct ml_ensemble_trace *r = &e->traces[i];

		ml_table_count(&t, ml_ensemble_refs(r));
		ml_table_count(&t, r->from);
		ml_table_count(&t, r->milestone_count);
		ml_table_text(&t, r->label);
		ml_table_text(&t, r->path);
	}
	ml_sections_table(x, "traces", "Traces", NULL, &t, 0);
}

static void put_parameters(struct ml_sections *x, const struct ml_axes *axes)
{
	static const struct ml_column columns[] = {
		{ "parameter", .kind = ML_COLUMN_TEXT },
		{ "effect", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "values", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = 3 };

	for (size_t i = 0; i < axes->count; i++) {
		const struct ml_axis *a = &axes->at[i];
		const char *values = "";

		for (size_t k = 0; k < a->count; k++)
			values = ml_arena_printf(&x->arena, "%s%s%s", values,
						 k ? ", " : "", a->values[k]);
		ml_table_text(&t, a->name);
		ml_table_real(&t, a->effect);
		ml_table_text(&t, values);
	}
	ml_sections_table(
		x, "parameters", "Parameters",
		"What members differ by, and how much of the variance of the access time "
		"each explains.",
		&t, 0);
}

static bool put_members(struct ml_sections *x, const struct ml_ensemble *e,
			const struct ml_axes *axes, bool brief, struct ml_err *err)
{
	struct ml_time_matching matching;
	struct ml_curve_options o = { .level = 1,
				      .matching = &matching,
				      .against = SIZE_MAX };
	struct ml_ensemble_ask ask = { .axes = axes, .o = &o, .brief = brief };
	struct ml_ensemble_table t;

	if (!ml_time_match(&matching, e, ML_TIME_MATCH_RAW, NULL, 0, 0, &x->arena, err))
		return false;
	struct ml_curves *curves = ml_curves_open(e);
	ask.curves = curves;
	ask.to = ml_time_match_end(&matching);
	ml_ensemble_ranking(&t, &ask);
	ml_sections_table(x, "members", "Members", "Cycles a reference, the best first.",
			  &t.table, 0);
	ml_ensemble_table_release(&t);
	ml_curves_close(curves);
	return true;
}

static bool fill(struct ml_sections *x, const struct ml_ensemble *e,
		 const struct ml_axes *axes, bool brief, struct ml_err *err)
{
	uint64_t finished = done(e);

	ml_sections_number(x, "simulated", finished);
	ml_sections_number(x, "to_simulate", e->member_count - finished);
	ml_sections_number(x, "runs", e->trace_count);
	if (finished < e->member_count)
		ml_sections_note(x, "Members that are not simulated yet have no values; "
				    "the command that made the file continues it.");
	if (finished && !put_members(x, e, axes, brief, err))
		return false;
	put_parameters(x, axes);
	put_traces(x, e);
	return true;
}

/* Of plots that need a parameter only those that this ensemble has parameters for. */
static bool has_plot(enum ml_ensemble_plot plot, const struct ml_axes *axes)
{
	bool size = false;

	for (size_t i = 0; i < axes->count; i++)
		size |= ml_axis_is_size(&axes->at[i]);
	switch (plot) {
	case ML_PLOT_PARAMETER: return axes->count;
	case ML_PLOT_MAP: return axes->count > 1;
	case ML_PLOT_WORKING_SET: return size;
	default: return plot == ML_PLOT_CURVES || plot == ML_PLOT_SPREAD;
	}
}

static void put_plots(struct ml_sections *x, const struct ml_ensemble *e,
		      const struct ml_axes *axes, const struct ml_work *work)
{
	for (enum ml_ensemble_plot k = 0; k < ML_PLOTS; k++) {
		struct ml_picture_ensemble p = { .kind = k,
						 .curve.against = SIZE_MAX,
						 .work = work };
		struct ml_buf svg = { 0 };
		struct ml_err err;

		if (!has_plot(k, axes))
			continue;
		/* which plots there are sense in, the plots know best */
		if (ml_picture_ensemble(e, &p, &svg, &err)) {
			struct ml_buf *out = ml_sections_markup(
				x, ml_ensemble_plot_names[k], ml_ensemble_plot_titles[k],
				ml_ensemble_plot_helps[k]);

			ml_buf_text(out, "<figure>");
			ml_buf_put(out, svg.data, svg.size);
			ml_buf_text(out, "</figure>\n");
		}
		ml_buf_release(&svg);
	}
}

static bool tell(const char *path, const struct ml_ask *q, bool page, struct ml_told *t,
		 struct ml_err *err)
{
	struct ml_sections x = { .path = path, .what = WHAT, .rows = ml_ask_rows(q) };
	struct ml_ensemble e;
	struct ml_axes axes;

	ml_ensemble_init(&e);
	bool ok = ml_ensemble_open(&e, path, err);
	if (page && !q->top)
		x.rows = USUAL;
	if (ok)
		ml_ensemble_axes(&axes, &e, &x.arena);
	if (ok && page && done(&e))
		put_plots(&x, &e, &axes, q->work);
	ok = ok && fill(&x, &e, &axes, q->form == ML_FORM_TEXT, err);
	if (ok && page)
		ml_sections_html(&x, &t->out);
	else if (ok)
		ok = ml_sections_tell(&x, q, t, err);
	ml_ensemble_release(&e);
	ml_sections_release(&x);
	return ok;
}

bool ml_ensemble_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		      struct ml_err *err)
{
	return tell(path, q, false, t, err);
}

bool ml_ensemble_report(const char *path, const struct ml_ask *q, struct ml_told *t,
			struct ml_err *err)
{
	return tell(path, q, true, t, err);
}

/* ---- two ensembles ---- */

/*
 * The member of the other ensemble on the same machine, of the trace with the same label;
 * if both have one trace, of that one: it may be another recording.
 */
static const struct ml_member *partner(const struct ml_ensemble *e,
				       const struct ml_member *m,
				       const struct ml_ensemble *other)
{
	bool alone = e->trace_count == 1 && other->trace_count == 1;

	for (size_t i = 0; i < other->member_count; i++) {
		const struct ml_member *o = &other->members[i];

		if (!strcmp(o->machine, m->machine) &&
		    (alone ||
		     !strcmp(other->traces[o->trace].label, e->traces[m->trace].label)))
			return o;
	}
	return NULL;
}

static void put_cycles(struct ml_table *t, const struct ml_member *m)
{
	if (m && m->done)
		ml_table_real(t, ml_member_cycles(m));
	else
		ml_table_no_value(t);
}

/* The share of the references that memory served. */
static void put_memory(struct ml_table *t, const struct ml_member *m)
{
	uint64_t refs = 0;

	for (unsigned k = 1; m && m->done && k <= m->parsed.levels + 1; k++)
		refs += m->total[k];
	if (refs)
		ml_table_real(t, (double)m->total[m->parsed.levels + 1] / (double)refs);
	else
		ml_table_no_value(t);
}

static void put_pair(struct ml_table *t, const struct ml_member *a,
		     const struct ml_member *b)
{
	double before = a && a->done ? ml_member_cycles(a) : 0;

	put_cycles(t, a);
	put_cycles(t, b);
	if (before > 0 && b && b->done)
		ml_table_real(t, ml_member_cycles(b) / before - 1);
	else
		ml_table_no_value(t);
	put_memory(t, a);
	put_memory(t, b);
	ml_table_text(t, a && b ? "" : a ? "only A" : "only B");
	ml_table_text(t, a ? a->label : b->label);
	ml_table_text(t, a ? a->machine : b->machine);
}

static void compare(struct ml_sections *x, const struct ml_ensemble *a,
		    const struct ml_ensemble *b)
{
	static const struct ml_column columns[] = {
		{ "cycles_a", .kind = ML_COLUMN_REAL, "cycles A", 2 },
		{ "cycles_b", .kind = ML_COLUMN_REAL, "cycles B", 2 },
		{ "change", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "memory_a", .kind = ML_COLUMN_PERCENT, "memory A", 2 },
		{ "memory_b", .kind = ML_COLUMN_PERCENT, "memory B", 2 },
		{ "side", .kind = ML_COLUMN_TEXT, .heading = "" },
		{ "member", .kind = ML_COLUMN_TEXT },
		{ "machine", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table members = { .columns = columns, .width = 8 },
			totals = ml_sections_totals();

	ml_sections_total(&totals, "members", a->member_count, b->member_count);
	ml_sections_total(&totals, "members simulated", done(a), done(b));
	ml_sections_total(&totals, "traces", a->trace_count, b->trace_count);
	for (size_t i = 0; i < a->member_count; i++)
		put_pair(&members, &a->members[i], partner(a, &a->members[i], b));
	for (size_t i = 0; i < b->member_count; i++)
		if (!partner(b, &b->members[i], a))
			put_pair(&members, NULL, &b->members[i]);
	ml_sections_table(x, "totals", "Totals", NULL, &totals, 0);
	ml_sections_table(x, "members", "Members",
			  "cycles a reference, and the share that memory served",
			  &members, 0);
}

bool ml_ensemble_diff(const char *const path[2], const struct ml_ask *q,
		      struct ml_told *t, struct ml_err *err)
{
	struct ml_sections x = {
		.path = path[0], .second = path[1], .what = WHAT, .rows = ml_ask_rows(q)
	};
	struct ml_ensemble a, b;

	ml_ensemble_init(&a);
	ml_ensemble_init(&b);
	bool ok = ml_ensemble_open(&a, path[0], err) &&
		  ml_ensemble_open(&b, path[1], err);
	if (ok) {
		compare(&x, &a, &b);
		ok = ml_sections_tell(&x, q, t, err);
	}
	ml_ensemble_release(&a);
	ml_ensemble_release(&b);
	ml_sections_release(&x);
	return ok;
}
