/* Members over time: curves, their spread, working sets, multiples. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

enum {
	BANDS_MAX = 40,     /* with more curves, envelopes are left out */
	STRETCHES_MAX = 40, /* stretches between milestones that get circles */
	CIRCLES = 26,       /* height of a row of circles */
	NAMES = 14,         /* height of a row of names of milestones */
	MULTIPLES_MAX = 100,
};

/* Values of all members, each [count][cells]. */
struct columns {
	size_t cells;
	double *mean, *low, *high, *deviation;
};

static struct columns measure(struct ml_drawing *d, double width)
{
	struct columns c = { .cells = ml_drawing_cells(d, width, d->count) };
	size_t n = c.cells * d->count;

	c.mean = ml_arena_alloc(&d->arena, n * sizeof(*c.mean));
	c.low = ml_arena_alloc(&d->arena, n * sizeof(*c.low));
	c.high = ml_arena_alloc(&d->arena, n * sizeof(*c.high));
	c.deviation = ml_arena_alloc(&d->arena, n * sizeof(*c.deviation));
	for (size_t i = 0; i < d->count; i++)
		ml_curve(d->curves, d->members[i], &d->curve, d->from, d->to, c.cells,
			 c.mean + i * c.cells, c.low + i * c.cells, c.high + i * c.cells,
			 c.deviation + i * c.cells);
	return c;
}

static const char *with_cut(struct ml_drawing *d, const struct ml_chart *c, double cut)
{
	char n[ML_COORDINATE_ROOM];

	if (isnan(cut))
		return ml_drawing_words(d);
	return ml_arena_printf(&d->arena, "%s; peaks up to %s are cut off",
			       ml_drawing_words(d), ml_chart_text(n, c->y_format, cut));
}

static void put_envelope(struct ml_drawing *d, struct ml_chart *c, struct columns *x,
			 size_t i, double opacity)
{
	double *low = x->low + i * x->cells, *high = x->high + i * x->cells;
	const double *mean = x->mean + i * x->cells,
		     *deviation = x->deviation + i * x->cells;

	if (d->o->envelope == ML_ENVELOPE_NONE)
		return;
	if (d->o->envelope == ML_ENVELOPE_DEVIATION)
		for (size_t k = 0; k < x->cells; k++) {
			low[k] = mean[k] - deviation[k];
			high[k] = mean[k] + deviation[k];
		}
	ml_chart_band(c, low, high, x->cells, ml_drawing_colour(d, d->members[i]),
		      opacity);
}

/*
 * Marked moments of common time: the knots of a matching, or the milestones of a single
 * trace.
 */
struct moments {
	double *at;
	const char **name; /* NULL: drawn without a name */
	size_t *knot;      /* knot of the matching; unused for milestones */
	size_t count;
	size_t step; /* one in so many is drawn */
	bool knots;
};

static struct moments find_moments(struct ml_drawing *d)
{
	const struct ml_time_matching *m = d->curve.matching;
	const struct ml_ensemble_trace *t = &d->e->traces[0];
	struct moments x = { .knots = m->how == ML_TIME_MATCH_MILESTONES };
	size_t room = m->knots;

	for (size_t i = 0; i < t->milestone_count; i++)
		room += t->milestones[i].count;
	x.at = ml_arena_alloc(&d->arena, room * sizeof(*x.at));
	x.name = ml_arena_alloc(&d->arena, room * sizeof(*x.name));
	x.knot = ml_arena_alloc(&d->arena, room * sizeof(*x.knot));
	if (x.knots) {
		x.step = (m->knots + STRETCHES_MAX - 1) / STRETCHES_MAX;
		for (size_t k = 0; k < m->knots; k++) {
			bool end = k == 0 || k + 1 == m->knots;

			if (!end && k % x.step)
				continue;
			x.knot[x.count] = k;
			x.name[x.count] = end ? NULL : m->name[k];
			x.at[x.count++] = (double)m->at[m->base][k];
		}
	} else if (d->e->trace_count == 1)
		for (size_t i = 0; i < t->milestone_count; i++) {
			size_t n = t->milestones[i].count,
			       step = (n + STRETCHES_MAX - 1) / STRETCHES_MAX;

			for (size_t k = 0; k < n; k += step ? step : 1) {
				x.name[x.count] = k ? NULL : t->milestones[i].name;
				x.at[x.count++] = ml_time_match_common(
					m, 0, (double)t->milestones[i].at[k]);
			}
		}
	return x;
}

static void put_moments(struct ml_drawing *d, struct ml_chart *c, const struct moments *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->at[i] > d->from && x->at[i] < d->to)
			ml_chart_line(c, x->at[i], ML_COLOUR_MUTED);
}

static bool any_name(const struct ml_drawing *d, const struct moments *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->name[i] && x->at[i] > d->from && x->at[i] < d->to)
			return true;
	return false;
}

/* Writes the names of moments above the frame, where there is room. */
static void put_names(struct ml_drawing *d, const struct ml_chart *c,
		      const struct moments *x)
{
	const char *last = NULL;
	double behind = c->x;

	for (size_t i = 0; i < x->count; i++) {
		if (!x->name[i] || x->at[i] <= d->from || x->at[i] >= d->to)
			continue;
		double at = ml_chart_x(c, x->at[i]),
		       width = ml_picture_width(x->name[i], 10);

		if (at < behind || at + width > c->x + c->width ||
		    (last && !strcmp(last, x->name[i])))
			continue;
		ml_picture_text(&d->p, at, c->y - 5, ML_ANCHOR_START, ML_COLOUR_MUTED, 10,
				x->name[i]);
		behind = at + width + 10;
		last = x->name[i];
	}
}

/*
 * Draws the references of each trace between two milestones as the areas of circles
 * (figure 7.3 of the dissertation).
 */
static void put_circles(struct ml_drawing *d, const struct ml_chart *c,
			const struct moments *x, double y)
{
	const struct ml_time_matching *m = d->curve.matching;
	double max = 0;
	char n[3][ML_COORDINATE_ROOM];

	for (size_t i = 0; i + 1 < x->count; i++)
		for (size_t t = 0; t < d->e->trace_count; t++)
			max = fmax(max, (double)(m->at[t][x->knot[i + 1]] -
						 m->at[t][x->knot[i]]));
	/* limited by the height of the row and the usual width of a stretch */
	double radius = fmin(CIRCLES / 2.0 - 1, c->width / (double)(2 * x->count));
	for (size_t t = 0; t < d->e->trace_count; t++, y += CIRCLES) {
		uint32_t rgb = ml_drawing_rgb(d, ML_COLOUR_MUTED);

		for (size_t i = 0; i < d->count; i++)
			if (d->e->members[d->members[i]].trace == t) {
				rgb = ml_drawing_colour(d, d->members[i]);
				break;
			}
		ml_picture_text_within(&d->p, d->width - ML_DRAWING_LEGEND,
				       y + CIRCLES / 2.0 + 4, ML_DRAWING_LEGEND - 8,
				       ML_COLOUR_MUTED, 11, d->e->traces[t].label);
		for (size_t i = 0; i + 1 < x->count; i++) {
			uint64_t refs = m->at[t][x->knot[i + 1]] - m->at[t][x->knot[i]];
			double mid = (x->at[i] + x->at[i + 1]) / 2;
			double r = radius * sqrt((double)refs / max);

			if (mid < d->from || mid > d->to || !refs)
				continue;
			ml_picture_put(
				&d->p,
				"<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"#%06x\" "
				"fill-opacity=\"0.75\"><title>%llu "
				"references</title></circle>\n",
				ml_picture_number(n[0], ml_chart_x(c, mid)),
				ml_picture_number(n[1], y + CIRCLES / 2.0),
				ml_picture_number(n[2], r < 0.7 ? 0.7 : r), rgb,
				(unsigned long long)refs);
		}
	}
}

static const char *time_title(struct ml_drawing *d)
{
	const char *title = ml_drawing_title(d);

	if (d->curve.against < d->e->member_count)
		return ml_arena_printf(&d->arena, "%s: difference against %s", title,
				       d->e->members[d->curve.against].label);
	return title;
}

bool ml_draw_curves(struct ml_drawing *d, struct ml_err *err)
{
	struct moments x = find_moments(d);
	bool circles = x.knots && x.count > 2 && d->e->trace_count <= 8;
	double names = any_name(d, &x) ? NAMES : 0,
	       below = circles ? (double)(d->e->trace_count * CIRCLES) : 0;
	struct ml_chart c = ml_drawing_chart(d, ML_DRAWING_HEAD + names,
					     d->height - ML_DRAWING_HEAD - names -
						     ML_DRAWING_FOOT - below);
	struct columns v = measure(d, c.width);
	double cut = ml_drawing_fit(d, &c, v.mean, v.cells * d->count);

	(void)err;
	ml_drawing_begin(d, time_title(d),
			 x.step > 1 ? ml_arena_printf(&d->arena,
						      "%s; one milestone in %zu is drawn",
						      with_cut(d, &c, cut), x.step)
				    : with_cut(d, &c, cut));
	put_names(d, &c, &x);
	c.above = names;
	ml_chart_axes(&c);
	put_moments(d, &c, &x);
	for (size_t i = 0; i < d->count && d->count <= BANDS_MAX; i++)
		put_envelope(d, &c, &v, i, d->count > 3 ? 0.1 : 0.18);
	for (size_t i = 0; i < d->count; i++)
		ml_chart_curve(&c, v.mean + i * v.cells, v.cells,
			       ml_drawing_colour(d, d->members[i]),
			       d->count > BANDS_MAX ? 0.8 : 1.4,
			       ml_drawing_dash(d, d->members[i]),
			       d->e->members[d->members[i]].label);
	ml_chart_close(&c);
	if (circles)
		put_circles(d, &c, &x, c.y + c.height + ML_DRAWING_FOOT - 6);
	ml_drawing_legend(d, c.y + 6);
	return true;
}

bool ml_draw_spread(struct ml_drawing *d, struct ml_err *err)
{
	double all = d->height - ML_DRAWING_HEAD - ML_DRAWING_FOOT, gap = 44;
	struct ml_chart c = ml_drawing_chart(d, ML_DRAWING_HEAD, (all - gap) * 0.6);
	struct ml_chart below = ml_drawing_chart(d, c.y + c.height + gap,
						 (all - gap) * 0.4);
	struct columns v = measure(d, c.width);
	double *average = ml_arena_alloc(&d->arena, 4 * v.cells * sizeof(*average)),
	       *spread = average + v.cells, *low = spread + v.cells,
	       *high = low + v.cells;
	uint32_t blue = ml_role_word(0, d->o->dark), orange = ml_role_word(1, d->o->dark);

	(void)err;
	ml_curve_spread(v.mean, d->count, v.cells, average, spread);
	for (size_t i = 0; i < v.cells; i++) {
		low[i] = average[i] - spread[i];
		high[i] = average[i] + spread[i];
	}
	double cut = ml_drawing_fit(d, &c, v.mean, v.cells * d->count);
	below.y_label = "standard deviation across members";
	below.clip = 1;
	ml_drawing_fit(d, &below, spread, v.cells);
	c.x_label = NULL;
	ml_drawing_begin(d,
			 ml_arena_printf(&d->arena,
					 "%s: mean of the members, and how far they "
					 "disagree",
					 time_title(d)),
			 with_cut(d, &c, cut));
	ml_chart_axes(&c);
	for (size_t i = 0; i < d->count; i++)
		ml_chart_curve(&c, v.mean + i * v.cells, v.cells,
			       ml_drawing_rgb(d, ML_COLOUR_MUTED), 0.4, 0,
			       d->e->members[d->members[i]].label);
	ml_chart_band(&c, low, high, v.cells, blue, 0.2);
	ml_chart_curve(&c, average, v.cells, blue, 1.6, 0, "mean of the members");
	ml_chart_close(&c);
	ml_chart_axes(&below);
	ml_chart_curve(&below, spread, v.cells, orange, 1.4, 0, NULL);
	ml_chart_close(&below);
	double y = ml_drawing_key(d, c.y + 6, blue, 0, "mean");
	ml_drawing_key(d, y, ml_drawing_rgb(d, ML_COLOUR_MUTED), 0, "each member");
	ml_drawing_key(d, below.y + 6, orange, 0, "deviation");
	return true;
}

bool ml_draw_working_set(struct ml_drawing *d, struct ml_err *err)
{
	struct ml_chart c = ml_drawing_chart(
		d, ML_DRAWING_HEAD, d->height - ML_DRAWING_HEAD - ML_DRAWING_FOOT);
	size_t cells = ml_drawing_cells(d, c.width, 1), count;
	bool *only = ml_arena_alloc(&d->arena, d->e->member_count + 1);
	double tolerance = d->o->tolerance > 0 ? d->o->tolerance : 0.05;
	const char *size;
	uint32_t *family;
	char n[2][ML_COORDINATE_ROOM];

	for (size_t i = 0; i < d->count; i++)
		only[d->members[i]] = true;
	if (!ml_drawing_size(d, &size, err) ||
	    !ml_curve_family(d->e, size, only, &family, &count, &d->arena, err))
		return false;
	double *bytes = ml_arena_alloc(&d->arena, 2 * cells * sizeof(*bytes)),
	       *beyond = bytes + cells;
	struct ml_curve_options o = d->curve;
	o.against = SIZE_MAX;
	ml_curve_working_set(d->curves, family, count, size, &o, tolerance, d->from,
			     d->to, cells, bytes);
	double min = ml_curve_number(&d->e->members[family[0]], size),
	       next = ml_curve_number(&d->e->members[family[count - 2]], size),
	       max = ml_curve_number(&d->e->members[family[count - 1]], size);
	c.y_log = min > 0;
	c.y_low = c.y_log ? min / 1.4 : 0;
	c.y_high = max * 1.4;
	c.y_format = ML_CHART_BYTES;
	c.y_label = size;
	for (size_t i = 0; i < cells; i++)
		beyond[i] = isnan(bytes[i]) ? max * 1.18 : NAN;
	ml_drawing_begin(
		d, "Working set: the least size that does as well as the largest",
		ml_arena_printf(&d->arena, "within %s of the largest of %zu sizes; %s",
				ml_chart_text(n[0], ML_CHART_PERCENT, tolerance), count,
				ml_drawing_words(d)));
	ml_chart_axes(&c);
	ml_chart_steps(&c, bytes, cells, ml_role_word(0, d->o->dark), 2);
	ml_chart_steps(&c, beyond, cells, ml_role_word(1, d->o->dark), 4);
	ml_chart_close(&c);
	double y = ml_drawing_key(d, c.y + 6, ml_role_word(0, d->o->dark), 0,
				  "working set");
	ml_drawing_key(d, y, ml_role_word(1, d->o->dark), 0,
		       ml_arena_printf(&d->arena, "more than %s",
				       ml_chart_text(n[1], ML_CHART_BYTES, next)));
	return true;
}

bool ml_draw_multiples(struct ml_drawing *d, struct ml_err *err)
{
	size_t shown = d->count < MULTIPLES_MAX ? d->count : MULTIPLES_MAX;
	size_t across = shown < 3 ? shown : shown < 9 ? 3 : shown < 25 ? 4 : 6;
	size_t down = (shown + across - 1) / across;
	double wide = (d->width - 16) / (double)across, tall = 130, top = 48;

	(void)err;
	if (d->o->height > 0)
		tall = (d->height - top) / (double)down;
	else
		d->height = top + tall * (double)down + 6;
	struct columns v = measure(d, wide);
	struct ml_chart scale = ml_drawing_chart(d, 0, 1);
	double cut = ml_drawing_fit(d, &scale, v.mean, v.cells * d->count);
	ml_drawing_begin(
		d,
		ml_arena_printf(&d->arena, "%s: %s", time_title(d), ml_drawing_unit(d)),
		shown < d->count ? ml_arena_printf(&d->arena, "%s; %zu of them are shown",
						   with_cut(d, &scale, cut), shown)
				 : with_cut(d, &scale, cut));
	for (size_t i = 0; i < shown; i++) {
		size_t m = shown < d->count ? i * (d->count - 1) / (shown - 1) : i;
		struct ml_chart c = scale;

		c.x = 8 + wide * (double)(i % across) + 42;
		c.y = top + tall * (double)(i / across) + 20;
		c.width = wide - 56;
		c.height = tall - 44;
		c.bare = true;
		c.clip = (unsigned)i;
		c.x_label = NULL;
		c.y_label = NULL;
		ml_picture_text_within(&d->p, c.x, c.y - 6, c.width, ML_COLOUR_TEXT, 10,
				       d->e->members[d->members[m]].label);
		ml_chart_axes(&c);
		put_envelope(d, &c, &v, m, 0.25);
		ml_chart_curve(&c, v.mean + m * v.cells, v.cells,
			       ml_drawing_colour(d, d->members[m]), 1.2, 0, NULL);
		ml_chart_close(&c);
	}
	return true;
}
