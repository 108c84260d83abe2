#include "lib/query/ensemble/route_ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/ensemble/shared_cache_model.h"
#include "lib/query/ensemble/curve_words.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/ensemble/open_ensemble.h"
#include "lib/query/drawing/figure.h"
#include "lib/query/ensemble/ensemble_tables.h"
#include "lib/query/ensemble/picture_ensemble.h"

enum {
	CELLS = 1024,
	CELLS_MAX = 65536,
	VALUES_MAX = 1 << 23,
	KNOTS_MAX = 4096,
	FRAME = 310
};

/* What the routes about curves have in common: CURVE, and the window. */
struct question {
	struct ml_open_ensemble *x;
	struct ml_curve_options o;
	struct ml_time_matching matching;
	double from, to, end; /* common time */
	size_t cells;
	uint32_t *members;
	size_t count;
	bool *only; /* of all members: whether it is among them; NULL: all are */
};

static bool read_real(const struct ml_request *q, const char *key, double otherwise,
		      double *v, struct ml_err *err)
{
	const char *text = ml_request_text(q, key);

	*v = otherwise;
	return !text || ml_curve_words_number(text, key, v, err);
}

static bool read_matching(struct question *x, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	const char *time = ml_request_text(q, "time"),
		   *match = ml_request_text(q, "match");
	const char *const *const *pairs = NULL;
	enum ml_time_match_how how = ML_TIME_MATCH_RAW;
	uint64_t base;
	size_t count = 0;

	if ((time && !ml_curve_words_time(time, &how, err)) ||
	    (match && *match &&
	     !ml_curve_words_pairs(match, &x->x->e, &pairs, &count, &a->arena, err)) ||
	    !ml_request_u64(q, "base", 0, &base, err))
		return false;
	if (base >= x->x->e.trace_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no trace %llu",
			       (unsigned long long)base);
	return ml_time_match(&x->matching, &x->x->e, how, pairs, count, (uint32_t)base,
			     &a->arena, err);
}

static bool read_measure(struct question *x, const struct ml_request *q,
			 struct ml_err *err)
{
	const char *measure = ml_request_text(q, "measure"),
		   *weights = ml_request_text(q, "weights");
	uint64_t level, volume, against;

	x->o = (struct ml_curve_options){ .matching = &x->matching };
	if ((measure && !ml_curve_words_measure(measure, &x->o.measure, err)) ||
	    (weights && *weights &&
	     !ml_curve_words_weights(weights, &x->x->e, &x->o, err)) ||
	    !ml_request_u64(q, "level", 1, &level, err) ||
	    !ml_request_u64(q, "volume", 0, &volume, err) ||
	    !ml_request_u64(q, "against", UINT64_MAX, &against, err) ||
	    !read_real(q, "window", 0, &x->o.window, err))
		return false;
	if (level < 1 || level >= ML_SERVED)
		return ml_fail(err, ML_USAGE, "there is no level %llu",
			       (unsigned long long)level);
	if (against != UINT64_MAX && against >= x->x->e.member_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no member %llu",
			       (unsigned long long)against);
	x->o.level = (unsigned)level;
	x->o.volume = volume != 0;
	x->o.against = against == UINT64_MAX ? SIZE_MAX : (size_t)against;
	return true;
}

/* "0,3,5"; all where they are not given. */
static bool read_members(struct question *x, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	const char *text = ml_request_text(q, "members");
	size_t all = x->x->e.member_count;

	x->members = ml_arena_alloc(&a->arena, (all + 1) * sizeof(*x->members));
	if (!text) {
		for (; x->count < all; x->count++)
			x->members[x->count] = (uint32_t)x->count;
		return true;
	}
	x->only = ml_arena_alloc(&a->arena, all + 1);
	while (*text) {
		char *end;
		unsigned long long v = strtoull(text, &end, 10);

		if (end == text || *text == '-' || *text == '+' ||
		    (*end && *end != ',') || v >= all)
			return ml_fail(
				err, ML_USAGE,
				"members=...%s: there is no such member; they are 0 "
				"to %zu",
				text, all ? all - 1 : 0);
		if (!x->only[v])
			x->members[x->count++] = (uint32_t)v;
		x->only[v] = true;
		text = *end ? end + 1 : end;
	}
	return true;
}

static bool read_window(struct question *x, const struct ml_request *q,
			struct ml_err *err)
{
	uint64_t cells;

	x->end = ml_time_match_end(&x->matching);
	if (!read_real(q, "from", 0, &x->from, err) ||
	    !read_real(q, "to", x->end, &x->to, err) ||
	    !ml_request_u64(q, "cells", CELLS, &cells, err))
		return false;
	if (x->from > x->to)
		return ml_fail(err, ML_USAGE, "from=%g lies behind to=%g", x->from,
			       x->to);
	if (cells < 2 || cells > CELLS_MAX)
		return ml_fail(err, ML_USAGE, "cells=%llu is not 2 to %d",
			       (unsigned long long)cells, CELLS_MAX);
	x->to = x->to < x->end ? x->to : x->end;
	x->from = x->from < x->to ? x->from : x->to;
	x->cells = (size_t)cells;
	return true;
}

static bool read_question(struct question *x, struct ml_workspace *ws,
			  const struct ml_request *q, struct ml_answer *a,
			  struct ml_err *err)
{
	*x = (struct question){ .x = ml_open_ensemble(ws, q->number[0], err) };
	return x->x && read_matching(x, q, a, err) && read_measure(x, q, err) &&
	       read_members(x, q, a, err) && read_window(x, q, err);
}

static void put_real(struct ml_answer *a, const char *key, double v)
{
	ml_json_key(&a->json, key);
	ml_json_real(&a->json, v);
}

static void put_window(struct ml_answer *a, const struct question *x)
{
	put_real(a, "from", x->from);
	put_real(a, "to", x->to);
	put_real(a, "end", x->end);
	ml_answer_u64(a, "cells", x->cells);
	ml_answer_string(a, "unit", ml_measure_units[x->o.measure]);
}

static void put_numbers(struct ml_answer *a, const char *key, const uint32_t *v,
			size_t count)
{
	ml_json_key(&a->json, key);
	ml_json_array(&a->json);
	for (size_t i = 0; i < count; i++)
		ml_json_u64(&a->json, v[i]);
	ml_json_end(&a->json);
}

static void put_traces(struct ml_answer *a, const struct ml_open_ensemble *x)
{
	struct ml_json *w = &a->json;

	ml_json_key(w, "traces");
	ml_json_array(w);
	for (size_t i = 0; i < x->e.trace_count; i++) {
		const struct ml_ensemble_trace *t = &x->e.traces[i];

		ml_json_object(w);
		ml_answer_u64(a, "trace", i);
		ml_answer_string(a, "label", t->label);
		ml_answer_string(a, "path", t->path);
		ml_answer_u64(a, "from", t->from);
		ml_answer_u64(a, "references", ml_ensemble_refs(t));
		ml_answer_u64(a, "width", (uint64_t)1 << t->bits);
		ml_answer_u64(a, "bins", t->bins);
		ml_json_key(w, "open");
		if (x->open[i])
			ml_json_u64(w, x->open[i] - 1);
		else
			ml_json_null(w);
		ml_json_key(w, "milestones");
		ml_json_array(w);
		for (size_t k = 0; k < t->milestone_count; k++) {
			ml_json_object(w);
			ml_answer_string(a, "name", t->milestones[k].name);
			ml_answer_u64(a, "count", t->milestones[k].count);
			ml_json_end(w);
		}
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_json_end(w);
}

static void put_parameters(struct ml_answer *a, const struct ml_axes *x)
{
	struct ml_json *w = &a->json;

	ml_json_key(w, "parameters");
	ml_json_array(w);
	for (size_t i = 0; i < x->count; i++) {
		ml_json_object(w);
		ml_answer_string(a, "name", x->at[i].name);
		ml_json_key(w, "numeric");
		ml_json_bool(w, x->at[i].numeric);
		ml_json_key_bool(w, "size", ml_axis_is_size(&x->at[i]));
		ml_json_key(w, "values");
		ml_json_array(w);
		for (size_t k = 0; k < x->at[i].count; k++)
			ml_json_string(w, x->at[i].values[k]);
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_json_end(w);
}

/* What can be measured, and the kinds of common time: lists to choose from. */
static void put_choices(struct ml_json *w)
{
	ml_json_key_array(w, "measures");
	for (unsigned i = 0; i < ML_MEASURES; i++) {
		ml_json_object(w);
		ml_json_key_string(w, "id", ml_measure_names[i]);
		ml_json_key_string(w, "label", ml_measure_labels[i]);
		ml_json_key_string(w, "axis", ml_measure_axes[i]);
		ml_json_key_bool(w, "level", ml_measure_has_level(i));
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_key_array(w, "times");
	for (unsigned i = 0; ml_time_match_names[i]; i++)
		ml_json_string(w, ml_time_match_names[i]);
	ml_json_end(w);
}

static void put_levels(struct ml_answer *a, const struct ml_machine *m)
{
	struct ml_json *w = &a->json;

	ml_json_key(w, "levels");
	ml_json_array(w);
	for (unsigned k = 0; k <= m->levels; k++) {
		ml_json_object(w);
		ml_answer_string(a, "name", ml_machine_level_name(m, k + 1));
		if (k < m->levels) {
			ml_answer_u64(a, "size", m->level[k].size);
			ml_answer_u64(a, "line", m->level[k].line);
		}
		ml_answer_u64(a, "cycles",
			      k < m->levels ? m->level[k].cycles : m->memory_cycles);
		ml_json_end(w);
	}
	ml_json_end(w);
}

static void put_member(struct ml_answer *a, const struct ml_open_ensemble *x, size_t i)
{
	const struct ml_member *m = &x->e.members[i];
	struct ml_json *w = &a->json;

	ml_json_object(w);
	ml_answer_u64(a, "member", i);
	ml_answer_string(a, "label", m->label);
	ml_answer_u64(a, "trace", m->trace);
	ml_answer_string(a, "machine", m->machine);
	ml_json_key(w, "values");
	ml_json_array(w);
	for (size_t k = 0; k < x->axes.count; k++)
		ml_json_string(w, ml_axis_value(&x->axes.at[k], i));
	ml_json_end(w);
	ml_json_key(w, "numbers");
	ml_json_array(w);
	for (size_t k = 0; k < x->axes.count; k++) {
		const struct ml_axis *axis = &x->axes.at[k];

		ml_json_real(w, axis->of[i] ? axis->numbers[axis->of[i] - 1] : NAN);
	}
	ml_json_end(w);
	put_levels(a, &m->parsed);
	ml_json_key(w, "done");
	ml_json_bool(w, m->done);
	ml_json_key(w, "served");
	ml_json_array(w);
	for (unsigned k = 1; k <= m->parsed.levels + 1; k++)
		ml_json_u64(w, m->total[k]);
	ml_json_end(w);
	put_real(a, "cycles", m->done ? ml_profile_cycles(&m->parsed, m->total) : NAN);
	ml_json_end(w);
}

bool ml_route_ensemble(struct ml_workspace *ws, const struct ml_request *q,
		       struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_ensemble *x = ml_open_ensemble(ws, q->number[0], err);
	unsigned levels = 0;

	if (!x)
		return false;
	for (size_t i = 0; i < x->e.member_count; i++)
		if (x->e.members[i].parsed.levels > levels)
			levels = x->e.members[i].parsed.levels;
	const char *slash = strrchr(x->document.path, '/');
	ml_json_object(&a->json);
	ml_answer_u64(a, "ensemble", x->document.number);
	ml_answer_string(a, "path", x->document.path);
	ml_answer_string(a, "name", slash ? slash + 1 : x->document.path);
	ml_answer_u64(a, "levels", levels);
	put_choices(&a->json);
	put_traces(a, x);
	put_parameters(a, &x->axes);
	ml_json_key(&a->json, "members");
	ml_json_array(&a->json);
	for (size_t i = 0; i < x->e.member_count; i++)
		put_member(a, x, i);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

static void put_knots(struct ml_answer *a, const struct ml_ensemble *e,
		      const struct ml_time_matching *m)
{
	size_t shown = m->knots < KNOTS_MAX ? m->knots : KNOTS_MAX;
	struct ml_json *w = &a->json;

	ml_json_key(w, "knots");
	ml_json_array(w);
	for (size_t i = 0; i < shown; i++) {
		size_t k = i * (m->knots - 1) / (shown - 1);

		ml_json_array(w);
		for (size_t t = 0; t < e->trace_count; t++)
			ml_json_u64(w, m->at[t][k]);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_key(w, "names");
	ml_json_array(w);
	for (size_t i = 0; i < shown; i++) {
		size_t k = i * (m->knots - 1) / (shown - 1);

		ml_json_string(w, m->visit[k] ? ml_arena_printf(
							&a->arena, "%s, %llu", m->name[k],
							(unsigned long long)m->visit[k])
					      : m->name[k]);
	}
	ml_json_end(w);
	ml_answer_u64(a, "shown", shown);
	ml_answer_u64(a, "count", m->knots);
}

bool ml_route_matching(struct ml_workspace *ws, const struct ml_request *q,
		       struct ml_answer *a, struct ml_err *err)
{
	struct ml_json *w = &a->json;
	struct question x;

	if (!read_question(&x, ws, q, a, err))
		return false;
	ml_json_object(w);
	ml_answer_string(a, "how", ml_time_match_names[x.matching.how]);
	ml_answer_u64(a, "base", x.matching.base);
	put_real(a, "end", x.end);
	put_knots(a, &x.x->e, &x.matching);
	ml_json_key(w, "unequal");
	ml_json_array(w);
	for (size_t i = 0; i < x.matching.unequal_count; i++)
		ml_json_string(w, x.matching.unequal[i]);
	ml_json_end(w);
	ml_json_end(w);
	return true;
}

static bool small_enough(size_t curves, size_t cells, struct ml_err *err)
{
	return curves <= VALUES_MAX / cells ||
	       ml_fail(err, ML_USAGE,
		       "%zu curves of %zu cells are too much for one answer: ask for fewer",
		       curves, cells);
}

static bool stopped(const struct ml_request *q, struct ml_err *err)
{
	return ml_work_cancelled(&q->work) &&
	       !ml_fail(err, ML_STOPPED, "nobody waits for the answer any more");
}

static float *floats(struct ml_answer *a, const double *v, size_t count)
{
	float *out = ml_arena_alloc(&a->arena, (count + 1) * sizeof(*out));

	for (size_t i = 0; i < count; i++)
		out[i] = (float)v[i];
	return out;
}

bool ml_route_curves(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	static const char *const names[] = { "mean", "low", "high", "deviation" };
	struct question x;

	if (!read_question(&x, ws, q, a, err) || !small_enough(x.count, x.cells, err))
		return false;
	size_t n = x.count * x.cells;
	double *mean = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*mean)),
	       *more = ml_arena_alloc(&a->arena, 3 * x.cells * sizeof(*more)),
	       *average = more, *spread = more + x.cells;
	float *out[4];
	for (size_t i = 0; i < 4; i++)
		out[i] = ml_arena_alloc(&a->arena, (n + 1) * sizeof(**out));
	for (size_t i = 0; i < x.count; i++) {
		double *v[4] = { mean + i * x.cells, more, more + x.cells,
				 more + 2 * x.cells };

		if (stopped(q, err))
			return false;
		ml_curve(x.x->curves, x.members[i], &x.o, x.from, x.to, x.cells, v[0],
			 v[1], v[2], v[3]);
		for (size_t k = 0; k < 4; k++)
			for (size_t c = 0; c < x.cells; c++)
				out[k][i * x.cells + c] = (float)v[k][c];
	}
	ml_curve_spread(mean, x.count, x.cells, average, spread);
	ml_answer_columns(a);
	put_window(a, &x);
	put_numbers(a, "members", x.members, x.count);
	for (size_t k = 0; k < 4; k++)
		ml_answer_column(a, names[k], ML_TYPE_F32, out[k], n);
	ml_answer_column(a, "average", ML_TYPE_F32, floats(a, average, x.cells), x.cells);
	ml_answer_column(a, "spread", ML_TYPE_F32, floats(a, spread, x.cells), x.cells);
	return true;
}

bool ml_route_ensemble_table(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct ml_json *w = &a->json;
	struct question x;

	if (!read_question(&x, ws, q, a, err))
		return false;
	struct ml_ensemble_ask ask = { .curves = x.x->curves,
				       .o = &x.o,
				       .from = x.from,
				       .to = x.to,
				       .members = x.members,
				       .count = x.count };
	struct ml_ranked *rows = ml_arena_alloc(&a->arena, (x.count + 1) * sizeof(*rows));
	ml_ensemble_rank(&ask, rows);
	ml_json_object(w);
	ml_answer_string(a, "unit", ml_measure_units[x.o.measure]);
	put_real(a, "from", x.from);
	put_real(a, "to", x.to);
	ml_json_key(w, "rows");
	ml_json_array(w);
	for (size_t i = 0; i < x.count; i++) {
		ml_json_object(w);
		ml_answer_u64(a, "member", rows[i].member);
		put_real(a, "value", rows[i].value);
		put_real(a, "references",
			 round(ml_ensemble_references(&ask, rows[i].member)));
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
	return true;
}

/* The parameter that size=... names; where it is not given, the first of sizes. */
static bool read_size(const struct question *x, const struct ml_request *q,
		      const char **size, struct ml_err *err)
{
	const char *text = ml_request_text(q, "size");
	const struct ml_axis *axis;

	if (text && *text) {
		if (!ml_axes_find(&x->x->axes, text, &axis, err))
			return false;
		*size = axis->name;
		return true;
	}
	for (size_t i = 0; i < x->x->axes.count; i++)
		if (ml_axis_is_size(&x->x->axes.at[i])) {
			*size = x->x->axes.at[i].name;
			return true;
		}
	return ml_fail(err, ML_USAGE, "the members do not differ by a size");
}

bool ml_route_working_set(struct ml_workspace *ws, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	struct question x;
	const char *size;
	double tolerance;
	uint32_t *family;
	size_t count;

	if (!read_question(&x, ws, q, a, err) || !read_size(&x, q, &size, err) ||
	    !read_real(q, "tolerance", 0.05, &tolerance, err) ||
	    !ml_curve_family(&x.x->e, size, x.only, &family, &count, &a->arena, err))
		return false;
	double *bytes = ml_arena_alloc(&a->arena, x.cells * sizeof(*bytes));
	x.o.against = SIZE_MAX;
	ml_curve_working_set(x.x->curves, family, count, size, &x.o, tolerance, x.from,
			     x.to, x.cells, bytes);
	ml_answer_columns(a);
	put_window(a, &x);
	ml_answer_string(a, "size", size);
	put_numbers(a, "members", family, count);
	ml_answer_column(a, "bytes", ML_TYPE_F32, floats(a, bytes, x.cells), x.cells);
	return true;
}

bool ml_route_shared(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct question x;
	struct ml_shared_cache s;
	const char *size;
	double total, shift;
	uint64_t threads;
	uint32_t *family;
	size_t count;

	if (!read_question(&x, ws, q, a, err) || !read_size(&x, q, &size, err) ||
	    !read_real(q, "total", 0, &total, err) ||
	    !read_real(q, "shift", x.end / 100, &shift, err) ||
	    !ml_request_u64(q, "threads", 2, &threads, err) ||
	    !ml_curve_family(&x.x->e, size, x.only, &family, &count, &a->arena, err))
		return false;
	threads = threads < 1000 ? threads : 1000;
	if (total <= 0) /* of evenly spaced sizes, what can be shared out in most ways */
		total = (ml_curve_number(&x.x->e.members[family[0]], size) +
			 ml_curve_number(&x.x->e.members[family[count - 1]], size)) *
			(double)threads / 2;
	if (!ml_shared_cache_among(&s, &x.x->e, size, family, count, (unsigned)threads,
				   total, &a->arena, err) ||
	    !small_enough(s.count, x.cells, err))
		return false;
	size_t n = s.count * x.cells;
	double *v[3], *value = ml_arena_alloc(&a->arena, s.count * sizeof(*value));
	uint32_t *member = ml_arena_alloc(&a->arena,
					  s.count * s.threads * sizeof(*member)),
		 *starved = ml_arena_alloc(&a->arena, s.count * sizeof(*starved));

	for (size_t i = 0; i < 3; i++)
		v[i] = ml_arena_alloc(&a->arena, n * sizeof(**v));
	ml_shared_cache_curves(x.x->curves, &s, &x.o, shift, x.from, x.to, x.cells, v[0],
			       v[1], v[2]);
	ml_shared_cache_curves(x.x->curves, &s, &x.o, 0, 0, x.end, 1, value, NULL, NULL);
	for (size_t i = 0; i < s.count; i++) {
		memcpy(member + i * s.threads, s.at[i].member,
		       s.threads * sizeof(*member));
		starved[i] = s.at[i].starved;
	}
	ml_answer_columns(a);
	put_window(a, &x);
	ml_answer_u64(a, "ways", s.count);
	ml_answer_u64(a, "threads", s.threads);
	ml_answer_string(a, "size", size);
	put_real(a, "total", total);
	put_real(a, "shift", shift);
	put_numbers(a, "members", family, count);
	ml_json_key(&a->json, "sizes");
	ml_json_array(&a->json);
	for (size_t i = 0; i < count; i++)
		ml_json_real(&a->json, ml_curve_number(&x.x->e.members[family[i]], size));
	ml_json_end(&a->json);
	ml_answer_column(a, "mean", ML_TYPE_F32, floats(a, v[0], n), n);
	ml_answer_column(a, "low", ML_TYPE_F32, floats(a, v[1], n), n);
	ml_answer_column(a, "high", ML_TYPE_F32, floats(a, v[2], n), n);
	ml_answer_column(a, "member", ML_TYPE_U32, member, s.count * s.threads);
	ml_answer_column(a, "starved", ML_TYPE_U32, starved, s.count);
	ml_answer_column(a, "value", ML_TYPE_F32, floats(a, value, s.count), s.count);
	return true;
}

static bool read_plot(const struct ml_request *q, enum ml_ensemble_plot *kind,
		      struct ml_err *err)
{
	const char *text = ml_request_text(q, "plot");

	for (*kind = 0; text && *kind < ML_PLOTS; ++*kind)
		if (!strcmp(text, ml_ensemble_plot_names[*kind]))
			return true;
	*kind = ML_PLOT_PARAMETER;
	return !text ||
	       ml_fail(err, ML_USAGE,
		       "there is no plot '%s'; figures are parameter and map", text);
}

/* A column of one field of the rows. */
static void put_field(struct ml_answer *a, const char *name, const struct ml_figure *f,
		      size_t offset)
{
	double *v = ml_arena_alloc(&a->arena, (f->row_count + 1) * sizeof(*v));

	for (size_t i = 0; i < f->row_count; i++)
		memcpy(&v[i], (const char *)&f->rows[i] + offset, sizeof(*v));
	ml_answer_column(a, name, ML_TYPE_F64, v, f->row_count);
}

static void put_figure(struct ml_answer *a, const struct ml_figure *f)
{
	uint32_t *member = ml_arena_alloc(&a->arena,
					  (f->row_count + 1) * sizeof(*member));

	for (size_t i = 0; i < f->row_count; i++)
		member[i] = f->rows[i].member;
	ml_answer_columns(a);
	ml_figure_write(f, &a->json);
	put_field(a, "x", f, offsetof(struct ml_figure_row, x));
	put_field(a, "x_end", f, offsetof(struct ml_figure_row, x_end));
	put_field(a, "y", f, offsetof(struct ml_figure_row, y));
	put_field(a, "value", f, offsetof(struct ml_figure_row, value));
	ml_answer_column(a, "member", ML_TYPE_U32, member, f->row_count);
}

bool ml_route_figure(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	struct ml_picture_ensemble o = { .x = ml_request_text(q, "x"),
					 .y = ml_request_text(q, "y"),
					 .colour = ml_request_text(q, "colour") };
	struct ml_figure f;
	struct question x;
	uint64_t height;

	if (!read_question(&x, ws, q, a, err) || !read_plot(q, &o.kind, err) ||
	    !ml_request_u64(q, "height", FRAME, &height, err))
		return false;
	o.curve = x.o;
	o.from = x.from;
	o.to = x.to;
	o.members = x.members;
	o.count = x.count;
	if (!ml_ensemble_figure(&f, &x.x->e, x.x->curves, &o,
				height < 10000 ? (double)height : 10000, err))
		return false;
	put_figure(a, &f);
	ml_figure_release(&f);
	return true;
}
