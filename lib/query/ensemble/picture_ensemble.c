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

static uint32_t value_colour(const struct ml_drawing *d, const struct ml_axis *x,
			     uint32_t value)
{
	if (!x->numeric)
		return ml_chart_word(value, d->o->dark);
	return ml_chart_ramp(x->count > 1 ? (double)value / (double)(x->count - 1) : 0,
			     d->o->dark);
}

uint32_t ml_drawing_colour(const struct ml_drawing *d, uint32_t member)
{
	if (!d->colour)
		return ml_chart_word(member, d->o->dark);
	return d->colour->of[member]
		       ? value_colour(d, d->colour, d->colour->of[member] - 1)
		       : ml_drawing_rgb(d, ML_COLOUR_MUTED);
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
	switch (d->curve.measure) {
	case ML_MEASURE_SERVED:
		return ml_arena_printf(&d->arena, "references served by %s",
				       level_name(d));
	case ML_MEASURE_MISS:
		return ml_arena_printf(&d->arena,
				       "references that %s misses, of those "
				       "that ask it",
				       level_name(d));
	case ML_MEASURE_MEMORY: return "bytes from memory a reference";
	case ML_MEASURE_TEMPERATURE:
		return ml_arena_printf(&d->arena, "temperature of %s", level_name(d));
	default:
		return d->curve.volume ? "cycles for each reference of the base"
				       : "cycles a reference";
	}
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
	double x = d->width - ML_DRAWING_LEGEND;

	ml_picture_put(
		&d->p,
		"<path stroke=\"#%06x\" stroke-width=\"2.5\"%s d=\"M%g %gh18\"/>\n", rgb,
		ml_chart_dash(dash), x, y - 4);
	ml_picture_text_within(&d->p, x + 24, y, ML_DRAWING_LEGEND - 32, ML_COLOUR_TEXT,
			       11, text);
	return y + LINE;
}

/* Draws the values of an axis that members have; of many values, an even choice. */
static double put_axis(struct ml_drawing *d, const struct ml_axis *x, bool dashes,
		       double y)
{
	bool *has = ml_arena_alloc(&d->arena, x->count + 1);
	uint32_t *used = ml_arena_alloc(&d->arena, (x->count + 1) * sizeof(*used));
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		if (x->of[d->members[i]])
			has[x->of[d->members[i]] - 1] = true;
	for (uint32_t v = 0; v < x->count; v++)
		if (has[v])
			used[n++] = v;
	y = ml_drawing_heading(d, y, x->name);
	size_t max = (size_t)((d->height - y) / LINE);
	max = max < 2 ? 2 : max < KEYS ? max : KEYS;
	size_t shown = n < max ? n : max;
	for (size_t i = 0; i < shown; i++) {
		uint32_t v = used[shown > 1 ? i * (n - 1) / (shown - 1) : 0];

		y = dashes ? ml_drawing_key(d, y, ml_drawing_rgb(d, ML_COLOUR_MUTED), v,
					    x->values[v])
			   : ml_drawing_key(d, y, value_colour(d, x, v), 0, x->values[v]);
	}
	return y + LINE / 2;
}

void ml_drawing_legend(struct ml_drawing *d, double y)
{
	if (!d->colour) {
		for (size_t i = 0; i < d->count && i < KEYS; i++)
			y = ml_drawing_key(d, y, ml_drawing_colour(d, d->members[i]), 0,
					   d->e->members[d->members[i]].label);
		return;
	}
	y = put_axis(d, d->colour, false, y);
	if (d->dash)
		put_axis(d, d->dash, true, y);
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

bool ml_picture_ensemble(const struct ml_ensemble *e, const struct ml_picture_ensemble *o,
			 struct ml_buf *svg, struct ml_err *err)
{
	static bool (*const draw[ML_PLOTS])(struct ml_drawing *, struct ml_err *) = {
		[ML_PLOT_CURVES] = ml_draw_curves,
		[ML_PLOT_PARAMETER] = ml_draw_parameter,
		[ML_PLOT_MAP] = ml_draw_map,
		[ML_PLOT_SPREAD] = ml_draw_spread,
		[ML_PLOT_WORKING_SET] = ml_draw_working_set,
		[ML_PLOT_SECOND] = ml_draw_second,
		[ML_PLOT_MULTIPLES] = ml_draw_multiples,
	};
	struct ml_drawing d = {
		.e = e,
		.o = o,
		.curve = o->curve,
		.width = o->width > 0 ? o->width : WIDTH,
		.height = o->height > 0 ? o->height : HEIGHT,
		.p = { svg, o->dark ? &ml_palette_dark : &ml_palette_light },
	};

	if (!d.curve.level)
		d.curve.level = 1;
	d.curves = ml_curves_open(e);
	bool ok = prepare(&d, err) && draw[o->kind](&d, err);
	if (ok)
		ml_picture_end(&d.p);
	ml_curves_close(d.curves);
	ml_arena_release(&d.arena);
	return ok;
}
