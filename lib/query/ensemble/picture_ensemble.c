#include "lib/query/ensemble/picture_ensemble.h"

#include <math.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/work.h"
#include "lib/query/drawing/paint_figure.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

const char *const ml_ensemble_plot_names[] = { "curves",    "spread", "multiples",
					       "parameter", "map",    "workingset",
					       "shared",    NULL };
const char *const ml_ensemble_plot_titles[] = { "curves",          "spread",
						"small multiples", "parameter",
						"heat map",        "working set",
						"shared cache",    NULL };
const char *const ml_ensemble_plot_helps[] = {
	"all members over time",
	"mean and deviation across members over time",
	"one small chart for each member or value",
	"a parameter against the result: the miss-ratio curve",
	"two parameters against the result",
	"the size of cache that is needed, over time",
	"a model of threads that share a cache",
	NULL
};
const char *const ml_envelope_names[] = { "range", "deviation", "none", NULL };

enum {
	WIDTH = 960,
	HEIGHT = 420,
	CHARTS_HEAD = 110, /* of a picture of small charts, beside the charts */
	CHART_HEIGHT = 120,
	ACROSS = 5, /* small charts side by side, about */
	POINTS_MAX = 150000,
	VALUES_MAX = 1 << 23,
	WINDOWS = 100,
	DASHED_MAX = 24 /* among more curves, dashes cannot be told apart */
};

bool ml_ensemble_plot_find(const char *name, enum ml_ensemble_plot *plot)
{
	for (*plot = 0; *plot < ML_PLOTS; ++*plot)
		if (!strcmp(name, ml_ensemble_plot_names[*plot]))
			return true;
	*plot = ML_PLOT_SHARED;
	return !strcmp(name, "second");
}

double ml_ensemble_usual_window(const struct ml_ensemble *e,
				const struct ml_time_matching *m, double from, double to)
{
	double longest = 0, bin = INFINITY;

	for (size_t i = 0; i < e->trace_count; i++) {
		longest = fmax(longest, (double)ml_ensemble_refs(&e->traces[i]));
		bin = fmin(bin, (double)((uint64_t)1 << e->traces[i].bits));
	}
	double window = floor(longest * (to - from) / ml_time_match_end(m) / WINDOWS);

	return window < bin ? 1 : window;
}

size_t ml_drawing_cells(const struct ml_drawing *d, size_t curves)
{
	size_t cells = d->o->cells;

	if (cells)
		return cells;
	cells = (size_t)d->width;
	if (curves && cells * curves > POINTS_MAX)
		cells = POINTS_MAX / curves;
	return cells < 16 ? 16 : cells;
}

bool ml_drawing_fits(size_t curves, size_t cells, struct ml_err *err)
{
	return curves <= VALUES_MAX / cells ||
	       ml_fail(err, ML_USAGE,
		       "%zu curves of %zu cells are too much for one answer: ask for fewer",
		       curves, cells);
}

/* Turns the range of each cell into the envelope that was asked for. */
static void choose_envelope(struct ml_drawing *d, struct ml_drawing_columns *c)
{
	bool difference = d->curve.against < d->e->member_count;

	if (d->o->envelope != ML_ENVELOPE_DEVIATION)
		return;
	for (size_t i = 0; i < c->cells * d->count; i++) {
		c->low[i] = c->mean[i] - c->deviation[i];
		if (!difference && c->low[i] < 0)
			c->low[i] = 0;
		c->high[i] = c->mean[i] + c->deviation[i];
	}
}

bool ml_drawing_measure(struct ml_drawing *d, struct ml_drawing_columns *c,
			struct ml_err *err)
{
	c->cells = ml_drawing_cells(d, d->count);
	if (!ml_drawing_fits(d->count, c->cells, err))
		return false;
	size_t n = c->cells * d->count;
	c->mean = ml_arena_alloc(&d->arena, 4 * n * sizeof(*c->mean));
	c->low = c->mean + n;
	c->high = c->low + n;
	c->deviation = c->high + n;
	for (size_t i = 0; i < d->count; i++) {
		size_t at = i * c->cells;

		if (!ml_work_goes_on(d->o->work, err))
			return false;
		ml_curve(d->curves, d->members[i], &d->curve, d->from, d->to, c->cells,
			 c->mean + at, c->low + at, c->high + at, c->deviation + at);
	}
	choose_envelope(d, c);
	return true;
}

void ml_drawing_facts(struct ml_drawing *d, struct ml_figure *f, size_t cells)
{
	ml_figure_add_number(f, "end", d->end);
	ml_figure_add_number(f, "cells", (double)cells);
	ml_figure_add_word(f, "unit", ml_measure_units[d->curve.measure]);
	ml_figure_add_number(f, "window", d->curve.window > 1 ? d->curve.window : 0);
}

static bool find_size(struct ml_drawing *d, const char **size, struct ml_err *err)
{
	const struct ml_axis *axis;

	if (d->o->size && *d->o->size) {
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

bool ml_drawing_family(struct ml_drawing *d, const char **size, uint32_t **family,
		       size_t *count, struct ml_err *err)
{
	bool *only = ml_arena_alloc(&d->arena, d->e->member_count + 1);

	for (size_t i = 0; i < d->count; i++)
		only[d->members[i]] = true;
	return find_size(d, size, err) &&
	       ml_curve_family(d->e, *size, only, family, count, &d->arena, err);
}

/*
 * The named parameter, or the usual one, decides the colours. The next parameter with few
 * values decides the dashes, if there are few curves.
 */
static bool choose_axes(struct ml_drawing *d, struct ml_err *err)
{
	if (d->o->colour) {
		if (!ml_axes_find(&d->axes, d->o->colour, &d->colour, err))
			return false;
	} else
		d->colour = ml_axes_usual_colour(&d->axes);
	if (d->count <= DASHED_MAX)
		d->dash = ml_axes_usual_dash(&d->axes, d->colour);
	return true;
}

static bool prepare(struct ml_drawing *d, struct ml_err *err)
{
	const struct ml_picture_ensemble *o = d->o;

	if (!d->curve.level)
		d->curve.level = 1;
	if (!d->curve.matching) {
		if (!ml_time_match(&d->raw, d->e, ML_TIME_MATCH_RAW, NULL, 0, 0,
				   &d->arena, err))
			return false;
		d->curve.matching = &d->raw;
	}
	d->end = ml_time_match_end(d->curve.matching);
	d->from = o->from;
	d->to = o->to > 0 && o->to < d->end ? o->to : d->end;
	if (!(d->from < d->to))
		return ml_fail(err, ML_USAGE, "there is nothing to draw from %g to %g",
			       d->from, d->to);
	if (!(d->curve.window > 0))
		d->curve.window = ml_ensemble_usual_window(d->e, d->curve.matching,
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

bool ml_ensemble_figure(struct ml_figure *f, const struct ml_ensemble *e,
			struct ml_curves *curves, const struct ml_picture_ensemble *o,
			double width, double height, struct ml_err *err)
{
	static bool (*const make[ML_PLOTS])(struct ml_drawing *, struct ml_figure *,
					    struct ml_err *) = {
		[ML_PLOT_CURVES] = ml_figure_curves,
		[ML_PLOT_SPREAD] = ml_figure_spread,
		[ML_PLOT_MULTIPLES] = ml_figure_multiples,
		[ML_PLOT_PARAMETER] = ml_figure_parameter,
		[ML_PLOT_MAP] = ml_figure_map,
		[ML_PLOT_WORKING_SET] = ml_figure_working_set,
		[ML_PLOT_SHARED] = ml_figure_shared,
	};
	struct ml_drawing d = { .e = e,
				.o = o,
				.curves = curves,
				.curve = o->curve,
				.width = width,
				.height = height };

	*f = (struct ml_figure){ 0 };
	ml_figure_add_word(f, "plot", ml_ensemble_plot_names[o->kind]);
	bool ok = prepare(&d, err) && make[o->kind](&d, f, err);
	f->from = d.from;
	f->to = d.to;
	f->members = d.members;
	f->member_count = d.count;
	if (o->title)
		f->title = o->title;
	f->arena = d.arena; /* the figure's texts and numbers live there */
	if (!ok)
		ml_figure_release(f);
	return ok;
}

/* Small charts get taller pictures; a heat map (0) fits its rows. */
static double usual_height(const struct ml_ensemble *e,
			   const struct ml_picture_ensemble *o)
{
	size_t charts = o->members ? o->count : e->member_count;

	if (o->kind == ML_PLOT_MAP)
		return 0;
	if (o->kind != ML_PLOT_MULTIPLES || !o->facet || strcmp(o->facet, "member") != 0)
		return HEIGHT;
	charts = charts < ML_FIGURE_PANELS_MAX ? charts : ML_FIGURE_PANELS_MAX;
	return fmax(HEIGHT, CHARTS_HEAD + CHART_HEIGHT * ceil((double)charts / ACROSS));
}

bool ml_picture_ensemble(const struct ml_ensemble *e, const struct ml_picture_ensemble *o,
			 struct ml_buf *svg, struct ml_err *err)
{
	double width = o->width > 0 ? o->width : WIDTH,
	       height = o->height > 0 ? o->height : usual_height(e, o);
	struct ml_curves *curves = ml_curves_open(e);
	struct ml_figure f;
	bool ok = ml_ensemble_figure(&f, e, curves, o, ml_paint_frame_width(width),
				     ml_paint_frame_height(height > 0 ? height : HEIGHT),
				     err);

	ml_curves_close(curves);
	if (!ok)
		return false;
	struct ml_picture p = { svg, o->dark ? &ml_palette_dark : &ml_palette_light };
	ml_paint_figure(&f, &p, width, height, o->dark);
	ml_picture_end(&p);
	ml_figure_release(&f);
	return true;
}
