#include "lib/query/ensemble/route_ensemble.h"

#include <math.h>
#include <string.h>

#include "lib/base/path.h"
#include "lib/query/drawing/role.h"
#include "lib/query/ensemble/open_ensemble.h"
#include "lib/query/ensemble/picture_ensemble.h"
#include "lib/query/workspace/answer.h"

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
		ml_json_key_real(w, "effect", x->at[i].effect);
		ml_json_key_array(w, "colours");
		for (uint32_t k = 0; k < x->at[i].count; k++)
			ml_role_write(ml_axis_role(&x->at[i], k), w);
		ml_json_end(w);
		ml_json_key(w, "values");
		ml_json_array(w);
		for (size_t k = 0; k < x->at[i].count; k++)
			ml_json_string(w, x->at[i].values[k]);
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_json_end(w);
}

/* Plots, measures and kinds of common time: lists to choose from. */
static void put_choices(struct ml_json *w)
{
	ml_json_key_array(w, "plots");
	for (unsigned i = 0; i < ML_PLOTS; i++) {
		ml_json_object(w);
		ml_json_key_string(w, "id", ml_ensemble_plot_names[i]);
		ml_json_key_string(w, "title", ml_ensemble_plot_titles[i]);
		ml_json_key_string(w, "help", ml_ensemble_plot_helps[i]);
		ml_json_end(w);
	}
	ml_json_end(w);
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

static void put_usual_one(struct ml_json *w, const char *key, const struct ml_axis *x)
{
	ml_json_key(w, key);
	ml_json_string(w, x ? x->name : NULL);
}

/* The parameters that plots take until a person chooses. */
static void put_usual(struct ml_json *w, const struct ml_axes *axes)
{
	const struct ml_axis *x = ml_axes_largest(axes, NULL, true),
			     *colour = ml_axes_usual_colour(axes);

	ml_json_key_object(w, "usual");
	put_usual_one(w, "x", x);
	put_usual_one(w, "y", ml_axes_largest(axes, x, false));
	put_usual_one(w, "colour", colour);
	put_usual_one(w, "facet", ml_axes_largest(axes, colour, false));
	ml_json_end(w);
}

/* How it was shown when it was made. */
static void put_made(struct ml_json *w, const struct ml_ensemble *e)
{
	ml_json_key_object(w, "made");
	for (size_t i = 0; i < e->choice_count; i++)
		ml_json_key_string(w, e->choices[i].name, e->choices[i].value);
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
	ml_json_key_real(w, "cycles", m->done ? ml_member_cycles(m) : NAN);
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
	ml_json_object(&a->json);
	ml_answer_u64(a, "ensemble", x->document.number);
	ml_answer_string(a, "path", x->document.path);
	ml_answer_string(a, "name", ml_path_name(x->document.path));
	ml_answer_u64(a, "levels", levels);
	put_choices(&a->json);
	put_traces(a, x);
	put_parameters(a, &x->axes);
	put_usual(&a->json, &x->axes);
	put_made(&a->json, &x->e);
	ml_json_key(&a->json, "members");
	ml_json_array(&a->json);
	for (size_t i = 0; i < x->e.member_count; i++)
		put_member(a, x, i);
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}
