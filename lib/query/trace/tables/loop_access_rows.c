#include "lib/query/trace/tables/loop_access_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/loops/loop_walk.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

void ml_loop_access_rows_release(struct ml_loop_access_rows *r)
{
	ml_free(r->at);
	ml_arena_release(&r->arena);
	*r = (struct ml_loop_access_rows){ 0 };
}

static int by_time(const void *a, const void *b)
{
	const struct ml_loop_access *x = *(const struct ml_loop_access *const *)a;
	const struct ml_loop_access *y = *(const struct ml_loop_access *const *)b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static int by_refs(const void *a, const void *b)
{
	const struct ml_loop_access_row *x = a, *y = b;

	if (x->refs != y->refs)
		return x->refs > y->refs ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->what < y->what ? -1 : x->what > y->what;
}

static void describe_levels(struct ml_loop_access_row *row, const struct ml_tables *t,
			    const struct ml_loop_walk *w, const struct ml_loop_access *a)
{
	const struct ml_loop_tree *tree = ml_loop_walk_tree(w);

	for (uint32_t n = a->node; n != ML_NO_NODE && row->levels < a->levels;
	     n = tree->node[n].parent) {
		const struct ml_loop_node *x = &tree->node[n];

		if (x->kind != ML_LOOP_LOOP)
			continue;
		const struct ml_code_loop *l =
			&ml_loop_walk_function(w, x->function)->loop[x->loop];
		const struct ml_frame *f = &t->frames.at[l->frame];
		struct ml_loop_access_level *level = &row->level[row->levels];
		*level = (struct ml_loop_access_level){
			.file = l->site ? ml_tables_text(t, f->file) : "",
			.line = l->site ? f->line : 0,
			.address = ml_loop_walk_graph(w)->block[l->header].at,
		};
		level->motion = ml_loop_access_motion(a, row->levels++, &level->step);
	}
}

/* Fills the rows: the accesses in loops, in order of time for the look-up of regions. */
static bool fill(struct ml_loop_access_rows *r, struct ml_trace *t,
		 const struct ml_loop_walk *w, struct ml_err *err)
{
	const struct ml_loop_accesses *all = ml_loop_walk_accesses(w);
	struct ml_region_lookup *lookup = ml_region_lookup_open(t, err);
	size_t count = 0;

	if (!lookup)
		return false;
	const struct ml_loop_access **sorted =
		ml_resize(NULL, (all->count + 1) * sizeof(*sorted));
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].levels)
			sorted[count++] = &all->at[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), by_time);
	r->at = ml_resize(NULL, (count + 1) * sizeof(*r->at));
	for (size_t i = 0; i < count; i++) {
		const struct ml_loop_access *a = sorted[i];
		struct ml_ref ref = { a->time, a->addr, a->site, 0, a->thread, a->what };
		struct ml_place place = ml_region_lookup_find(lookup, &ref);
		struct ml_frame frame = ml_tables_frame(&t->tables, a->site);
		struct ml_loop_access_row *row = &r->at[r->count++];

		*row = (struct ml_loop_access_row){
			.func = ml_tables_text(&t->tables, frame.func),
			.file = ml_tables_text(&t->tables, frame.file),
			.line = frame.line,
			.data = ml_arena_strdup(
				&r->arena, ml_region_lookup_name(lookup, place.region)),
			.what = a->what,
			.refs = a->refs,
		};
		describe_levels(row, &t->tables, w, a);
	}
	ml_free(sorted);
	ml_region_lookup_close(lookup);
	if (r->count)
		qsort(r->at, r->count, sizeof(*r->at), by_refs);
	return true;
}

bool ml_loop_access_rows_make(struct ml_loop_access_rows *r, struct ml_trace *t,
			      const struct ml_work *work, struct ml_err *err)
{
	*r = (struct ml_loop_access_rows){ .refs = t->count };
	if (!ml_trace_knows_control(t, err))
		return false;
	struct ml_loop_walk *w = ml_loop_walk_open_accesses(t, work, err);
	if (!w)
		return false;
	while (ml_loop_walk_next(w, NULL, err))
		;
	bool ok = err->kind == ML_OK;
	ml_loop_walk_finish(w);
	ok = ok && fill(r, t, w, err);
	ml_loop_walk_close(w);
	if (!ok)
		ml_loop_access_rows_release(r);
	return ok;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *place(struct ml_arena *a, const char *file, uint32_t line,
			 const char *func, uint64_t address)
{
	if (line)
		return ml_arena_printf(a, "%s:%u", base_name(file), line);
	return func && *func ? func
			     : ml_arena_printf(a, "0x%llx", (unsigned long long)address);
}

static const char *const motions[] = {
	[ML_LOOP_UNKNOWN] = "unknown",     [ML_LOOP_INVARIANT] = "invariant",
	[ML_LOOP_CONSTANT] = "constant",   [ML_LOOP_REGULAR] = "regular",
	[ML_LOOP_IRREGULAR] = "irregular",
};

/* "8 by a.c:12, mostly 400 by a.c:11" */
static const char *steps_of(struct ml_arena *a, const struct ml_loop_access_row *row)
{
	const char *text = "";

	for (unsigned i = 0; i < row->levels; i++) {
		const struct ml_loop_access_level *l = &row->level[i];
		const char *step =
			l->motion == ML_LOOP_UNKNOWN     ? "?"
			: l->motion == ML_LOOP_IRREGULAR ? "irregular"
			: l->motion == ML_LOOP_REGULAR
				? ml_arena_printf(a, "mostly %lld", (long long)l->step)
				: ml_arena_printf(a, "%lld", (long long)l->step);

		text = ml_arena_printf(a, "%s%s%s by %s", text, i ? ", " : "", step,
				       place(a, l->file, l->line, NULL, l->address));
	}
	return text;
}

static const char *kind_of(struct ml_arena *a, uint16_t what)
{
	static const char *const kinds[] = { "read", "write", "fetch", "?" };

	return ml_arena_printf(a, "%s %u", kinds[what >> 14], ml_what_size(what));
}

static size_t rows_of(const struct ml_loop_access_rows *r, size_t top)
{
	return top && top < r->count ? top : r->count;
}

void ml_loop_access_rows_text(const struct ml_loop_access_rows *r, size_t top,
			      int columns, struct ml_buf *out)
{
	static const struct ml_column all[] = {
		{ "references", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "access", .kind = ML_COLUMN_TEXT },
		{ "data", .kind = ML_COLUMN_TEXT },
		{ "place", .kind = ML_COLUMN_TEXT },
		{ "steps", .kind = ML_COLUMN_TEXT, "bytes by iteration of loops" },
	};
	struct ml_table t = { .columns = all, .width = 5 };

	for (size_t i = 0; i < rows_of(r, top); i++) {
		const struct ml_loop_access_row *row = &r->at[i];

		ml_table_real(&t, r->refs ? (double)row->refs / (double)r->refs : 0);
		ml_table_text(&t, kind_of(&t.arena, row->what));
		ml_table_text(&t, row->data);
		ml_table_text(&t, place(&t.arena, row->file, row->line, row->func, 0));
		ml_table_text(&t, steps_of(&t.arena, row));
	}
	ml_table_print(&t, columns, out);
	if (rows_of(r, top) < r->count)
		ml_buf_printf(out, "\n%zu rarer ones are left out; --top shows more.\n",
			      r->count - rows_of(r, top));
	ml_table_release(&t);
}

/* A row of CSV is an access and one of its loops. */
void ml_loop_access_rows_csv(const struct ml_loop_access_rows *r, size_t top,
			     struct ml_buf *out)
{
	static const struct ml_column all[] = {
		{ "function", .kind = ML_COLUMN_TEXT },
		{ "file", .kind = ML_COLUMN_TEXT },
		{ "line", .kind = ML_COLUMN_COUNT },
		{ "access", .kind = ML_COLUMN_TEXT },
		{ "data", .kind = ML_COLUMN_TEXT },
		{ "references", .kind = ML_COLUMN_COUNT },
		{ "level", .kind = ML_COLUMN_COUNT },
		{ "loop_file", .kind = ML_COLUMN_TEXT },
		{ "loop_line", .kind = ML_COLUMN_COUNT },
		{ "motion", .kind = ML_COLUMN_TEXT },
		{ "step", .kind = ML_COLUMN_REAL },
	};
	struct ml_table t = { .columns = all, .width = 11 };

	for (size_t i = 0; i < rows_of(r, top); i++)
		for (unsigned k = 0; k < r->at[i].levels; k++) {
			const struct ml_loop_access_row *row = &r->at[i];
			const struct ml_loop_access_level *l = &row->level[k];

			ml_table_text(&t, row->func);
			ml_table_text(&t, row->file);
			ml_table_count(&t, row->line);
			ml_table_text(&t, kind_of(&t.arena, row->what));
			ml_table_text(&t, row->data);
			ml_table_count(&t, row->refs);
			ml_table_count(&t, k);
			ml_table_text(&t, l->file);
			ml_table_count(&t, l->line);
			ml_table_text(&t, motions[l->motion]);
			if (l->motion == ML_LOOP_UNKNOWN ||
			    l->motion == ML_LOOP_IRREGULAR)
				ml_table_no_value(&t);
			else
				ml_table_real(&t, (double)l->step);
		}
	ml_table_csv(&t, out);
	ml_table_release(&t);
}

void ml_loop_access_rows_json(const struct ml_loop_access_rows *r, size_t top,
			      struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 2 };
	struct ml_arena a = { 0 };

	ml_json_object(&w);
	ml_json_key_u64(&w, "references", r->refs);
	ml_json_key_array(&w, "accesses");
	for (size_t i = 0; i < rows_of(r, top); i++) {
		const struct ml_loop_access_row *row = &r->at[i];

		ml_json_object(&w);
		ml_json_key_string(&w, "function", row->func);
		ml_json_key_string(&w, "file", row->file);
		ml_json_key_u64(&w, "line", row->line);
		ml_json_key_string(&w, "access", kind_of(&a, row->what));
		ml_json_key_string(&w, "data", row->data);
		ml_json_key_u64(&w, "references", row->refs);
		ml_json_key_array(&w, "loops");
		for (unsigned k = 0; k < row->levels; k++) {
			const struct ml_loop_access_level *l = &row->level[k];

			ml_json_object(&w);
			ml_json_key_string(&w, "file", l->file);
			ml_json_key_u64(&w, "line", l->line);
			ml_json_key_address(&w, "address", l->address);
			ml_json_key_string(&w, "motion", motions[l->motion]);
			ml_json_key_i64(&w, "step", l->step);
			ml_json_end(&w);
		}
		ml_json_end(&w);
		ml_json_end(&w);
	}
	ml_json_end(&w);
	ml_json_end(&w);
	ml_buf_text(out, "\n");
	ml_arena_release(&a);
}
