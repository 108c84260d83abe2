#include "cli/text/sim_text.h"

#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/query/trace/text/code_text.h"
#include "lib/query/trace/text/say_trace.h"
#include "lib/query/workspace/say.h"
#include "cli/text/sim_sections.h"
#include "lib/base/buf.h"
#include "lib/base/path.h"
#include "lib/base/table.h"
#include "lib/cache/machine/policy.h"
#include "lib/query/trace/tables/source_lines.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

enum {
	TOP = 10,
	NEGLIGIBLE = 200, /* without --top, rows with less than one in so many lost cycles
			are left out */
};

struct text {
	struct ml_profile_view *v;
	const struct ml_profile *p;
	const struct ml_machine *m;
	struct ml_say say;
	uint64_t top;
	double min_lost; /* minimal lost cycles of a row */
};

static void say_origin(struct text *t)
{
	const struct ml_trace *trace = t->v->trace;
	const struct ml_profile *p = t->p;
	const char *command = ml_tables_meta_find(&trace->tables, "command");
	struct ml_say *s = &t->say;

	ml_say(s, "%s%s%s\n", trace->path, command ? ": " : "", command ? command : "");
	ml_say_missing(s, trace, t->v->damage, p->refs);
	if (t->v->stopped)
		ml_say_stopped(s, p);
	ml_say(s, "\n  %s %s: %s %s, %s %s", ml_say_count(s, p->refs),
	       ml_say_plural(p->refs, "reference", "references"),
	       ml_say_count(s, p->kind[0]), ml_say_plural(p->kind[0], "read", "reads"),
	       ml_say_count(s, p->kind[1]), ml_say_plural(p->kind[1], "write", "writes"));
	if (p->kind[2])
		ml_say(s, ", %s fetches", ml_say_count(s, p->kind[2]));
	ml_say(s, "\n");
	if (p->from || p->to < trace->count)
		ml_say(s, "  only those from %s to %s of %s%s\n",
		       ml_say_count(s, p->from), ml_say_count(s, p->to),
		       ml_say_count(s, trace->count),
		       p->from ? "; caches were empty at first" : "");
	if (p->interleave)
		ml_say(s, "  threads take turns, %s %s each\n",
		       ml_say_count(s, p->interleave),
		       ml_say_plural(p->interleave, "reference", "references"));
	else if (t->m->cores > 1 && p->thread_count > 1)
		ml_say(s, "  threads in the order in which they were recorded\n");
}

static void say_time(struct text *t)
{
	const struct ml_profile *p = t->p;
	uint32_t first = t->m->level[0].cycles;
	struct ml_say *s = &t->say;

	if (!p->refs)
		return;
	ml_say(s, "  %.2f cycles a reference", p->cycles);
	if (first && p->cycles > first)
		ml_say(s,
		       ": %u if %s had everything, and %.2f (%s) of waiting for the rest",
		       first, t->m->level[0].name, p->cycles - first,
		       ml_say_percent(s, 1 - first / p->cycles));
	ml_say(s, "\n");
	if (first && p->cycles < 1.02 * first)
		ml_say(s,
		       "  This machine's caches hold what is needed: there is little to gain\n");
}

/* "L1 32K 8w" */
static const char *geometry(struct text *t, const struct ml_level_spec *l)
{
	struct ml_arena *a = &t->say.arena;
	const char *size =
		l->size % (1 << 20) == 0
			? ml_arena_printf(a, "%lluM", (unsigned long long)l->size >> 20)
		: l->size % 1024 == 0
			? ml_arena_printf(a, "%lluK", (unsigned long long)l->size >> 10)
			: ml_arena_printf(a, "%llu", (unsigned long long)l->size);

	const char *ways = l->sets == 1 ? "full" : ml_arena_printf(a, "%uw", l->ways);
	bool lru = l->policy->recency;

	return ml_arena_printf(a, "%s %s %s%s%s", l->name, size, ways, lru ? "" : " ",
			       lru ? "" : l->policy->name);
}

static void level_row(struct text *t, struct ml_table *x, unsigned level)
{
	const struct ml_level_spec *spec = level ? &t->m->level[level - 1]
						 : &t->m->icache;
	const struct ml_profile_level *l = &t->p->level[level];
	uint64_t asked = ml_profile_asked(&l->counts),
		 missed = ml_profile_missed(&l->counts);

	ml_table_text(x, geometry(t, spec));
	ml_table_count(x, asked);
	ml_table_count(x, missed);
	ml_table_real(x, ml_say_share(missed, asked));
	if (level == 0)
		ml_table_no_value(x); /* L1i is counted with L1 */
	else
		ml_table_real(x, ml_say_share(t->p->served[level], t->p->refs));
	ml_table_count(x, l->counts.write_backs);
	ml_table_count(x, l->bytes_in);
	ml_table_count(x, l->bytes_out);
}

static void say_levels(struct text *t)
{
	static const struct ml_column columns[] = {
		{ "level", .kind = ML_COLUMN_TEXT },
		{ "asked", .kind = ML_COLUMN_COUNT, "lines asked" },
		{ "missed", .kind = ML_COLUMN_COUNT },
		{ "ratio", .kind = ML_COLUMN_PERCENT, "miss ratio", .decimals = 2 },
		{ "served", .kind = ML_COLUMN_PERCENT, .decimals = 2 },
		{ "back", .kind = ML_COLUMN_COUNT, "written back" },
		{ "in", .kind = ML_COLUMN_BYTES, "came in" },
		{ "out", .kind = ML_COLUMN_BYTES, "went out" },
	};
	struct ml_table x = { .columns = columns, .width = 8 };
	const struct ml_machine *m = t->m;

	ml_say(&t->say, "\nThe machine%s%s: %u %s, lines of %u bytes\n",
	       *m->name ? " " : "", m->name, m->cores, m->cores == 1 ? "core" : "cores",
	       m->level[0].line);
	if (m->split && ml_profile_asked(&t->p->level[0].counts))
		level_row(t, &x, 0);
	for (unsigned k = 1; k <= m->levels; k++)
		level_row(t, &x, k);
	ml_table_text(&x, "memory");
	for (int i = 0; i < 3; i++)
		ml_table_no_value(&x);
	ml_table_real(&x, ml_say_share(t->p->served[m->levels + 1], t->p->refs));
	for (int i = 0; i < 3; i++)
		ml_table_no_value(&x);
	ml_say_table(&t->say, &x, 0, "");
}

static void say_cause_line(struct text *t, unsigned level)
{
	const struct ml_level_counts *c = &t->p->level[level].counts;
	uint64_t missed = ml_profile_missed(c);
	enum ml_cause order[ML_CAUSES];

	if (!missed)
		return;
	ml_say(&t->say, "  %-4s ", ml_profile_level_name(t->p, level));
	size_t count = ml_profile_causes(c->cause, missed, order);
	for (size_t i = 0; i < count; i++)
		ml_say(&t->say, "%s%s %s", i ? ", " : "",
		       ml_say_percent(&t->say, ml_say_share(c->cause[order[i]], missed)),
		       ml_profile_cause_text(order[i]));
	ml_say(&t->say, "\n");
}

static void say_causes(struct text *t)
{
	if (!(t->p->want & ML_SIM_CAUSES) || !t->v->rows.total.missed[0])
		return;
	ml_say(&t->say, "\nWhy lines were missed\n");
	for (unsigned k = t->m->split ? 0 : 1; k <= t->m->levels; k++)
		say_cause_line(t, k);
}

/* The first columns of regions, lines and functions, and their cells. */
static size_t count_columns(struct text *t, struct ml_column *c)
{
	struct ml_arena *a = &t->say.arena;
	size_t n = 0;

	c[n++] = (struct ml_column){ "lost", ML_COLUMN_PERCENT, NULL, 1 };
	c[n++] = (struct ml_column){ "references", ML_COLUMN_COUNT, NULL, 0 };
	c[n++] = (struct ml_column){ "misses", ML_COLUMN_COUNT,
				     ml_arena_printf(a, "%s misses", t->m->level[0].name),
				     0 };
	c[n++] = (struct ml_column){ "ratio", ML_COLUMN_PERCENT, "ratio", 1 };
	c[n++] = (struct ml_column){ "memory", ML_COLUMN_COUNT, "from memory", 0 };
	return n;
}

static void count_cells(struct text *t, struct ml_table *x,
			const struct ml_profile_count *c)
{
	double lost = t->v->rows.total.lost;

	ml_table_real(x, lost > 0 ? c->lost / lost : 0);
	ml_table_count(x, c->refs);
	ml_table_count(x, c->missed[0]);
	ml_table_real(x, ml_say_share(c->missed[0], c->refs));
	ml_table_count(x, c->served[t->m->levels + 1]);
}

static const char *why(struct text *t, const struct ml_profile_count *c)
{
	enum ml_cause cause = ml_profile_main_cause(c, t->m->levels);

	return cause ? ml_profile_cause_text(cause) : "-";
}

static bool worth(const struct text *t, const struct ml_profile_count *c, size_t shown)
{
	return shown < t->top && (c->lost > t->min_lost || (!shown && c->refs));
}

static void say_regions(struct text *t)
{
	struct ml_column columns[10];
	size_t n = count_columns(t, columns), shown = 0;
	const struct ml_profile_rows *rows = &t->v->rows;
	bool causes = t->p->want & ML_SIM_CAUSES, use = t->p->want & ML_SIM_USE;
	size_t theirs = 0;
	double lost = 0;

	if (causes)
		columns[n++] = (struct ml_column){ "why", ML_COLUMN_TEXT, "mostly", 0 };
	if (use)
		columns[n++] = (struct ml_column){ "used", ML_COLUMN_PERCENT, "used", 0 };
	columns[n++] = (struct ml_column){ "region", ML_COLUMN_TEXT, NULL, 0 };
	struct ml_table x = { .columns = columns, .width = n };

	ml_say(&t->say, "\nWhich data are waited for%s\n",
	       use ? " (used: of the bytes that came from memory)" : "");
	for (size_t i = 0; i < rows->regions.count; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];
		const struct ml_profile_use *u = r->use[t->m->levels - 1];

		if (ml_code_is_theirs(r->own, r->count.refs)) {
			theirs++;
			lost += r->count.lost;
			continue;
		}
		if (!worth(t, &r->count, shown))
			continue;
		count_cells(t, &x, &r->count);
		if (causes)
			ml_table_text(&x, why(t, &r->count));
		if (use && u && u->bytes)
			ml_table_real(&x, ml_say_share(u->used, u->bytes));
		else if (use)
			ml_table_no_value(&x);
		ml_table_text(&x, r->name);
		shown++;
	}
	ml_say_table(&t->say, &x, rows->regions.count - theirs, "regions");
	if (lost > t->min_lost)
		ml_say(&t->say,
		       "  and %s of what is lost to %s %s of the loader and libraries\n",
		       ml_say_percent(&t->say, lost / rows->total.lost),
		       ml_say_count(&t->say, theirs),
		       ml_say_plural(theirs, "region", "regions"));
}

/* The stride of the costliest references of a line: "+8", "mixed". */
static const char *step_of(struct text *t, const struct ml_profile_line_row *l)
{
	const struct ml_profile_cell *c = l->main;

	if (!c || c->steps < 2 || !c->strides)
		return "-";
	if (c->stride[0].count * 2 < c->steps)
		return "mixed";
	return ml_arena_printf(&t->say.arena, c->stride[0].bytes ? "%+lld" : "%lld",
			       (long long)c->stride[0].bytes);
}

static void say_lines(struct text *t)
{
	struct ml_source_lines sources = { .trace = t->v->trace };
	const struct ml_profile_rows *rows = &t->v->rows;
	bool steps = t->p->want; /* --quick does not compute steps */
	struct ml_column columns[8];
	size_t n = count_columns(t, columns), shown = 0;

	columns[1] = columns[2]; /* without the references, because the source needs the
				    room */
	columns[2] = columns[3];
	columns[3] = columns[4];
	n--;
	if (steps)
		columns[n++] = (struct ml_column){ "step", ML_COLUMN_TEXT, NULL, 0 };
	columns[n++] = (struct ml_column){ "line", ML_COLUMN_TEXT, NULL, 0 };
	columns[n++] = (struct ml_column){ "to", ML_COLUMN_TEXT, NULL, 0 };
	columns[n++] = (struct ml_column){ "source", ML_COLUMN_TEXT, NULL, 0 };
	struct ml_table x = { .columns = columns, .width = n };

	ml_say(&t->say, "\nWhich lines wait%s\n",
	       steps ? " (step: bytes from one access of the line to its next)" : "");
	for (size_t i = 0; i < rows->lines.count; i++) {
		const struct ml_profile_line_row *l = &rows->lines.at[i];
		const struct ml_profile_count *c = &l->count;

		if (!worth(t, c, shown))
			break;
		ml_table_real(&x, rows->total.lost > 0 ? c->lost / rows->total.lost : 0);
		ml_table_count(&x, c->missed[0]);
		ml_table_real(&x, ml_say_share(c->missed[0], c->refs));
		ml_table_count(&x, c->served[t->m->levels + 1]);
		if (steps)
			ml_table_text(&x, step_of(t, l));
		ml_table_text(&x, ml_code_place(&t->say, &l->at, 16, 24));
		ml_table_text(&x, ml_say_cut(&t->say,
					     l->at.part[0].name ? l->at.part[0].name : "",
					     16));
		ml_table_text(&x, ml_code_source(&t->say, &l->at, c->refs, &sources, 16));
		shown++;
	}
	ml_say_table(&t->say, &x, rows->lines.count, "lines");
	ml_source_lines_release(&sources);
}

static void say_functions(struct text *t)
{
	struct ml_column columns[8];
	size_t n = count_columns(t, columns), shown = 0;
	const struct ml_profile_rows *rows = &t->v->rows;

	columns[n++] = (struct ml_column){ "function", ML_COLUMN_TEXT, NULL, 0 };
	columns[n++] = (struct ml_column){ "where", ML_COLUMN_TEXT, NULL, 0 };
	struct ml_table x = { .columns = columns, .width = n };
	ml_say(&t->say, "\nWhich functions wait, by their own instructions\n");
	for (size_t i = 0; i < rows->functions.count; i++) {
		const struct ml_profile_function_row *f = &rows->functions.at[i];

		if (!worth(t, &f->made, shown))
			continue;
		count_cells(t, &x, &f->made);
		ml_table_text(&x, ml_say_cut(&t->say,
					     *f->at.func ? ml_say_plain_name(&t->say,
									     f->at.func)
							 : "unknown",
					     30));
		ml_table_text(&x, *f->at.object ? ml_path_name(f->at.object)
						: ml_path_name(f->at.file));
		shown++;
	}
	ml_say_table(&t->say, &x, rows->functions.count, "functions");
}

static void say_threads(struct text *t)
{
	struct ml_column columns[8];
	size_t n = count_columns(t, columns), shown = 0;
	const struct ml_profile_rows *rows = &t->v->rows;

	if (rows->threads.count < 2)
		return;
	columns[n++] = (struct ml_column){ "thread", ML_COLUMN_COUNT, NULL, 0 };
	columns[n++] = (struct ml_column){ "core", ML_COLUMN_COUNT, NULL, 0 };
	columns[n++] = (struct ml_column){ "name", ML_COLUMN_TEXT, NULL, 0 };
	struct ml_table x = { .columns = columns, .width = n };
	ml_say(&t->say, "\nThreads\n");
	for (; shown < rows->threads.count && shown < t->top; shown++) {
		const struct ml_profile_thread_row *r = &rows->threads.at[shown];

		count_cells(t, &x, &r->count);
		ml_table_count(&x, r->id);
		ml_table_count(&x, r->core);
		ml_table_text(&x, *r->name ? r->name : NULL);
	}
	ml_say_table(&t->say, &x, rows->threads.count, "threads");
}

static void say_phases(struct text *t)
{
	struct ml_column columns[8];
	size_t n = count_columns(t, columns), shown = 0;
	const struct ml_profile_rows *rows = &t->v->rows;

	if (!rows->phases.count)
		return;
	columns[n++] = (struct ml_column){ "times", ML_COLUMN_COUNT, NULL, 0 };
	columns[n++] = (struct ml_column){ "phase", ML_COLUMN_TEXT, NULL, 0 };
	struct ml_table x = { .columns = columns, .width = n };
	ml_say(&t->say, "\nPhases\n");
	for (; shown < rows->phases.count && shown < t->top; shown++) {
		const struct ml_profile_phase_row *r = &rows->phases.at[shown];

		count_cells(t, &x, &r->count);
		ml_table_count(&x, r->times);
		ml_table_text(&x, ml_arena_printf(&t->say.arena, "%*s%s%s",
						  (int)r->depth * 2, "", r->name,
						  r->open ? " (not ended)" : ""));
	}
	ml_say_table(&t->say, &x, rows->phases.count, "phases");
}

void sim_text(struct ml_profile_view *v, uint64_t top, struct ml_buf *out)
{
	struct text t = {
		.v = v,
		.p = v->profile,
		.m = &v->profile->machine,
		.top = top ? top : TOP,
		.min_lost = top ? 0 : v->rows.total.lost / NEGLIGIBLE,
	};

	ml_say_start(&t.say, out, cmd_width());
	say_origin(&t);
	say_time(&t);
	say_levels(&t);
	say_causes(&t);
	if (t.p->refs) {
		say_regions(&t);
		say_lines(&t);
		say_functions(&t);
	}
	say_phases(&t);
	say_threads(&t);
	sim_sections(v, t.top, &t.say);
	ml_say_end(&t.say);
}
