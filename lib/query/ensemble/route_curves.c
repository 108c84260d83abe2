/* Routes about the members of an ensemble: figures, ranking, common time. */
#include "lib/query/ensemble/route_ensemble.h"

#include <math.h>
#include <string.h>

#include "lib/query/drawing/figure.h"
#include "lib/query/ensemble/curve_question.h"
#include "lib/query/ensemble/ensemble_tables.h"
#include "lib/query/ensemble/open_ensemble.h"
#include "lib/query/ensemble/picture_ensemble.h"
#include "lib/query/workspace/answer.h"

enum {
	KNOTS_MAX = 4096,
	WIDTH = 722,
	HEIGHT = 310,
	PIXELS_MAX = 10000,
	THREADS_MAX = 1000
};

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
	struct ml_curve_question x;

	if (!ml_curve_question_read(&x, ws, q, a, err))
		return false;
	ml_json_object(w);
	ml_answer_string(a, "how", ml_time_match_names[x.matching.how]);
	ml_answer_u64(a, "base", x.matching.base);
	ml_json_key_real(&a->json, "end", x.end);
	put_knots(a, &x.x->e, &x.matching);
	ml_json_key(w, "unequal");
	ml_json_array(w);
	for (size_t i = 0; i < x.matching.unequal_count; i++)
		ml_json_string(w, x.matching.unequal[i]);
	ml_json_end(w);
	ml_json_end(w);
	return true;
}

bool ml_route_ensemble_table(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct ml_json *w = &a->json;
	struct ml_curve_question x;

	if (!ml_curve_question_read(&x, ws, q, a, err))
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
	ml_json_key_real(&a->json, "from", x.from);
	ml_json_key_real(&a->json, "to", x.to);
	ml_json_key(w, "rows");
	ml_json_array(w);
	for (size_t i = 0; i < x.count; i++) {
		ml_json_object(w);
		ml_answer_u64(a, "member", rows[i].member);
		ml_json_key_real(&a->json, "value", rows[i].value);
		ml_json_key_real(&a->json, "references",
				 round(ml_ensemble_references(&ask, rows[i].member)));
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
	return true;
}

static bool read_envelope(const struct ml_request *q, enum ml_envelope *envelope,
			  struct ml_err *err)
{
	const char *text = ml_request_text(q, "envelope");

	for (*envelope = 0; text && *envelope < ML_ENVELOPES; ++*envelope)
		if (!strcmp(text, ml_envelope_names[*envelope]))
			return true;
	*envelope = ML_ENVELOPE_RANGE;
	return !text || ml_fail(err, ML_USAGE,
				"envelope=%s is not range, deviation or none", text);
}

/* The parameters that only some plots have. */
static bool read_plot(const struct ml_request *q, struct ml_picture_ensemble *o,
		      const struct ml_curve_question *x, uint32_t *real,
		      struct ml_err *err)
{
	uint64_t threads, member, peaks;

	o->x = ml_request_text(q, "x");
	o->y = ml_request_text(q, "y");
	o->colour = ml_request_text(q, "colour");
	o->facet = ml_request_text(q, "facet");
	o->size = ml_request_text(q, "size");
	if (!read_envelope(q, &o->envelope, err) ||
	    !ml_curve_question_real(q, "tolerance", 0, &o->tolerance, err) ||
	    !ml_curve_question_real(q, "total", 0, &o->total, err) ||
	    !ml_curve_question_real(q, "shift", x->end / 100, &o->shift, err) ||
	    !ml_request_u64(q, "threads", 2, &threads, err) ||
	    !ml_request_u64(q, "peaks", 0, &peaks, err) ||
	    !ml_request_u64(q, "real", UINT32_MAX, &member, err))
		return false;
	o->shift = o->shift > 0 ? o->shift : -1; /* 0 would mean the usual one */
	o->threads = (unsigned)(threads < THREADS_MAX ? threads : THREADS_MAX);
	o->peaks = peaks != 0;
	*real = (uint32_t)(member < UINT32_MAX ? member : UINT32_MAX);
	o->real = ml_request_text(q, "real") ? real : NULL;
	return true;
}

bool ml_route_figure(struct ml_workspace *ws, const struct ml_request *q,
		     struct ml_answer *a, struct ml_err *err)
{
	const char *name = ml_request_text(q, "plot");
	struct ml_picture_ensemble o = { .work = &q->work };
	struct ml_curve_question x;
	struct ml_figure f;
	uint64_t width, height;
	uint32_t real;

	if (name && !ml_ensemble_plot_find(name, &o.kind))
		return ml_fail(err, ML_USAGE, "there is no plot '%s'", name);
	if (!ml_curve_question_read(&x, ws, q, a, err) ||
	    !read_plot(q, &o, &x, &real, err) ||
	    !ml_request_u64(q, "width", WIDTH, &width, err) ||
	    !ml_request_u64(q, "height", HEIGHT, &height, err))
		return false;
	o.curve = x.o;
	o.from = x.from;
	o.to = x.to;
	o.cells = x.cells;
	o.members = x.members;
	o.count = x.count;
	if (!ml_ensemble_figure(&f, &x.x->e, x.x->curves, &o,
				(double)(width < PIXELS_MAX ? width : PIXELS_MAX),
				(double)(height < PIXELS_MAX ? height : PIXELS_MAX), err))
		return false;
	ml_figure_answer(&f, a);
	ml_figure_release(&f);
	return true;
}
