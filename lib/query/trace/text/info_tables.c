#include "lib/query/trace/text/info_tables.h"

#include <string.h>

#include "lib/query/trace/text/info_text.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/source_lines.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/text/text.h"
#include "lib/trace/trace.h"

/* clang-format off */
#define COUNT(key) { key, ML_COLUMN_COUNT, NULL, 0 }
#define TEXT(key)  { key, ML_COLUMN_TEXT, NULL, 0 }
#define COUNTS     COUNT("references"), COUNT("reads"), COUNT("writes"), COUNT("fetches")
/* clang-format on */

static void text(struct ml_table *t, const char *s)
{
	ml_table_text(t, s && *s ? s : NULL);
}

static void some(struct ml_table *t, uint64_t v) /* 0: unknown */
{
	if (v)
		ml_table_count(t, v);
	else
		ml_table_no_value(t);
}

/* Fills the columns COUNTS. */
static void counts(struct ml_table *t, const struct ml_summary_count *c)
{
	ml_table_count(t, c->refs);
	ml_table_count(t, c->reads);
	ml_table_count(t, c->writes);
	ml_table_count(t, c->fetches);
}

static const struct ml_column region_columns[] = {
	COUNTS,
	TEXT("region"),
	TEXT("kind"),
	TEXT("type"),
	COUNT("element_bytes"),
	COUNT("bytes"),
	COUNT("blocks"),
	COUNT("lines_touched"),
	COUNT("first"),
	COUNT("by_own_code"),
	TEXT("file"),
	COUNT("line"),
	TEXT("function"),
	TEXT("object"),
};

static void fill_regions(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	const struct ml_tables *tables = &s->trace->tables;

	for (size_t i = 0; i < s->regions.count && i < top; i++) {
		const struct ml_summary_region *r = &s->regions.at[i];
		const struct ml_region *x = ml_region_lookup_region(s->space, r->region);

		counts(t, &r->count);
		text(t, r->name);
		text(t, ml_info_kind(s, r));
		text(t, ml_info_type(s, r, &s->arena));
		some(t, x->elem);
		some(t, r->size);
		some(t, r->blocks);
		ml_table_count(t, r->lines);
		ml_table_count(t, r->first);
		ml_table_count(t, r->own);
		text(t, ml_tables_text(tables, x->file));
		some(t, x->line);
		text(t, ml_tables_text(tables, x->func));
		text(t, ml_tables_text(tables, x->object));
	}
}

static const struct ml_column line_columns[] = {
	COUNTS,           COUNT("in_libraries"),
	COUNT("own"),     TEXT("file"),
	COUNT("line"),    TEXT("function"),
	TEXT("object"),   TEXT("through"),
	TEXT("region"),   COUNT("region_references"),
	TEXT("region2"),  COUNT("region2_references"),
	TEXT("region3"),  COUNT("region3_references"),
	COUNT("regions"), COUNT("first"),
	TEXT("source"),
};

static void fill_lines(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	struct ml_source_lines sources = { .trace = s->trace };

	for (size_t i = 0; i < s->lines.count && i < top; i++) {
		const struct ml_summary_line *l = &s->lines.at[i];

		counts(t, &l->count);
		ml_table_count(t, l->at.library);
		ml_table_count(t, l->at.own);
		text(t, l->at.file);
		some(t, l->at.line);
		text(t, l->at.func);
		text(t, l->at.object);
		text(t, l->at.through);
		for (size_t k = 0; k < ML_CODE_PARTS; k++) {
			text(t, l->at.part[k].name);
			some(t, l->at.part[k].refs);
		}
		ml_table_count(t, l->at.parts);
		ml_table_count(t, l->first);
		text(t, l->at.line
				? ml_source_lines_find(&sources, l->at.file, l->at.line)
				: NULL);
	}
	ml_source_lines_release(&sources);
}

static const struct ml_column function_columns[] = {
	COUNTS,       COUNT("with_libraries"), COUNT("own"), TEXT("function"),
	TEXT("file"), TEXT("object"),
};

static void fill_functions(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	for (size_t i = 0; i < s->functions.count && i < top; i++) {
		const struct ml_summary_function *f = &s->functions.at[i];

		counts(t, &f->made);
		ml_table_count(t, f->with_library);
		ml_table_count(t, f->at.user);
		text(t, f->at.func);
		text(t, f->at.file);
		text(t, f->at.object);
	}
}

static const struct ml_column thread_columns[] = {
	COUNT("thread"),
	COUNT("parent"),
	COUNT("references"),
	TEXT("name"),
};

static void fill_threads(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	for (size_t i = 0; i < s->threads.count && i < top; i++) {
		ml_table_count(t, s->threads.at[i].id);
		some(t, s->threads.at[i].parent);
		ml_table_count(t, s->threads.at[i].refs);
		text(t, s->threads.at[i].name);
	}
}

static const struct ml_column phase_columns[] = {
	TEXT("phase"), COUNT("depth"), COUNT("references"), COUNT("times"), COUNT("open"),
};

static void fill_phases(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	for (size_t i = 0; i < s->phases.count && i < top; i++) {
		const struct ml_phase *p = &s->phases.at[i];

		text(t, p->name);
		ml_table_count(t, p->depth);
		ml_table_count(t, p->refs);
		ml_table_count(t, p->times);
		ml_table_count(t, p->open);
	}
}

static const struct ml_column mark_columns[] = {
	TEXT("mark"),
	COUNT("times"),
	COUNT("first"),
};

static void fill_marks(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	for (size_t i = 0; i < s->marks.count && i < top; i++) {
		text(t, s->marks.at[i].name);
		ml_table_count(t, s->marks.at[i].times);
		ml_table_count(t, s->marks.at[i].first);
	}
}

static const struct ml_column state_columns[] = {
	TEXT("state"),
	COUNT("times"),
	TEXT("low"),
	TEXT("high"),
};

static void fill_states(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	for (size_t i = 0; i < s->states.count && i < top; i++) {
		const struct ml_summary_state *x = &s->states.at[i];

		text(t, x->name);
		ml_table_count(t, x->times);
		/* as text, because cells have no sign */
		text(t, ml_arena_printf(&s->arena, "%lld", (long long)x->low));
		text(t, ml_arena_printf(&s->arena, "%lld", (long long)x->high));
	}
}

static const struct ml_column gap_columns[] = {
	TEXT("reason"),
	COUNT("gaps"),
	COUNT("missing"),
	COUNT("some_unknown"),
};

static void fill_gaps(struct ml_summary *s, uint64_t top, struct ml_table *t)
{
	for (size_t i = 0; i < s->gaps.count && i < top; i++) {
		const struct ml_summary_gap *g = &s->gaps.at[i];

		text(t, ml_text_gap_reason(g->reason));
		ml_table_count(t, g->gaps);
		ml_table_count(t, g->missing);
		ml_table_count(t, g->unknown);
	}
}

#define SECTION(name, columns, fill) \
	{ \
		name, columns, sizeof(columns) / sizeof(*(columns)), fill \
	}

static const struct section {
	const char *name;
	const struct ml_column *columns;
	size_t width;
	void (*fill)(struct ml_summary *s, uint64_t top, struct ml_table *t);
} sections[] = {
	SECTION("gaps", gap_columns, fill_gaps),
	SECTION("regions", region_columns, fill_regions),
	SECTION("lines", line_columns, fill_lines),
	SECTION("functions", function_columns, fill_functions),
	SECTION("phases", phase_columns, fill_phases),
	SECTION("threads", thread_columns, fill_threads),
	SECTION("marks", mark_columns, fill_marks),
	SECTION("states", state_columns, fill_states),
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

bool ml_info_csv(struct ml_summary *s, const char *name, uint64_t top, struct ml_buf *out,
		 struct ml_err *err)
{
	for (size_t i = 0; i < SECTIONS; i++)
		if (!strcmp(sections[i].name, name)) {
			struct ml_table t = { .columns = sections[i].columns,
					      .width = sections[i].width };

			sections[i].fill(s, top, &t);
			ml_table_csv(&t, out);
			ml_table_release(&t);
			return true;
		}
	return ml_fail(
		err, ML_USAGE,
		"there is no table '%s'; tables are gaps, regions, lines, functions, "
		"phases, threads, marks, states",
		name);
}

static void meta(struct ml_json *w, const struct ml_tables *t)
{
	ml_json_key_object(w, "about");
	for (size_t i = 0; i < t->meta.count; i++) {
		const char *key = ml_tables_text(t, t->meta.at[i].key);

		/* the last value of a key counts */
		if (ml_tables_meta_find(t, key) != ml_tables_text(t, t->meta.at[i].value))
			continue;
		ml_json_key_string(w, key, ml_tables_text(t, t->meta.at[i].value));
	}
	ml_json_end(w);
}

void ml_info_json(struct ml_summary *s, uint64_t top, struct ml_buf *out)
{
	const struct ml_trace *t = s->trace;
	struct ml_json json = { .out = out, .indent = 1 }, *w = &json;

	ml_json_object(w);
	ml_json_key_string(w, "file", t->path);
	ml_json_key_u64(w, "file_bytes", t->size);
	ml_json_key_u64(w, "created", t->created);
	ml_json_key_bool(w, "whole", t->whole);
	ml_json_key_string(w, "damage", s->damage ? s->damage : t->damage);
	ml_json_key_u64(w, "usable_bytes", t->usable);
	ml_json_key_u64(w, "references", s->total.refs);
	ml_json_key_u64(w, "reads", s->total.reads);
	ml_json_key_u64(w, "writes", s->total.writes);
	ml_json_key_u64(w, "fetches", s->total.fetches);
	ml_json_key_u64(w, "lines_touched", s->touched.lines);
	ml_json_key_u64(w, "pages_touched", s->touched.pages);
	meta(w, &t->tables);
	for (size_t i = 0; i < SECTIONS; i++) {
		struct ml_table x = { .columns = sections[i].columns,
				      .width = sections[i].width };

		sections[i].fill(s, top, &x);
		ml_json_key(w, sections[i].name);
		ml_table_json(&x, w);
		ml_table_release(&x);
	}
	ml_json_end(w);
}
