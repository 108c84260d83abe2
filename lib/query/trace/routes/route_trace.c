#include "lib/query/trace/routes/route_trace.h"

#include <string.h>

#include "lib/base/path.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_trace.h"
#include "lib/query/workspace/workspace.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/text/text.h"

enum { PHASES_MAX = 10000 };

static void put_meta(struct ml_answer *a, const struct ml_tables *t)
{
	ml_json_key(&a->json, "meta");
	ml_json_object(&a->json);
	for (size_t i = 0; i < t->meta.count; i++) {
		const char *key = ml_tables_text(t, t->meta.at[i].key);
		const char *value = ml_tables_text(t, t->meta.at[i].value);

		if (ml_tables_meta_find(t, key) == value) /* the last one counts */
			ml_answer_string(a, key, value);
	}
	ml_json_end(&a->json);
}

static void put_gaps(struct ml_answer *a, const struct ml_tables *t)
{
	ml_json_key(&a->json, "gaps");
	ml_json_array(&a->json);
	for (size_t i = 0; i < t->gaps.count && i < PHASES_MAX; i++) {
		ml_json_object(&a->json);
		ml_answer_u64(a, "time", t->gaps.at[i].time);
		ml_answer_u64(a, "count", t->gaps.at[i].count);
		ml_answer_string(a, "reason", ml_text_gap_reason(t->gaps.at[i].reason));
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

/* When a thread was there; the last entry of an id counts. */
static struct ml_thread life_of(const struct ml_tables *t, uint16_t id)
{
	for (size_t i = t->threads.count; i-- > 0;)
		if (t->threads.at[i].id == id)
			return t->threads.at[i];
	return (struct ml_thread){ 0 };
}

static void put_threads(struct ml_answer *a, const struct ml_summary *s)
{
	ml_json_key(&a->json, "threads");
	ml_json_array(&a->json);
	for (size_t i = 0; i < s->threads.count; i++) {
		const struct ml_summary_thread *x = &s->threads.at[i];

		ml_json_object(&a->json);
		ml_answer_u64(a, "thread", x->id);
		ml_answer_u64(a, "parent", x->parent);
		ml_answer_string(a, "name", x->name);
		ml_answer_u64(a, "references", x->refs);
		struct ml_thread life = life_of(&s->trace->tables, x->id);
		ml_answer_u64(a, "from", life.from);
		ml_answer_u64(a, "until",
			      life.until < s->trace->count ? life.until
							   : s->trace->count);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

/* A phase from its begin to its end, or the end of the trace; marks apart. */
static void put_phases(struct ml_answer *a, const struct ml_trace *t)
{
	const struct ml_tables *tables = &t->tables;
	size_t count = tables->marks.count;
	size_t *end = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*end)),
	       *open = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*open)), depth = 0;
	uint32_t *level = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*level));

	for (size_t i = 0; i < count; i++) {
		const struct ml_mark *m = &tables->marks.at[i];
		size_t k = depth;

		if (m->kind == ML_MARK_BEGIN) {
			level[i] = 0;
			for (size_t j = 0; j < depth; j++)
				level[i] += tables->marks.at[open[j]].thread == m->thread;
			open[depth++] = i;
		}
		if (m->kind != ML_MARK_END)
			continue;
		while (k && (tables->marks.at[open[k - 1]].name != m->name ||
			     tables->marks.at[open[k - 1]].thread != m->thread))
			k--;
		if (!k)
			continue;
		end[open[k - 1]] = i + 1;
		memmove(&open[k - 1], &open[k], (depth - k) * sizeof(*open));
		depth--;
	}
	ml_json_key(&a->json, "phases");
	ml_json_array(&a->json);
	for (size_t i = 0, n = 0; i < count && n < PHASES_MAX; i++) {
		const struct ml_mark *m = &tables->marks.at[i];

		if (m->kind != ML_MARK_BEGIN)
			continue;
		n++;
		ml_json_object(&a->json);
		ml_answer_string(a, "name", ml_tables_text(tables, m->name));
		ml_answer_u64(a, "depth", level[i]);
		ml_answer_u64(a, "thread", m->thread);
		ml_answer_u64(a, "from", m->time);
		ml_answer_u64(a, "to",
			      end[i] ? tables->marks.at[end[i] - 1].time : t->count);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_key(&a->json, "marks");
	ml_json_array(&a->json);
	for (size_t i = 0, n = 0; i < count && n < PHASES_MAX; i++)
		if (tables->marks.at[i].kind == ML_MARK_POINT) {
			n++;
			ml_json_object(&a->json);
			ml_answer_u64(a, "time", tables->marks.at[i].time);
			ml_answer_string(
				a, "name",
				ml_tables_text(tables, tables->marks.at[i].name));
			ml_json_end(&a->json);
		}
	ml_json_end(&a->json);
}

static void put_states(struct ml_answer *a, const struct ml_summary *s)
{
	ml_json_key(&a->json, "states");
	ml_json_array(&a->json);
	for (size_t i = 0; i < s->states.count; i++) {
		ml_json_object(&a->json);
		ml_answer_string(a, "name", s->states.at[i].name);
		ml_json_key(&a->json, "low");
		ml_json_i64(&a->json, s->states.at[i].low);
		ml_json_key(&a->json, "high");
		ml_json_i64(&a->json, s->states.at[i].high);
		ml_answer_u64(a, "times", s->states.at[i].times);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

static void put_files(struct ml_answer *a, const struct ml_open_trace *t)
{
	ml_json_key(&a->json, "files");
	ml_json_array(&a->json);
	for (size_t i = 0; i < t->file_count; i++) {
		ml_json_object(&a->json);
		ml_answer_u64(a, "file", i);
		ml_answer_string(a, "path",
				 ml_tables_text(&t->trace.tables, t->files[i].path));
		ml_json_key(&a->json, "kept");
		ml_json_bool(&a->json, t->files[i].text != NULL);
		ml_answer_u64(a, "lines", t->files[i].lines);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

static bool is_counted(struct ml_open_trace *t)
{
	pthread_mutex_lock(&t->document.workspace->lock);
	bool counted = t->counted;
	pthread_mutex_unlock(&t->document.workspace->lock);
	return counted;
}

bool ml_route_trace(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_trace *t = ml_open_trace(ws, q->number[0], err);
	/* what is not counted yet is empty */
	struct ml_summary none = { .trace = t ? &t->trace : NULL };
	bool soon = t && ml_request_text(q, "soon") && !is_counted(t);
	struct ml_summary *s = soon ? &none : t ? ml_open_trace_summary(t, err) : NULL;

	if (!s)
		return false;
	const struct ml_tables *tables = &t->trace.tables;
	none.total.refs = t->trace.count;
	ml_json_object(&a->json);
	ml_answer_u64(a, "trace", t->document.number);
	ml_answer_string(a, "path", t->trace.path);
	ml_answer_string(a, "name", ml_path_name(t->trace.path));
	ml_json_key(&a->json, "counted");
	ml_json_bool(&a->json, !soon);
	ml_answer_u64(a, "references", s->total.refs);
	ml_answer_u64(a, "reads", s->total.reads);
	ml_answer_u64(a, "writes", s->total.writes);
	ml_answer_u64(a, "fetches", s->total.fetches);
	ml_answer_string(a, "command", ml_tables_meta_find(tables, "command"));
	ml_answer_string(a, "back_end", ml_tables_meta_find(tables, "back end"));
	ml_answer_string(a, "damage", s->damage ? s->damage : t->trace.damage);
	put_meta(a, tables);
	put_gaps(a, tables);
	put_threads(a, s);
	put_phases(a, &t->trace);
	put_states(a, s);
	put_files(a, t);
	ml_json_end(&a->json);
	return true;
}

static void put_region(struct ml_answer *a, const struct ml_open_trace *t,
		       const struct ml_summary_region *r)
{
	const struct ml_tables *tables = &t->trace.tables;
	const struct ml_region *x = ml_region_lookup_region(t->summary.space, r->region);
	struct ml_json *w = &a->json;

	ml_json_object(w);
	ml_answer_u64(a, "region", r->region);
	ml_answer_string(a, "name", r->name);
	ml_answer_string(a, "kind", ml_region_kind_name(x->kind));
	ml_answer_string(a, "type", ml_tables_text(tables, x->type));
	ml_answer_u64(a, "elem", x->elem);
	ml_json_key(w, "dims");
	ml_json_array(w);
	for (uint32_t i = 0; i < x->dims; i++)
		ml_json_u64(w, x->dim[i]);
	ml_json_end(w);
	if (x->column_major && x->dims) {
		ml_json_key(w, "lower");
		ml_json_array(w);
		for (uint32_t i = 0; i < x->dims; i++)
			ml_json_i64(w, x->low[i]);
		ml_json_end(w);
	}
	ml_json_key(w, "fields");
	ml_json_array(w);
	for (uint32_t i = 0; i < x->fields; i++) {
		const struct ml_field *f = &tables->fields.at[x->field + i];

		ml_json_object(w);
		ml_answer_string(a, "name", ml_tables_text(tables, f->name));
		ml_answer_string(a, "type", ml_tables_text(tables, f->type));
		ml_answer_u64(a, "offset", f->offset);
		ml_answer_u64(a, "size", f->size);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_answer_u64(a, "size", r->size);
	ml_answer_u64(a, "extent", ml_open_trace_extent(t, r->region));
	ml_answer_u64(a, "blocks", r->blocks);
	ml_answer_u64(a, "references", r->count.refs);
	ml_answer_u64(a, "reads", r->count.reads);
	ml_answer_u64(a, "writes", r->count.writes);
	ml_answer_u64(a, "own", r->own);
	ml_answer_u64(a, "lines", r->lines);
	ml_answer_u64(a, "first", r->first);
	ml_answer_string(a, "file", ml_tables_text(tables, x->file));
	ml_answer_u64(a, "line", x->line);
	ml_answer_string(a, "func", ml_tables_text(tables, x->func));
	ml_json_end(w);
}

bool ml_route_regions(struct ml_workspace *ws, const struct ml_request *q,
		      struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_trace *t = ml_open_trace(ws, q->number[0], err);
	struct ml_summary *s = t ? ml_open_trace_summary(t, err) : NULL;

	if (!s)
		return false;
	ml_json_object(&a->json);
	ml_json_key(&a->json, "regions");
	ml_json_array(&a->json);
	for (size_t i = 0; i < s->regions.count; i++)
		put_region(a, t, &s->regions.at[i]);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

bool ml_route_source(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_trace *t = ml_open_trace(ws, q->number[0], err);
	uint64_t file;

	if (!t || !ml_request_u64(q, "file", UINT64_MAX, &file, err))
		return false;
	if (file >= t->file_count || !t->files[file].text)
		return ml_fail(err, ML_USAGE, "the trace has no text of file %llu",
			       (unsigned long long)file);
	a->kind = ML_ANSWER_TEXT;
	ml_buf_put(&a->head, t->files[file].text, t->files[file].size);
	return true;
}

bool ml_route_counts(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_trace *t = ml_open_trace(ws, q->number[0], err);
	struct ml_summary *s = t ? ml_open_trace_summary(t, err) : NULL;

	if (!s)
		return false;
	ml_json_object(&a->json);
	ml_json_key(&a->json, "lines");
	ml_json_array(&a->json);
	for (size_t i = 0; i < s->lines.count; i++) {
		const struct ml_summary_line *l = &s->lines.at[i];
		uint32_t file = ml_open_trace_file(
			t, ml_names_find(&t->trace.tables.names, l->at.file));

		ml_json_object(&a->json);
		ml_json_key(&a->json, "file");
		if (file == UINT32_MAX)
			ml_json_null(&a->json);
		else
			ml_json_u64(&a->json, file);
		ml_answer_u64(a, "line", l->at.line);
		ml_answer_string(a, "func", l->at.func);
		ml_answer_string(a, "object", l->at.object);
		ml_json_key(&a->json, "own");
		ml_json_bool(&a->json, l->at.own);
		ml_answer_u64(a, "references", l->count.refs);
		ml_answer_u64(a, "reads", l->count.reads);
		ml_answer_u64(a, "writes", l->count.writes);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}
