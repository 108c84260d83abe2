/* The offenders: lines within their functions or files, data objects, levels. */
#include <string.h>

#include "lib/query/samples/route_samples.h"
#include "lib/query/samples/row_groups.h"
#include "lib/query/samples/sample_request.h"
#include "lib/samples/totals.h"

/* Totals of the selection, and of the pre-selection beside them. */
struct offenders {
	const struct ml_sample_request *r;
	struct ml_json *w;
	int first, second;
	struct ml_totals all, also;
};

static void totals(const struct ml_sample_request *r, struct ml_totals *t,
		   const struct ml_selection *sel, int first, int second)
{
	const struct ml_row_groups *g = ml_open_table_groups(r->table, first, second);

	if (g)
		ml_row_groups_totals(g, t, r->s, sel, r->q.order, r->q.arena);
	else
		ml_totals_by(t, r->s, sel, first, second, r->q.order, r->q.arena);
}

static void count(struct offenders *o, int first, int second)
{
	const struct ml_sample_request *r = o->r;

	o->first = first;
	o->second = second;
	totals(r, &o->all, &r->q.selected, first, second);
	o->also = (struct ml_totals){ 0 };
	if (r->has_also)
		totals(r, &o->also, &r->also, first, second);
}

static bool same_value(const struct ml_total *x, const struct ml_total *y, size_t i)
{
	return x->missing[i] == y->missing[i] &&
	       (x->missing[i] || x->value[i] == y->value[i]);
}

/* What the pre-selection has of a value, or of a pair of values. */
static struct ml_total also_of(const struct offenders *o, const struct ml_total *x,
			       bool pair)
{
	struct ml_total sum = { 0 };

	for (size_t i = 0; i < o->also.count; i++) {
		const struct ml_total *y = &o->also.list[i];

		if (!same_value(x, y, 0) || (pair && !same_value(x, y, 1)))
			continue;
		sum.samples += y->samples;
		sum.timed += y->timed;
		sum.cycles += y->cycles;
	}
	return sum;
}

static void put_sums(const struct offenders *o, const struct ml_total *x, bool pair)
{
	ml_json_key_u64(o->w, "samples", x->samples);
	ml_json_key_u64(o->w, "timed", x->timed);
	ml_json_key_u64(o->w, "cycles", x->cycles);
	if (o->r->has_also) {
		struct ml_total also = also_of(o, x, pair);

		ml_json_key_u64(o->w, "also", also.samples);
		ml_json_key_u64(o->w, "alsoCycles", also.cycles);
	}
}

static const char *value_text(const struct offenders *o, const struct ml_total *x,
			      size_t i, char text[ML_SAMPLES_TEXT])
{
	const struct ml_samples_column *c = &o->r->s->columns[i ? o->second : o->first];

	return x->missing[i] ? "??" : ml_samples_text(c, x->value[i], text);
}

static const char *condition(const struct offenders *o, const struct ml_total *x,
			     bool pair)
{
	struct ml_arena *a = o->r->q.arena;
	const char *outer = ml_sample_condition(o->r->s, (size_t)o->first, x->value[0],
						x->missing[0], a),
		   *inner;

	if (!pair || !outer)
		return outer;
	inner = ml_sample_condition(o->r->s, (size_t)o->second, x->value[1],
				    x->missing[1], a);
	return inner ? ml_arena_printf(a, "%s and %s", outer, inner) : NULL;
}

/* A list of values of one column. */
static void put_values(struct offenders *o, const char *key, int column)
{
	char text[ML_SAMPLES_TEXT];

	ml_json_key_array(o->w, key);
	if (column >= 0) {
		count(o, column, -1);
		for (size_t i = 0; i < o->all.count && i < o->r->q.top; i++) {
			const struct ml_total *x = &o->all.list[i];

			ml_json_object(o->w);
			ml_json_key_string(o->w, "name", value_text(o, x, 0, text));
			put_sums(o, x, false);
			ml_json_key_string(o->w, "select", condition(o, x, false));
			ml_json_end(o->w);
		}
	}
	ml_json_end(o->w);
}

static void put_lines(struct offenders *o, const struct ml_total *group)
{
	char text[ML_SAMPLES_TEXT];
	size_t shown = 0;

	ml_json_key_array(o->w, "lines");
	for (size_t i = 0; i < o->all.count && shown < o->r->q.top; i++) {
		const struct ml_total *x = &o->all.list[i];

		if (!same_value(x, group, 0))
			continue;
		shown++;
		ml_json_object(o->w);
		ml_json_key_string(o->w, "line", value_text(o, x, 1, text));
		put_sums(o, x, true);
		ml_json_key_string(o->w, "select", condition(o, x, true));
		ml_json_end(o->w);
	}
	ml_json_end(o->w);
}

/* The file in which most samples of a function are. */
static const char *file_of(const struct ml_samples *s, const struct ml_totals *files,
			   const struct ml_total *function, char text[ML_SAMPLES_TEXT])
{
	for (size_t i = 0; i < files->count; i++)
		if (same_value(&files->list[i], function, 0))
			return files->list[i].missing[1]
				       ? NULL
				       : ml_samples_text(
						 &s->columns[s->role[ML_SAMPLES_FILE]],
						 files->list[i].value[1], text);
	return NULL;
}

/* Lines grouped by function, or by file where functions are not known. */
static void put_groups(struct offenders *o)
{
	const struct ml_samples *s = o->r->s;
	int line = s->role[ML_SAMPLES_LINE], file = s->role[ML_SAMPLES_FILE],
	    group = s->role[ML_SAMPLES_FUNCTION];
	bool functions = group >= 0;
	struct ml_totals files = { 0 };
	struct offenders inner = *o;
	char text[ML_SAMPLES_TEXT];

	group = functions ? group : file;
	ml_json_key_string(o->w, "groupedBy", functions ? "function" : "file");
	ml_json_key_array(o->w, "groups");
	if (group >= 0) {
		count(o, group, -1);
		if (line >= 0)
			count(&inner, group, line);
		if (functions && file >= 0)
			totals(o->r, &files, &o->r->q.selected, group, file);
		for (size_t i = 0; i < o->all.count && i < o->r->q.top; i++) {
			const struct ml_total *x = &o->all.list[i];

			ml_json_object(o->w);
			ml_json_key_string(o->w, "name", value_text(o, x, 0, text));
			ml_json_key_string(o->w, "file",
					   functions ? file_of(s, &files, x, text)
						     : value_text(o, x, 0, text));
			put_sums(o, x, false);
			ml_json_key_string(o->w, "select", condition(o, x, false));
			if (line >= 0)
				put_lines(&inner, x);
			ml_json_end(o->w);
		}
	}
	ml_json_end(o->w);
}

bool ml_route_samples_offenders(struct ml_workspace *ws, const struct ml_request *q,
				struct ml_answer *a, struct ml_err *err)
{
	struct ml_sample_request r;

	if (!ml_sample_request_read(&r, ws, q, a, err))
		return false;
	if (!ml_request_text(q, "top"))
		r.q.top = 40;
	struct offenders o = { .r = &r, .w = &a->json };
	ml_json_object(o.w);
	put_groups(&o);
	put_values(&o, "objects", r.s->role[ML_SAMPLES_VARIABLE]);
	put_values(&o, "levels", r.s->role[ML_SAMPLES_LEVEL]);
	ml_json_end(o.w);
	return true;
}
