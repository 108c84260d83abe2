#include "lib/query/drawing/paint_figure.h"

#include <math.h>
#include <stddef.h>

#include "lib/query/drawing/paint_figure_parts.h"

enum {
	LEFT = 64, /* at least: marks of the y axis */
	LEFT_MAX = 150,
	HEAD = 66,    /* title, note, and the label of the y axis */
	FOOT = 44,    /* marks and label of the x axis */
	LEGEND = 160, /* at the right */
	RIGHT = 14,
	LABEL = 22, /* label of the y axis of a panel below another one */
	MARKS = 22, /* marks of the x axis */
	X_LABEL = 22,
	NAMES = 14,       /* names of moments above a panel */
	CIRCLES = 26,     /* a row of circles */
	CHART_TITLE = 20, /* of a small chart */
	CHART_GAP = 12,
	LINE = 16,
	KEYS = 16,
	CELL = 44,
	CELLS = 700,
	CELL_WIDTH = 120,
	HEIGHT_MIN = 280,
};

double ml_paint_frame_width(double width)
{
	return width - LEFT - LEGEND - RIGHT;
}

double ml_paint_frame_height(double height)
{
	return height - HEAD - FOOT;
}

static double put_key(struct ml_picture *p, double x, double y, uint32_t rgb,
		      unsigned dash, const char *text)
{
	ml_picture_put(
		p, "<path stroke=\"#%06x\" stroke-width=\"2.5\"%s d=\"M%g %gh18\"/>\n",
		rgb, ml_chart_dash(dash), x, y - 4);
	ml_picture_text_within(p, x + 24, y, LEGEND - 32, ML_COLOUR_TEXT, 11, text);
	return y + LINE;
}

static double put_legend(const struct ml_figure_legend *l, struct ml_picture *p, double x,
			 double y, double bottom, bool dark)
{
	if (l->title) {
		ml_picture_text_within(p, x, y, LEGEND - 8, ML_COLOUR_MUTED, 11,
				       l->title);
		y += LINE;
	}
	size_t max = bottom > y ? (size_t)((bottom - y) / LINE) : 0;
	max = max < 2 ? 2 : max < KEYS ? max : KEYS;
	size_t shown = l->count < max ? l->count : max;
	for (size_t i = 0; i < shown; i++) {
		const struct ml_figure_key *k =
			&l->keys[shown > 1 ? i * (l->count - 1) / (shown - 1) : 0];

		y = put_key(p, x, y, ml_role_colour(k->colour, dark), k->dash, k->text);
	}
	return y + LINE / 2;
}

/* Room at the left for the longest mark of a y axis. */
static double left_of(const struct ml_figure *f)
{
	double left = LEFT;

	for (size_t i = 0; i < f->panel_count; i++) {
		const struct ml_figure_axis *y = &f->panels[i].axis[ML_FIGURE_Y];

		for (size_t k = 0; k < y->tick_count; k++)
			left = fmax(left, 14 + ml_picture_width(y->ticks[k].text, 11));
	}
	return fmin(left, LEFT_MAX);
}

static void set_domains(struct ml_chart *c, const struct ml_figure_panel *axes)
{
	const struct ml_figure_axis *x = &axes->axis[ML_FIGURE_X],
				    *y = &axes->axis[ML_FIGURE_Y];

	c->x_low = x->low;
	c->x_high = x->high;
	c->x_log = x->scale == ML_FIGURE_LOG;
	c->y_low = y->low;
	c->y_high = y->high;
	c->y_log = y->scale == ML_FIGURE_LOG;
}

static bool has_names(const struct ml_figure_panel *p)
{
	for (size_t i = 0; i < p->moment_count; i++)
		if (p->moments[i].text)
			return true;
	return false;
}

/* Pixels above a panel that follows another one, and below every panel. */
static double above(const struct ml_figure_panel *p, bool first)
{
	return (has_names(p) ? NAMES : 0) +
	       (!first && *p->axis[ML_FIGURE_Y].label ? LABEL : 0);
}

static double below(const struct ml_figure_panel *p)
{
	return (p->axis[ML_FIGURE_X].tick_count ? MARKS : 0) +
	       (*p->axis[ML_FIGURE_X].label ? X_LABEL : 0);
}

/* Panels one below the other share the height that is left by their axes. */
static void stack(const struct ml_figure *f, struct ml_chart *c, double left,
		  double width, double height)
{
	double y = HEAD, room = height - HEAD;

	for (size_t i = 0; i < f->panel_count; i++)
		room -= above(&f->panels[i], !i) + below(&f->panels[i]) +
			CIRCLES * (double)f->panels[i].rows;
	for (size_t i = 0; i < f->panel_count; i++) {
		const struct ml_figure_panel *p = &f->panels[i];

		y += above(p, !i);
		c[i].x = left;
		c[i].y = y;
		c[i].width = width - left - LEGEND - RIGHT;
		c[i].height = fmax(10, CIRCLES * (double)p->rows + room * p->share);
		y += c[i].height + below(p);
		set_domains(&c[i], p);
	}
}

static void tile(const struct ml_figure *f, struct ml_chart *c, double left, double width,
		 double height)
{
	size_t down = (f->panel_count + f->across - 1) / f->across;
	double wide = (width - left - LEGEND - RIGHT) / (double)f->across,
	       tall = (height - HEAD - FOOT) / (double)down;

	for (size_t i = 0; i < f->panel_count; i++) {
		c[i].x = left + wide * (double)(i % f->across);
		c[i].y = HEAD + tall * (double)(i / f->across) + CHART_TITLE;
		c[i].width = fmax(4, wide - CHART_GAP);
		c[i].height = fmax(4, tall - CHART_TITLE - 4);
		set_domains(&c[i], f->panels);
	}
}

/* A heat map has cells of a usual size; returns the height of the picture. */
static double fit_cells(const struct ml_figure *f, struct ml_chart *c, double width,
			double height)
{
	const struct ml_figure_axis *x = &f->panels->axis[ML_FIGURE_X],
				    *y = &f->panels->axis[ML_FIGURE_Y];

	c->x = fmax(left_of(f), 90);
	c->y = HEAD;
	c->width = fmin(width - c->x - LEGEND - RIGHT, CELL_WIDTH * (x->high - x->low));
	c->height = height > 0 ? height - HEAD - FOOT
			       : fmin(CELL * (y->high - y->low), CELLS);
	set_domains(c, f->panels);
	return fmax(HEAD + c->height + FOOT, HEIGHT_MIN);
}

static void put_x_axis(const struct ml_figure_axis *x, struct ml_chart *c, bool words)
{
	double last = -INFINITY, bottom = c->y + c->height;

	for (size_t i = 0; i < x->tick_count; i++) {
		double at = ml_chart_x(c, x->ticks[i].at);
		double half = ml_picture_width(x->ticks[i].text, 11) / 2;

		ml_picture_rect(c->p, at - 0.5, bottom, 1, 4, ML_COLOUR_MUTED);
		if (at - half < last || !words)
			continue;
		ml_picture_text(c->p, at, bottom + 16, ML_ANCHOR_MIDDLE, ML_COLOUR_MUTED,
				11, x->ticks[i].text);
		last = at + half + 8;
	}
}

static void put_y_axis(const struct ml_figure_axis *y, struct ml_chart *c, bool words)
{
	bool band = y->scale == ML_FIGURE_BAND;
	double last = INFINITY;

	for (size_t i = 0; i < y->tick_count; i++) {
		double at = ml_chart_y(c, y->ticks[i].at);
		bool zero = !(fabs(y->ticks[i].at) > 0) && y->low < 0;

		if (!band)
			ml_picture_rect(c->p, c->x, at - 0.5, c->width, 1,
					zero ? ML_COLOUR_MUTED : ML_COLOUR_GRID);
		if (at > last || !words)
			continue;
		ml_picture_text(c->p, c->x - 6, at + 4, ML_ANCHOR_END, ML_COLOUR_MUTED,
				11, y->ticks[i].text);
		last = at - 12;
	}
	if (!band)
		ml_picture_rect(c->p, c->x, c->y + c->height - 0.5, c->width, 1,
				ML_COLOUR_MUTED);
}

static void put_moments(const struct ml_figure_panel *p, struct ml_chart *c)
{
	for (size_t i = 0; i < p->moment_count; i++) {
		ml_chart_moment(c, p->moments[i].at, ML_COLOUR_MUTED);
		if (p->moments[i].text)
			ml_picture_text(c->p, ml_chart_x(c, p->moments[i].at), c->y - 5,
					ML_ANCHOR_START, ML_COLOUR_MUTED, 10,
					p->moments[i].text);
	}
}

static void put_beyond(const struct ml_figure_panel *p, const struct ml_chart *c)
{
	for (unsigned i = 0; i < 2; i++)
		if (p->beyond[i])
			ml_picture_text(c->p, c->x + c->width - 4,
					i ? c->y + c->height - 6 : c->y + 11,
					ML_ANCHOR_END, ML_COLOUR_MUTED, 10, p->beyond[i]);
}

static void put_panel(const struct ml_figure *f, size_t i, struct ml_chart *c, bool dark)
{
	const struct ml_figure_panel *p = &f->panels[i],
				     *axes = f->across ? f->panels : p;
	bool left = !f->across || i % f->across == 0,
	     last = !f->across || i + f->across >= f->panel_count;

	put_y_axis(&axes->axis[ML_FIGURE_Y], c, left);
	put_x_axis(&axes->axis[ML_FIGURE_X], c, last);
	if (p->title)
		ml_picture_text_within(c->p, c->x, c->y - 6, c->width, ML_COLOUR_TEXT, 10,
				       p->title);
	put_moments(p, c);
	ml_chart_clip(c);
	ml_paint_marks(f, p, c, dark);
	ml_chart_close(c);
	put_beyond(p, c);
}

/* The labels of the axes; in a grid there is one of each. */
static void put_labels(const struct ml_figure *f, const struct ml_chart *c, double width)
{
	for (size_t i = 0; i < (f->across ? 1 : f->panel_count); i++) {
		const struct ml_figure_panel *p = &f->panels[i];
		const struct ml_chart *last = &c[f->across ? f->panel_count - 1 : i];
		double right = f->across ? width - LEGEND - RIGHT : c[i].x + c[i].width;

		ml_picture_text(c->p, c[i].x,
				c[i].y - (f->across      ? CHART_TITLE + 2
					  : has_names(p) ? NAMES + 8
							 : 8),
				ML_ANCHOR_START, ML_COLOUR_MUTED, 11,
				p->axis[ML_FIGURE_Y].label);
		ml_picture_text(c->p, right, last->y + last->height + 31, ML_ANCHOR_END,
				ML_COLOUR_MUTED, 11, p->axis[ML_FIGURE_X].label);
	}
}

/* The scale of the colours, much at the top. */
static void put_colours(const struct ml_figure_axis *a, struct ml_picture *p, double x,
			double y, bool dark)
{
	const double step = 6, steps = 30;

	for (double i = 0; i < steps; i++)
		ml_picture_put(p, "<path fill=\"#%06x\" d=\"M%g %gh16v%gh-16z\"/>\n",
			       ml_role_heat(i / (steps - 1), dark), x,
			       y + step * (steps - 1 - i), step + (i > 0 ? 0.5 : 0));
	for (size_t i = 0; i < a->tick_count; i++)
		ml_picture_text(p, x + 22,
				y + 4 +
					(step * steps - 8) *
						(1 - ml_figure_share(a, a->ticks[i].at)) +
					4,
				ML_ANCHOR_START, ML_COLOUR_MUTED, 11, a->ticks[i].text);
}

void ml_paint_figure(const struct ml_figure *f, struct ml_picture *p, double width,
		     double height, bool dark)
{
	const struct ml_figure_axis *heat = &f->panels->axis[ML_FIGURE_COLOUR];
	struct ml_arena a = { 0 };
	struct ml_chart *c = ml_arena_alloc(&a, f->panel_count * sizeof(*c));
	double y = HEAD + 6;

	for (size_t i = 0; i < f->panel_count; i++) {
		c[i].p = p;
		c[i].clip = (unsigned)i;
	}
	if (heat->label)
		height = fit_cells(f, c, width, height);
	else if (f->across)
		tile(f, c, left_of(f), width, height);
	else
		stack(f, c, left_of(f), width, height);
	ml_picture_begin(p, width, height, f->title);
	ml_picture_text_within(p, LEFT - 50, 20, width - 28, ML_COLOUR_TEXT, 14,
			       f->title);
	ml_picture_text_within(p, LEFT - 50, 37, width - 28, ML_COLOUR_MUTED, 11,
			       f->note);
	for (size_t i = 0; i < f->panel_count; i++)
		put_panel(f, i, &c[i], dark);
	put_labels(f, c, width);
	for (size_t i = 0; i < f->legend_count; i++)
		y = put_legend(&f->legend[i], p, width - LEGEND, y, height, dark);
	if (heat->label)
		put_colours(heat, p, c->x + c->width + 24, c->y, dark);
	ml_arena_release(&a);
}
