#include "lib/query/trace/text/info_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/query/trace/text/code_text.h"
#include "lib/query/trace/text/say_trace.h"
#include "lib/query/workspace/say.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/path.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/source_lines.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/regions/region_shape.h"
#include "lib/trace/trace.h"

enum {
	NAME_ROOM = 24,
	TOP = 10,
	NEGLIGIBLE = 2000, /* without --top, rows with less than one in so many references
			 are left out */
};

struct text {
	struct ml_summary *s;
	struct ml_say say;
	uint64_t top, min_refs; /* maximum of rows; minimal references of a row */
};

static const char *meta(const struct text *t, const char *key)
{
	return ml_tables_meta_find(&t->s->trace->tables, key);
}

static void say_total(struct text *t)
{
	const struct ml_summary *s = t->s;
	const struct ml_trace *trace = s->trace;
	const char *command = meta(t, "command");

	ml_say(&t->say, "%s%s%s\n", trace->path, command ? ": " : "",
	       command ? command : "");
	ml_say_missing(&t->say, t->s->trace, t->s->damage, t->s->total.refs);
	ml_say(&t->say, "\n  %s %s: %s %s, %s %s", ml_say_count(&t->say, s->total.refs),
	       ml_say_plural(s->total.refs, "reference", "references"),
	       ml_say_count(&t->say, s->total.reads),
	       ml_say_plural(s->total.reads, "read", "reads"),
	       ml_say_count(&t->say, s->total.writes),
	       ml_say_plural(s->total.writes, "write", "writes"));
	if (s->total.fetches)
		ml_say(&t->say, ", %s fetches", ml_say_count(&t->say, s->total.fetches));
	ml_say(&t->say, "\n  to %s of memory: %s cache %s in %s %s\n",
	       ml_say_bytes(&t->say, s->touched.lines * 64),
	       ml_say_count(&t->say, s->touched.lines),
	       ml_say_plural(s->touched.lines, "line", "lines"),
	       ml_say_count(&t->say, s->touched.pages),
	       ml_say_plural(s->touched.pages, "page", "pages"));
	ml_say(&t->say, "  in a file of %s", ml_say_bytes(&t->say, trace->size));
	if (s->total.refs)
		ml_say(&t->say, ", %.3f bytes a reference",
		       (double)trace->size / (double)s->total.refs);
	ml_say(&t->say, "\n");
}

static void say_origin(struct text *t)
{
	const char *back_end = meta(t, "back end"), *host = meta(t, "host");
	const char *processor = meta(t, "processor"), *cwd = meta(t, "cwd");
	const char *status = meta(t, "exit status"), *ended = meta(t, "ended");
	const char *imported = meta(t, "imported");
	char when[64];
	time_t created = (time_t)t->s->trace->created;
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&created, &tm));
	ml_say(&t->say, "  %s %s", imported ? "imported" : "recorded", when);
	if (imported)
		ml_say(&t->say, " from %s", imported);
	if (back_end && !imported)
		ml_say(&t->say, " by %s", back_end);
	if (host)
		ml_say(&t->say, " on %s", host);
	if (processor)
		ml_say(&t->say, " (%s)", processor);
	ml_say(&t->say, "\n");
	if (cwd)
		ml_say(&t->say, "  in %s\n", cwd);
	double seconds = meta(t, "seconds") ? strtod(meta(t, "seconds"), NULL) : 0;
	if (seconds > 0)
		ml_say(&t->say, "  took %.1f s: %.0f million references a second\n",
		       seconds, 1e-6 * (double)t->s->total.refs / seconds);
	if (meta(t, "not seen"))
		ml_say(&t->say, "  not seen by this recorder: %s\n", meta(t, "not seen"));
	if (meta(t, "debug symbols"))
		ml_say(&t->say, "  %s\n", meta(t, "debug symbols"));
	if (ended && !strcmp(ended, "killed"))
		ml_say(&t->say, "  the program was killed\n");
	else if (status)
		ml_say(&t->say, "  the program ended with status %s\n", status);
}

const char *ml_info_kind(const struct ml_summary *s, const struct ml_summary_region *r)
{
	return ml_region_kind_name(ml_region_lookup_region(s->space, r->region)->kind);
}

const char *ml_info_type(const struct ml_summary *s, const struct ml_summary_region *r,
			 struct ml_arena *a)
{
	const struct ml_region *region = ml_region_lookup_region(s->space, r->region);
	const char *type = ml_tables_text(&s->trace->tables, region->type), *text = type;

	if (!*type && !region->elem)
		return "";
	text = ml_arena_printf(a, "%s%s", text, ml_region_shape(region, a));
	if (!region->dims && region->elem && r->size > region->elem && r->blocks < 2)
		text = ml_arena_printf(a, "%s[%llu]", text,
				       (unsigned long long)(r->size / region->elem));
	if (!*type)
		text = ml_arena_printf(a, "%s of %llu bytes", text,
				       (unsigned long long)region->elem);
	return text;
}

/*
 * The origin of a region, as far as known: "heap double[400][400], matmul.c:44 in main".
 */
static const char *origin(struct text *t, const struct ml_summary_region *r)
{
	const struct ml_tables *tables = &t->s->trace->tables;
	const struct ml_region *region = ml_region_lookup_region(t->s->space, r->region);
	const char *type = ml_info_type(t->s, r, &t->say.arena);
	const char *text = ml_info_kind(t->s, r);
	const char *file = ml_tables_text(tables, region->file);
	const char *func = ml_tables_text(tables, region->func);

	if (region->kind == ML_REGION_STACK || region->kind == ML_REGION_OTHER)
		return text;
	if (*type)
		text = ml_arena_printf(&t->say.arena, "%s %s", text, type);
	if (r->blocks > 1)
		text = ml_arena_printf(&t->say.arena, "%s in %s blocks", text,
				       ml_say_count(&t->say, r->blocks));
	if (*file && region->line)
		text = ml_arena_printf(&t->say.arena, "%s, %s:%u", text,
				       ml_path_name(file), region->line);
	else if (*func && strcmp(func, r->name) != 0)
		text = ml_arena_printf(&t->say.arena, "%s, in %s", text, func);
	return text;
}

static bool is_theirs(const struct ml_summary_region *r)
{
	return ml_code_is_theirs(r->own, r->count.refs);
}

static void say_regions(struct text *t)
{
	static const struct ml_column columns[] = {
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "writes", .kind = ML_COLUMN_PERCENT },
		{ "size", .kind = ML_COLUMN_BYTES },
		{ "touched", .kind = ML_COLUMN_BYTES },
		{ "region", .kind = ML_COLUMN_TEXT },
		{ "what it is", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table x = { .columns = columns, .width = 7 };
	const struct ml_summary *s = t->s;

	uint64_t rest = 0, rests = 0;
	size_t shown = 0;

	for (size_t i = 0; i < s->regions.count; i++)
		if (is_theirs(&s->regions.at[i])) {
			rest += s->regions.at[i].count.refs;
			rests++;
		}
	ml_say(&t->say, "\nWhere the references went\n");
	for (size_t i = 0; i < s->regions.count && shown < t->top; i++) {
		const struct ml_summary_region *r = &s->regions.at[i];

		if (is_theirs(r))
			continue;
		if (r->count.refs < t->min_refs && shown > 2)
			break;
		ml_table_count(&x, r->count.refs);
		ml_table_real(&x, ml_say_share(r->count.refs, s->total.refs));
		ml_table_real(&x, ml_say_share(r->count.writes, r->count.refs));
		if (r->size)
			ml_table_count(&x, r->size);
		else
			ml_table_no_value(&x);
		ml_table_count(&x, r->lines * 64);
		ml_table_text(&x, ml_say_cut(&t->say, r->name, NAME_ROOM));
		ml_table_text(&x, origin(t, r));
		shown++;
	}
	ml_say_table(&t->say, &x, s->regions.count - rests, "regions");
	if (rest)
		ml_say(&t->say,
		       "  and %s references (%.1f %%) to %s %s of the loader and libraries\n",
		       ml_say_count(&t->say, rest),
		       100 * ml_say_share(rest, s->total.refs),
		       ml_say_count(&t->say, rests),
		       ml_say_plural(rests, "region", "regions"));
}

/* The regions of a line: "A, B". */
static const char *data_of(struct text *t, const struct ml_summary_line *l)
{
	const char *text = "";
	size_t shown = 0;

	for (; shown < ML_CODE_PARTS && shown < l->at.parts; shown++) {
		if (shown && l->at.part[shown].refs * 20 < l->count.refs)
			break; /* not worth the room */
		text = ml_arena_printf(&t->say.arena, "%s%s%s", text, shown ? ", " : "",
				       ml_say_cut(&t->say, l->at.part[shown].name, 20));
	}
	return ml_say_cut(&t->say, text, NAME_ROOM);
}

static void say_lines(struct text *t)
{
	static const struct ml_column columns[] = {
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "writes", .kind = ML_COLUMN_PERCENT },
		{ "line", .kind = ML_COLUMN_TEXT },
		{ "to", .kind = ML_COLUMN_TEXT },
		{ "source", .kind = ML_COLUMN_TEXT },
	};
	struct ml_source_lines sources = { .trace = t->s->trace };
	struct ml_table x = { .columns = columns, .width = 6 };
	const struct ml_summary *s = t->s;

	ml_say(&t->say,
	       "\nWhich lines made them (what libraries did for a line is in brackets)\n");
	for (size_t i = 0; i < s->lines.count && i < t->top; i++) {
		const struct ml_summary_line *l = &s->lines.at[i];

		if (l->count.refs < t->min_refs && i > 2)
			break;
		ml_table_count(&x, l->count.refs);
		ml_table_real(&x, ml_say_share(l->count.refs, s->total.refs));
		ml_table_real(&x, ml_say_share(l->count.writes, l->count.refs));
		ml_table_text(&x, ml_code_place(&t->say, &l->at, SIZE_MAX, NAME_ROOM));
		ml_table_text(&x, data_of(t, l));
		ml_table_text(&x, ml_code_source(&t->say, &l->at, l->count.refs, &sources,
						 NAME_ROOM));
	}
	ml_say_table(&t->say, &x, s->lines.count, "lines");
	ml_source_lines_release(&sources);
}

static void say_functions(struct text *t)
{
	static const struct ml_column columns[] = {
		{ "made_in_it", .kind = ML_COLUMN_COUNT, .heading = "made in it" },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "with_libraries", .kind = ML_COLUMN_COUNT,
		  .heading = "with libraries" },
		{ "function", .kind = ML_COLUMN_TEXT },
		{ "of", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table x = { .columns = columns, .width = 5 };
	const struct ml_summary *s = t->s;

	uint64_t alone = 0;
	size_t others = 0;

	for (size_t i = 0; i < s->functions.count; i++)
		if (!s->functions.at[i].at.user && s->functions.at[i].with_library) {
			alone += s->functions.at[i].with_library;
			others += s->functions.at[i].made.refs ==
				  s->functions.at[i].with_library;
		}
	ml_say(&t->say, "\nWhich functions made them\n");
	for (size_t i = 0; i < s->functions.count && i < t->top; i++) {
		const struct ml_summary_function *f = &s->functions.at[i];
		uint64_t for_user = f->at.user ? f->with_library
					       : f->made.refs - f->with_library;

		if (!for_user || (for_user < t->min_refs && i > 2))
			break;
		ml_table_count(&x, f->at.user ? f->made.refs : for_user);
		ml_table_real(&x, ml_say_share(f->at.user ? f->made.refs : for_user,
					       s->total.refs));
		if (f->at.user)
			ml_table_count(&x, f->with_library);
		else
			ml_table_no_value(&x);
		ml_table_text(&x, *f->at.func ? ml_say_cut(&t->say, f->at.func, 40)
					      : "unknown");
		ml_table_text(&x, *f->at.object ? ml_path_name(f->at.object)
						: ml_path_name(f->at.file));
	}
	ml_say_table(&t->say, &x, s->functions.count - others, "functions");
	if (alone)
		ml_say(&t->say,
		       "  and %s references (%.1f %%) that the loader and libraries made on "
		       "their own\n",
		       ml_say_count(&t->say, alone),
		       100 * ml_say_share(alone, s->total.refs));
}

static void say_threads(struct text *t)
{
	static const struct ml_column columns[] = {
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "thread", .kind = ML_COLUMN_COUNT },
		{ "name", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table x = { .columns = columns, .width = 4 };
	const struct ml_summary *s = t->s;

	if (s->threads.count < 2)
		return;
	ml_say(&t->say, "\nThreads\n");
	for (size_t i = 0; i < s->threads.count && i < t->top; i++) {
		ml_table_count(&x, s->threads.at[i].refs);
		ml_table_real(&x, ml_say_share(s->threads.at[i].refs, s->total.refs));
		ml_table_count(&x, s->threads.at[i].id);
		ml_table_text(&x, *s->threads.at[i].name ? s->threads.at[i].name : NULL);
	}
	ml_say_table(&t->say, &x, s->threads.count, "threads");
}

static void say_phases(struct text *t)
{
	static const struct ml_column columns[] = {
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "times", .kind = ML_COLUMN_COUNT },
		{ "phase", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table x = { .columns = columns, .width = 4 };
	const struct ml_summary *s = t->s;

	if (!s->phases.count)
		return;
	ml_say(&t->say, "\nPhases\n");
	for (size_t i = 0; i < s->phases.count && i < t->top; i++) {
		const struct ml_phase *p = &s->phases.at[i];

		ml_table_count(&x, p->refs);
		ml_table_real(&x, ml_say_share(p->refs, s->total.refs));
		ml_table_count(&x, p->times);
		ml_table_text(&x, ml_arena_printf(&t->say.arena, "%*s%s%s",
						  (int)p->depth * 2, "", p->name,
						  p->open ? " (not ended)" : ""));
	}
	ml_say_table(&t->say, &x, s->phases.count, "phases");
}

static void say_states(struct text *t)
{
	const struct ml_summary *s = t->s;

	if (s->marks.count || s->states.count)
		ml_say(&t->say, "\nMarks and state variables\n");
	for (size_t i = 0; i < s->marks.count && i < t->top; i++) {
		const struct ml_summary_mark *m = &s->marks.at[i];

		ml_say(&t->say, "  mark %s: %s %s, first at %s\n", m->name,
		       ml_say_count(&t->say, m->times),
		       ml_say_plural(m->times, "time", "times"),
		       ml_say_count(&t->say, m->first));
	}
	for (size_t i = 0; i < s->states.count && i < t->top; i++) {
		const struct ml_summary_state *x = &s->states.at[i];

		ml_say(&t->say, "  %s: set %s %s, from %lld to %lld\n", x->name,
		       ml_say_count(&t->say, x->times),
		       ml_say_plural(x->times, "time", "times"), (long long)x->low,
		       (long long)x->high);
	}
}

void ml_info_text(struct ml_summary *s, uint64_t top, int columns, struct ml_buf *out)
{
	struct text t = { .s = s,
			  .top = top ? top : TOP,
			  .min_refs = top ? 0 : s->total.refs / NEGLIGIBLE };

	ml_say_start(&t.say, out, columns);
	say_total(&t);
	say_origin(&t);
	if (s->total.refs) {
		say_regions(&t);
		say_lines(&t);
		say_functions(&t);
	}
	say_phases(&t);
	say_threads(&t);
	say_states(&t);
	ml_say_end(&t.say);
}
