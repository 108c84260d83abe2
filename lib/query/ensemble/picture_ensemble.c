#include "lib/query/ensemble/picture_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

const char *const ml_ensemble_plot_names[] = { "curves",    "parameter",  "map",
					       "spread",    "workingset", "second",
					       "multiples", NULL };
const char *const ml_envelope_names[] = { "range", "deviation", "none", NULL };

enum {
	WIDTH = 960,
	HEIGHT = 420,
	RIGHT = 14,
	POINTS_MAX = 150000,
	LINE = 16,
	KEYS = 16,
	WINDOWS = 200
};

uint32_t ml_drawing_rgb(const struct ml_drawing *d, unsigned colour)
{
	return ml_palette_colour(d->p.palette, colour);
}

static struct ml_role value_role(const struct ml_axis *x, uint32_t value)
{
	return x->numeric ? (struct ml_role){ ML_ROLE_NUMBER, value, (uint32_t)x->count }
			  : (struct ml_role){ ML_ROLE_WORD, value, 0 };
}

struct ml_role ml_drawing_role(const struct ml_drawing *d, uint32_t member)
{
	if (!d->colour)
		return (struct ml_role){ ML_ROLE_WORD, member, 0 };
	return d->colour->of[member] ? value_role(d->colour, d->colour->of[member] - 1)
				     : (struct ml_role){ .name = ML_ROLE_MUTED };
}

uint32_t ml_drawing_colour(const struct ml_drawing *d, uint32_t member)
{
	return ml_role_colour(ml_drawing_role(d, member), d->o->dark);
}

unsigned ml_drawing_dash(const struct ml_drawing *d, uint32_t member)
{
	return d->dash && d->dash->of[member] ? (d->dash->of[member] - 1) % 4 : 0;
}

static const char *level_name(const struct ml_drawing *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct ml_machine *m = &d->e->members[d->members[i]].parsed;

		if (d->curve.level <= m->levels + 1)
			return ml_machine_level_name(m, d->curve.level);
	}
	return "?";
}

const char *ml_drawing_unit(struct ml_drawing *d)
{
	static const char level[] = "{level}";
	const char *text = ml_measure_axes[d->curve.measure], *at = strstr(text, level);

	return at ? ml_arena_printf(&d->arena, "%.*s%s%s", (int)(at - text), text,
				    level_name(d), at + strlen(level))
		  : text;
}

enum ml_chart_format ml_drawing_format(const struct ml_drawing *d)
{
	return d->curve.measure == ML_MEASURE_SERVED ||
			       d->curve.measure == ML_MEASURE_MISS
		       ? ML_CHART_PERCENT
		       : ML_CHART_NUMBER;
}

const char *ml_drawing_words(struct ml_drawing *d)
{
	char n[ML_NUMBER_ROOM];
	struct ml_buf b = { 0 };
	struct ml_picture at = { .out = &b };

	ml_picture_put(&at, "%zu member%s", d->count, d->count == 1 ? "" : "s");
	if (d->curve.against < d->e->member_count) {
		const char *label = d->e->members[d->curve.against].label;

		ml_picture_put(&at, ", less ");
		ml_buf_put(&b, label, strlen(label));
	}
	if (d->curve.window > 1 && d->o->kind != ML_PLOT_PARAMETER &&
	    d->o->kind != ML_PLOT_MAP)
		ml_picture_put(&at, ", moving average of %s references",
			       ml_format_count(n, (uint64_t)d->curve.window));
	if (d->curve.matching->how == ML_TIME_MATCH_NORMALISED)
		ml_picture_put(&at, ", time normalised");
	if (d->curve.matching->how == ML_TIME_MATCH_MILESTONES)
		ml_picture_put(&at, ", matched at %zu milestone%s",
			       d->curve.matching->knots - 2,
			       d->curve.matching->knots == 3 ? "" : "s");
	if (d->curve.volume)
		ml_picture_put(&at, ", scaled by volume");
	const char *text = ml_arena_copy(&d->arena, b.data, b.size);
	ml_buf_release(&b);
	return text;
}

const char *ml_drawing_title(struct ml_drawing *d)
{
	static const char *const measures[ML_MEASURES] = {
		"Access time",         "Share served", "Miss ratio",
		"Traffic from memory", "Temperature",
	};
	const char *what = measures[d->curve.measure];

	if (d->e->trace_count == 1)
		return ml_arena_printf(&d->arena, "%s of %s", what,
				       d->e->traces[0].label);
	if (d->e->trace_count == 2)
		return ml_arena_printf(&d->arena, "%s of %s and %s", what,
				       d->e->traces[0].label, d->e->traces[1].label);
	return ml_arena_printf(&d->arena, "%s of %zu traces", what, d->e->trace_count);
}

void ml_drawing_begin(struct ml_drawing *d, const char *title, const char *below)
{
	if (d->o->title)
		title = d->o->title;
	ml_picture_begin(&d->p, d->width, d->height, title);
	ml_picture_text_within(&d->p, ML_DRAWING_LEFT - 50, 20, d->width - 28,
			       ML_COLOUR_TEXT, 14, title);
	ml_picture_text_within(&d->p, ML_DRAWING_LEFT - 50, 37, d->width - 28,
			       ML_COLOUR_MUTED, 11, below);
}

struct ml_chart ml_drawing_chart(struct ml_drawing *d, double y, double height)
{
	static const char *const labels[] = {
		"position in the run, references", "share of the run",
		"position in the run of the base, references"
	};
	enum ml_time_match_how how = d->curve.matching->how;

	return (struct ml_chart){
		.p = &d->p,
		.x = ML_DRAWING_LEFT,
		.y = y,
		.width = d->width - ML_DRAWING_LEFT - ML_DRAWING_LEGEND - RIGHT,
		.height = height,
		.x_low = d->from,
		.x_high = d->to,
		.x_format = how == ML_TIME_MATCH_NORMALISED ? ML_CHART_PERCENT
							    : ML_CHART_COUNT,
		.y_format = ml_drawing_format(d),
		.x_label = labels[how],
		.y_label = ml_drawing_unit(d),
	};
}

double ml_drawing_heading(struct ml_drawing *d, double y, const char *text)
{
	ml_picture_text_within(&d->p, d->width - ML_DRAWING_LEGEND, y,
			       ML_DRAWING_LEGEND - 8, ML_COLOUR_MUTED, 11, text);
	return y + LINE;
}

double ml_drawing_key(struct ml_drawing *d, double y, uint32_t rgb, unsigned dash,
		      const char *text)
{
	return ml_paint_key(&d->p, d->width - ML_DRAWING_LEGEND, y, rgb, dash, text);
}

struct ml_figure_legend ml_drawing_values(struct ml_drawing *d, const struct ml_axis *x,
					  bool dashes)
{
	struct ml_figure_legend l = { .title = x->name };
	bool *has = ml_arena_alloc(&d->arena, x->count + 1);

	l.keys = ml_arena_alloc(&d->arena, (x->count + 1) * sizeof(*l.keys));
	for (size_t i = 0; i < d->count; i++)
		if (x->of[d->members[i]])
			has[x->of[d->members[i]] - 1] = true;
	for (uint32_t v = 0; v < x->count; v++)
		if (has[v])
			l.keys[l.count++] = (struct ml_figure_key){
				x->values[v],
				dashes ? (struct ml_role){ .name = ML_ROLE_MUTED }
				       : value_role(x, v),
				dashes ? v % 4 : 0,
			};
	return l;
}

void ml_drawing_legend(struct ml_drawing *d, double y)
{
	double x = d->width - ML_DRAWING_LEGEND;

	if (!d->colour) {
		for (size_t i = 0; i < d->count && i < KEYS; i++)
			y = ml_drawing_key(d, y, ml_drawing_colour(d, d->members[i]), 0,
					   d->e->members[d->members[i]].label);
		return;
	}
	struct ml_figure_legend l = ml_drawing_values(d, d->colour, false);
	y = ml_paint_legend(&l, &d->p, x, y, d->height, d->o->dark);
	if (!d->dash)
		return;
	l = ml_drawing_values(d, d->dash, true);
	ml_paint_legend(&l, &d->p, x, y, d->height, d->o->dark);
}

size_t ml_drawing_cells(const struct ml_drawing *d, double width, size_t curves)
{
	size_t cells = (size_t)width;

	(void)d;
	if (curves && cells * curves > POINTS_MAX)
		cells = POINTS_MAX / curves;
	return cells < 16 ? 16 : cells;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

double ml_drawing_fit(struct ml_drawing *d, struct ml_chart *c, const double *v, size_t n)
{
	double *sorted = ml_arena_alloc(&d->arena, (n + 1) * sizeof(*sorted));
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			sorted[count++] = v[i];
	qsort(sorted, count, sizeof(*sorted), ascending);
	c->y_low = count ? sorted[0] : 0;
	c->y_high = count ? sorted[count - 1] : 1;
	double max = c->y_high, usual = count ? sorted[(count - 1) * 99 / 100] : 1;
	bool cut = c->y_low >= 0 && max > 2 * usual && usual > 0;
	if (cut)
		c->y_high = usual * 1.1;
	ml_chart_round(c);
	return cut && max > c->y_high ? max : NAN;
}

bool ml_drawing_size(struct ml_drawing *d, const char **size, struct ml_err *err)
{
	const struct ml_axis *axis;

	if (d->o->size) {
		if (!ml_axes_find(&d->axes, d->o->size, &axis, err))
			return false;
		*size = axis->name;
		return true;
	}
	for (size_t i = 0; i < d->axes.count; i++)
		if (ml_axis_is_size(&d->axes.at[i])) {
			*size = d->axes.at[i].name;
			return true;
		}
	return ml_fail(err, ML_USAGE, "the members do not differ by a size");
}

/*
 * The named parameter, or the first, decides the colours. The next parameter with few
 * values decides the dashes.
 */
static bool choose_axes(struct ml_drawing *d, struct ml_err *err)
{
	if (d->o->colour) {
		if (!ml_axes_find(&d->axes, d->o->colour, &d->colour, err))
			return false;
	} else if (d->axes.count)
		d->colour = &d->axes.at[0];
	for (size_t i = 0; i < d->axes.count && !d->dash; i++)
		if (&d->axes.at[i] != d->colour && d->axes.at[i].count <= 4)
			d->dash = &d->axes.at[i];
	return true;
}

static bool prepare(struct ml_drawing *d, struct ml_err *err)
{
	const struct ml_picture_ensemble *o = d->o;

	if (!d->curve.matching) {
		if (!ml_time_match(&d->raw, d->e, ML_TIME_MATCH_RAW, NULL, 0, 0,
				   &d->arena, err))
			return false;
		d->curve.matching = &d->raw;
	}
	if (!(d->curve.window > 0)) {
		for (size_t i = 0; i < d->e->trace_count; i++)
			d->curve.window = fmax(
				d->curve.window,
				(double)(ml_ensemble_refs(&d->e->traces[i]) / WINDOWS));
	}
	d->end = ml_time_match_end(d->curve.matching);
	d->from = o->from;
	d->to = o->to > 0 && o->to < d->end ? o->to : d->end;
	if (!(d->from < d->to))
		return ml_fail(err, ML_USAGE, "there is nothing to draw from %g to %g",
			       d->from, d->to);
	d->members = ml_arena_alloc(&d->arena,
				    (d->e->member_count + 1) * sizeof(*d->members));
	for (uint32_t i = 0; i < (o->members ? o->count : d->e->member_count); i++) {
		uint32_t m = o->members ? o->members[i] : i;

		if (d->e->members[m].done)
			d->members[d->count++] = m;
	}
	if (!d->count)
		return ml_fail(err, ML_USAGE, "no member is simulated yet");
	ml_ensemble_axes(&d->axes, d->e, &d->arena);
	return choose_axes(d, err);
}

static struct ml_drawing drawing_of(const struct ml_ensemble *e,
				    const struct ml_picture_ensemble *o)
{
	struct ml_drawing d = {
		.e = e,
		.o = o,
		.curve = o->curve,
		.width = o->width > 0 ? o->width : WIDTH,
		.height = o->height > 0 ? o->height : HEIGHT,
	};

	if (!d.curve.level)
		d.curve.level = 1;
	return d;
}

/* Makes the figure of a prepared drawing, for plots that have one. */
static bool make_figure(struct ml_drawing *d, struct ml_figure *f, double frame,
			struct ml_err *err)
{
	if (d->o->kind == ML_PLOT_PARAMETER)
		return ml_figure_parameter(d, f, frame, err);
	if (d->o->kind == ML_PLOT_MAP)
		return ml_figure_map(d, f, err);
	return ml_fail(err, ML_USAGE,
		       "'%s' is not sent as a figure; parameter and map are",
		       ml_ensemble_plot_names[d->o->kind]);
}

bool ml_ensemble_figure(struct ml_figure *f, const struct ml_ensemble *e,
			struct ml_curves *curves, const struct ml_picture_ensemble *o,
			double frame, struct ml_err *err)
{
	struct ml_drawing d = drawing_of(e, o);

	*f = (struct ml_figure){ 0 };
	d.curves = curves;
	bool ok = prepare(&d, err) && make_figure(&d, f, frame, err);
	f->arena = d.arena; /* the figure's texts and rows live there */
	if (!ok)
		ml_figure_release(f);
	return ok;
}

static bool draw_figure(struct ml_drawing *d, struct ml_err *err)
{
	struct ml_figure f = { 0 };

	if (!make_figure(d, &f, d->height - ML_PAINT_HEAD - ML_PAINT_FOOT, err))
		return false;
	if (d->o->title)
		f.title = d->o->title;
	ml_paint_figure(&f, &d->p, d->width,
			d->o->kind == ML_PLOT_MAP ? d->o->height : d->height, d->o->dark);
	return true;
}

bool ml_picture_ensemble(const struct ml_ensemble *e, const struct ml_picture_ensemble *o,
			 struct ml_buf *svg, struct ml_err *err)
{
	static bool (*const draw[ML_PLOTS])(struct ml_drawing *, struct ml_err *) = {
		[ML_PLOT_CURVES] = ml_draw_curves,
		[ML_PLOT_PARAMETER] = draw_figure,
		[ML_PLOT_MAP] = draw_figure,
		[ML_PLOT_SPREAD] = ml_draw_spread,
		[ML_PLOT_WORKING_SET] = ml_draw_working_set,
		[ML_PLOT_SECOND] = ml_draw_second,
		[ML_PLOT_MULTIPLES] = ml_draw_multiples,
	};
	struct ml_drawing d = drawing_of(e, o);

	d.p = (struct ml_picture){ svg, o->dark ? &ml_palette_dark : &ml_palette_light };
	d.curves = ml_curves_open(e);
	bool ok = prepare(&d, err) && draw[o->kind](&d, err);
	if (ok)
		ml_picture_end(&d.p);
	ml_curves_close(d.curves);
	ml_arena_release(&d.arena);
	return ok;
}
