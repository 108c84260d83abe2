#include "lib/query/drawing/figure.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/query/drawing/chart.h"

const char *const ml_figure_scale_names[] = { "linear", "log", "band", NULL };
const char *const ml_figure_axis_names[] = { "x", "y", "colour", "area", NULL };
const char *const ml_figure_mark_names[] = { "line",  "point", "cells", "circles",
					     "curve", "steps", "bands", NULL };

void ml_figure_release(struct ml_figure *f)
{
	ml_arena_release(&f->arena);
	*f = (struct ml_figure){ 0 };
}

struct ml_figure_panel *ml_figure_panels(struct ml_figure *f, size_t count,
					 struct ml_arena *a)
{
	f->panels = ml_arena_alloc(a, count * sizeof(*f->panels));
	f->panel_count = count;
	return f->panels;
}

struct ml_figure_mark *ml_figure_add(struct ml_figure_panel *p, struct ml_figure_mark m,
				     struct ml_arena *a)
{
	if (p->mark_count == p->mark_cap) {
		size_t cap = p->mark_cap ? 2 * p->mark_cap : 4;
		struct ml_figure_mark *more = ml_arena_alloc(a, cap * sizeof(*more));

		if (p->mark_count)
			memcpy(more, p->marks, p->mark_count * sizeof(*more));
		p->marks = more;
		p->mark_cap = cap;
	}
	p->marks[p->mark_count] = m;
	return &p->marks[p->mark_count++];
}

void ml_figure_add_matrix(struct ml_figure *f, const char *name, const double *v,
			  size_t rows, size_t cells)
{
	assert(f->matrix_count < sizeof(f->matrices) / sizeof(*f->matrices));
	f->matrices[f->matrix_count++] = (struct ml_figure_matrix){ name, v, rows,
								    cells };
}

void ml_figure_add_list(struct ml_figure *f, const char *name, const uint32_t *v,
			size_t count)
{
	assert(f->list_count < sizeof(f->lists) / sizeof(*f->lists));
	f->lists[f->list_count++] = (struct ml_figure_list){ name, v, count };
}

static void add_fact(struct ml_figure *f, struct ml_figure_fact fact)
{
	assert(f->fact_count < sizeof(f->facts) / sizeof(*f->facts));
	f->facts[f->fact_count++] = fact;
}

void ml_figure_add_number(struct ml_figure *f, const char *name, double v)
{
	add_fact(f, (struct ml_figure_fact){ name, v, NULL });
}

void ml_figure_add_word(struct ml_figure *f, const char *name, const char *text)
{
	add_fact(f, (struct ml_figure_fact){ name, NAN, text });
}

const struct ml_figure_matrix *ml_figure_matrix_find(const struct ml_figure *f,
						     const char *name)
{
	for (size_t i = 0; i < f->matrix_count; i++)
		if (!strcmp(f->matrices[i].name, name))
			return &f->matrices[i];
	return NULL;
}

double ml_figure_share(const struct ml_figure_axis *x, double v)
{
	return x->scale == ML_FIGURE_LOG ? log(v / x->low) / log(x->high / x->low)
					 : (v - x->low) / (x->high - x->low);
}

static void put_axis(const struct ml_figure_axis *x, const char *id, struct ml_json *w)
{
	ml_json_object(w);
	ml_json_key_string(w, "id", id);
	ml_json_key_string(w, "label", x->label);
	ml_json_key_string(w, "unit", x->unit);
	ml_json_key_string(w, "scale", ml_figure_scale_names[x->scale]);
	ml_json_key_array(w, "domain");
	ml_json_real(w, x->low);
	ml_json_real(w, x->high);
	ml_json_end(w);
	ml_json_key_array(w, "ticks");
	for (size_t i = 0; i < x->tick_count; i++) {
		ml_json_object(w);
		ml_json_key_real(w, "at", x->ticks[i].at);
		ml_json_key_string(w, "text", x->ticks[i].text);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

static void put_dash(unsigned dash, struct ml_json *w)
{
	ml_json_key_array(w, "dash");
	for (const uint8_t *l = ml_chart_dash_lengths(dash); *l; l++)
		ml_json_u64(w, *l);
	ml_json_end(w);
}

static void put_mark(const struct ml_figure_mark *m, struct ml_json *w)
{
	ml_json_object(w);
	ml_json_key_string(w, "type", ml_figure_mark_names[m->type]);
	ml_json_key_array(w, "rows");
	ml_json_u64(w, m->first);
	ml_json_u64(w, m->count);
	ml_json_end(w);
	if (m->of[0]) {
		ml_json_key_array(w, "of");
		for (size_t i = 0; i < 2 && m->of[i]; i++)
			ml_json_string(w, m->of[i]);
		ml_json_end(w);
	}
	ml_json_key(w, "colour");
	ml_role_write(m->colour, w);
	ml_json_key_real(w, "width", m->width);
	ml_json_key_real(w, "opacity", m->opacity);
	put_dash(m->dash, w);
	if (m->member != ML_FIGURE_NO_MEMBER)
		ml_json_key_u64(w, "member", m->member);
	if (m->title)
		ml_json_key_string(w, "title", m->title);
	ml_json_end(w);
}

static void put_panel(const struct ml_figure_panel *p, bool axes, struct ml_json *w)
{
	ml_json_object(w);
	if (p->title)
		ml_json_key_string(w, "title", p->title);
	ml_json_key_real(w, "share", p->share);
	ml_json_key_u64(w, "rows", p->rows);
	ml_json_key_array(w, "axes");
	for (unsigned i = 0; axes && i < ML_FIGURE_IDS; i++)
		if (p->axis[i].label)
			put_axis(&p->axis[i], ml_figure_axis_names[i], w);
	ml_json_end(w);
	ml_json_key_array(w, "marks");
	for (size_t i = 0; i < p->mark_count; i++)
		put_mark(&p->marks[i], w);
	ml_json_end(w);
	ml_json_key_array(w, "moments");
	for (size_t i = 0; i < p->moment_count; i++) {
		ml_json_object(w);
		ml_json_key_real(w, "at", p->moments[i].at);
		ml_json_key_string(w, "text", p->moments[i].text);
		ml_json_end(w);
	}
	ml_json_end(w);
	for (unsigned i = 0; i < 2; i++)
		if (p->beyond[i])
			ml_json_key_string(w, i ? "below" : "above", p->beyond[i]);
	ml_json_end(w);
}

static void put_legend(const struct ml_figure_legend *l, struct ml_json *w)
{
	ml_json_object(w);
	ml_json_key_string(w, "title", l->title ? l->title : "");
	ml_json_key_array(w, "keys");
	for (size_t i = 0; i < l->count; i++) {
		ml_json_object(w);
		ml_json_key_string(w, "text", l->keys[i].text);
		ml_json_key(w, "colour");
		ml_role_write(l->keys[i].colour, w);
		put_dash(l->keys[i].dash, w);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

static void put_facts(const struct ml_figure *f, struct ml_json *w)
{
	for (size_t i = 0; i < f->fact_count; i++)
		if (f->facts[i].text)
			ml_json_key_string(w, f->facts[i].name, f->facts[i].text);
		else
			ml_json_key_real(w, f->facts[i].name, f->facts[i].number);
}

void ml_figure_write(const struct ml_figure *f, struct ml_json *w)
{
	ml_json_key_string(w, "title", f->title);
	ml_json_key_string(w, "note", f->note);
	ml_json_key_real(w, "from", f->from);
	ml_json_key_real(w, "to", f->to);
	put_facts(f, w);
	ml_json_key_array(w, "members");
	for (size_t i = 0; i < f->member_count; i++)
		ml_json_u64(w, f->members[i]);
	ml_json_end(w);
	ml_json_key_u64(w, "across", f->across);
	ml_json_key_array(w, "panels");
	for (size_t i = 0; i < f->panel_count; i++)
		put_panel(&f->panels[i], !i || !f->across, w);
	ml_json_end(w);
	ml_json_key_array(w, "legend");
	for (size_t i = 0; i < f->legend_count; i++)
		put_legend(&f->legend[i], w);
	ml_json_end(w);
	ml_json_key_array(w, "texts");
	for (size_t i = 0; i < f->row_count; i++)
		ml_json_string(w, f->rows[i].text);
	ml_json_end(w);
}
