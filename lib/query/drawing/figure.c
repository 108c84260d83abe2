#include "lib/query/drawing/figure.h"

#include <math.h>

#include "lib/base/json.h"
#include "lib/query/drawing/chart.h"

const char *const ml_figure_scale_names[] = { "linear", "log", "band", NULL };
const char *const ml_figure_axis_names[] = { "x", "y", "colour", NULL };
const char *const ml_figure_mark_names[] = { "line", "point", "cells", NULL };

void ml_figure_release(struct ml_figure *f)
{
	ml_arena_release(&f->arena);
	*f = (struct ml_figure){ 0 };
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
	ml_json_key(w, "colour");
	ml_role_write(m->colour, w);
	ml_json_key_real(w, "width", m->width);
	put_dash(m->dash, w);
	ml_json_end(w);
}

static void put_legend(const struct ml_figure_legend *l, struct ml_json *w)
{
	ml_json_object(w);
	ml_json_key_string(w, "title", l->title);
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

void ml_figure_write(const struct ml_figure *f, struct ml_json *w)
{
	ml_json_key_string(w, "title", f->title);
	ml_json_key_string(w, "note", f->note);
	ml_json_key_array(w, "axes");
	for (unsigned i = 0; i < ML_FIGURE_IDS; i++)
		if (f->axis[i].label)
			put_axis(&f->axis[i], ml_figure_axis_names[i], w);
	ml_json_end(w);
	ml_json_key_array(w, "marks");
	for (size_t i = 0; i < f->mark_count; i++)
		put_mark(&f->marks[i], w);
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
