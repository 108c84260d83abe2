#include "lib/query/trace/text/diff_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/query/trace/text/findings_text.h"
#include "lib/query/trace/text/say_trace.h"
#include "lib/query/workspace/say.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/promises.h"
#include "lib/query/trace/tables/analysed_trace.h"

/* Rows whose waiting changes by less than this share of A's cycles are noise. */
static const double negligible = 0.001;

/* "+4.2 %", "-80 %", "same", "new". */
static const char *change(double share, char text[24])
{
	double percent = 100 * share;

	if (isinf(share))
		snprintf(text, 24, "new");
	else if (!(percent < 0 || percent > 0))
		snprintf(text, 24, "same");
	else if (fabs(percent) < 0.01)
		snprintf(text, 24, "<0.01 %%");
	else
		snprintf(text, 24, fabs(percent) < 9.95 ? "%+.2f %%" : "%+.0f %%",
			 percent);
	return text;
}

static const char *figure(double v, bool real, char text[ML_NUMBER_ROOM])
{
	if (!real)
		return ml_format_count(text, (uint64_t)(v + 0.5));
	snprintf(text, ML_NUMBER_ROOM, "%.2f", v);
	return text;
}

static void put_side(const struct ml_analysed_trace *x, const char *which,
		     const char *name, struct ml_say *s)
{
	ml_say(s, "%s: %s ", which, name);
	ml_say_machine(s, &x->simulation.profile->machine);
	ml_say(s, "\n");
	ml_say_missing(s, &x->trace, x->simulation.damage, x->simulation.profile->refs);
}

static void put_totals(const struct ml_compare *c, struct ml_say *s)
{
	char a[ML_NUMBER_ROOM], b[ML_NUMBER_ROOM], d[24];

	ml_say(s, "\n  %-20s  %16s  %16s  %9s\n", "", "A", "B", "change");
	for (size_t i = 0; i < c->totals.count; i++) {
		const struct ml_compare_total *t = &c->totals.at[i];

		ml_say(s, "  %-20s  %16s  %16s  %9s\n", t->name, figure(t->a, t->real, a),
		       figure(t->b, t->real, b),
		       change(ml_compare_change(t->a, t->b), d));
	}
}

static double moved(const struct ml_compare *c, const struct ml_compare_row *r)
{
	double all = c->a->findings.cycles;

	return all > 0 ? (r->b.lost - r->a.lost) / all : 0;
}

static const char *row_name(const struct ml_compare_row *r, struct ml_say *s)
{
	const char *name = ml_say_cut(s, r->name, 40);

	if (!r->in_a || !r->in_b)
		return ml_arena_printf(&s->arena, "%s (only %s)", name,
				       r->in_a ? "A" : "B");
	if (r->line_a != r->line_b)
		return ml_arena_printf(&s->arena, "%s (was %u)", name, r->line_a);
	return name;
}

static void put_rows(const struct ml_compare *c, const struct ml_compare_row *rows,
		     size_t count, size_t top, bool lines, struct ml_say *s)
{
	static const struct ml_column columns[] = {
		{ "change", .kind = ML_COLUMN_TEXT, .heading = "   change" },
		{ "misses_a", .kind = ML_COLUMN_COUNT, .heading = "L1 misses A" },
		{ "misses_b", .kind = ML_COLUMN_COUNT, .heading = "L1 misses B" },
		{ "what", .kind = ML_COLUMN_TEXT, .heading = "where" },
		{ "source", .kind = ML_COLUMN_TEXT, .heading = "source" },
	};
	struct ml_table t = { .columns = columns, .width = lines ? 5 : 4 };
	char d[24];

	for (size_t i = 0; i < count && ml_table_rows(&t) < top; i++) {
		const struct ml_compare_row *r = &rows[i];

		if (fabs(moved(c, r)) < negligible)
			break;
		ml_table_text(&t,
			      ml_arena_printf(&s->arena, "%9s", change(moved(c, r), d)));
		ml_table_count(&t, r->a.missed[0]);
		ml_table_count(&t, r->b.missed[0]);
		ml_table_text(&t, row_name(r, s));
		if (lines)
			ml_table_text(&t, r->text ? r->text : "");
	}
	if (!ml_table_rows(&t)) {
		ml_table_release(&t);
		return;
	}
	ml_say(s, "\n%s whose waiting changed most, as a share of all cycles of A\n",
	       lines ? "Lines" : "Regions");
	ml_say_table(s, &t, 0, "");
}

static void put_findings(const struct ml_compare *c, struct ml_say *s)
{
	static const char *const states[] = { "NEW  ", "GONE ", "stays" };

	if (c->findings.count)
		ml_say(s, "\nFindings\n");
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct ml_compare_finding *f = &c->findings.at[i];
		const struct ml_finding *n = f->b ? f->b : f->a;
		const char *where = ml_findings_where(n, s);

		ml_say(s, "  %s  %s\n         %s%s", states[f->state], n->title, where,
		       *where ? "; " : "");
		if (f->state == ML_COMPARE_STAYED)
			ml_say(s, "would save %.1f %%, was %.1f %%\n", 100 * f->b->gain,
			       100 * f->a->gain);
		else
			ml_say(s, "would %s %.1f %%\n", f->b ? "save" : "have saved",
			       100 * n->gain);
	}
}

void ml_diff_text(const struct ml_compare *c, const char *const names[2], size_t top,
		  int columns, struct ml_buf *out)
{
	double a = c->a->findings.cycles, b = c->b->findings.cycles;
	struct ml_say s;

	ml_say_start(&s, out, columns);
	put_side(c->a, "A", names[0], &s);
	put_side(c->b, "B", names[1], &s);
	put_totals(c, &s);
	if (a > 0 && b > 0 && fabs(b / a - 1) >= negligible)
		ml_say(&s,
		       "\nThe accesses of B take %.2f times the cycles of those of A.\n",
		       b / a);
	else if (a > 0 && b > 0)
		ml_say(&s, "\nThe accesses of A and B take the same time.\n");
	put_rows(c, c->lines.at, c->lines.count, top, true, &s);
	put_rows(c, c->regions.at, c->regions.count, top, false, &s);
	put_findings(c, &s);
	ml_say_end(&s);
}

void ml_diff_promises(const struct ml_compare *c, int width, struct ml_buf *out)
{
	static const struct ml_column columns[] = {
		{ "promised", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "region", .kind = ML_COLUMN_TEXT, .heading = "in its region" },
		{ "state", .kind = ML_COLUMN_TEXT, .heading = "now" },
		{ "kind", .kind = ML_COLUMN_TEXT, .heading = "kind" },
		{ "title", .kind = ML_COLUMN_TEXT, .heading = "finding" },
	};
	struct ml_table t = { .columns = columns, .width = 5 };
	struct ml_promises p;
	struct ml_say s;

	ml_say_start(&s, out, width);
	p = ml_promises_make(c, &s.arena);
	for (size_t i = 0; i < p.count; i++) {
		const struct ml_promise *x = &p.at[i];

		ml_table_real(&t, x->finding->gain);
		ml_table_text(&t, x->has_region ? ml_arena_printf(&s.arena, "%11.1f %%",
								  100 * x->region)
						: "");
		ml_table_text(&t, x->stays ? "stays" : "gone");
		ml_table_text(&t, x->finding->kind);
		ml_table_text(&t, x->finding->title);
	}
	ml_say(&s,
	       "Promised before, and come true since (shares of the access time before)\n");
	if (ml_table_rows(&t))
		ml_say_table(&s, &t, 0, "");
	else
		ml_table_release(&t);
	ml_say(&s, "%sAll references take %.1f %% %s.\n",
	       p.count ? "" : "Nothing was promised. ", 100 * fabs(p.whole),
	       p.whole < 0 ? "more" : "less");
	ml_say_end(&s);
}
