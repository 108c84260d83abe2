#include "lib/query/drawing/paint_figure.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/query/drawing/chart.h"

enum { LINE = 16, KEYS = 16, RIGHT = 14, CELL = 44, CELLS = 700, CELL_WIDTH = 120 };

double ml_paint_key(struct ml_picture *p, double x, double y, uint32_t rgb, unsigned dash,
		    const char *text)
{
	ml_picture_put(
		p, "<path stroke=\"#%06x\" stroke-width=\"2.5\"%s d=\"M%g %gh18\"/>\n",
		rgb, ml_chart_dash(dash), x, y - 4);
	ml_picture_text_within(p, x + 24, y, ML_PAINT_LEGEND - 32, ML_COLOUR_TEXT, 11,
			       text);
	return y + LINE;
}

double ml_paint_legend(const struct ml_figure_legend *l, struct ml_picture *p, double x,
		       double y, double bottom, bool dark)
{
	if (l->title) {
		ml_picture_text_within(p, x, y, ML_PAINT_LEGEND - 8, ML_COLOUR_MUTED, 11,
				       l->title);
		y += LINE;
	}
	size_t max = bottom > y ? (size_t)((bottom - y) / LINE) : 0;
	max = max < 2 ? 2 : max < KEYS ? max : KEYS;
	size_t shown = l->count < max ? l->count : max;
	for (size_t i = 0; i < shown; i++) {
		const struct ml_figure_key *k =
			&l->keys[shown > 1 ? i * (l->count - 1) / (shown - 1) : 0];

		y = ml_paint_key(p, x, y, ml_role_colour(k->colour, dark), k->dash,
				 k->text);
	}
	return y + LINE / 2;
}

/* The frame as a chart: it maps values to pixels. */
static struct ml_chart frame_of(const struct ml_figure *f, struct ml_picture *p,
				double width, double *height)
{
	const struct ml_figure_axis *x = &f->axis[ML_FIGURE_X],
				    *y = &f->axis[ML_FIGURE_Y];
	struct ml_chart c = {
		.p = p,
		.x = ML_PAINT_LEFT,
		.y = ML_PAINT_HEAD,
		.x_low = x->low,
		.x_high = x->high,
		.x_log = x->scale == ML_FIGURE_LOG,
		.y_low = y->low,
		.y_high = y->high,
		.y_log = y->scale == ML_FIGURE_LOG,
	};

	if (y->scale == ML_FIGURE_BAND) {
		double rows = y->high - y->low;

		c.x = 90;
		c.height = *height > 0 ? *height - ML_PAINT_HEAD - ML_PAINT_FOOT
				       : fmin(CELL * rows, CELLS);
		c.width = fmin(width - c.x - ML_PAINT_LEGEND - RIGHT,
			       CELL_WIDTH * (x->high - x->low));
		*height = fmax(ML_PAINT_HEAD + c.height + ML_PAINT_FOOT, 280);
	} else {
		c.width = width - ML_PAINT_LEFT - ML_PAINT_LEGEND - RIGHT;
		c.height = *height - ML_PAINT_HEAD - ML_PAINT_FOOT;
	}
	return c;
}

static void put_x_axis(const struct ml_figure_axis *x, struct ml_chart *c)
{
	double last = -INFINITY, bottom = c->y + c->height;

	for (size_t i = 0; i < x->tick_count; i++) {
		double at = ml_chart_x(c, x->ticks[i].at);
		double half = ml_picture_width(x->ticks[i].text, 11) / 2;

		ml_picture_rect(c->p, at - 0.5, bottom, 1, 4, ML_COLOUR_MUTED);
		if (at - half < last)
			continue;
		ml_picture_text(c->p, at, bottom + 16, ML_ANCHOR_MIDDLE, ML_COLOUR_MUTED,
				11, x->ticks[i].text);
		last = at + half + 8;
	}
	ml_picture_text(c->p, c->x + c->width, bottom + 31, ML_ANCHOR_END,
			ML_COLOUR_MUTED, 11, x->label);
}

static void put_y_axis(const struct ml_figure_axis *y, struct ml_chart *c)
{
	bool band = y->scale == ML_FIGURE_BAND;
	double last = INFINITY;

	for (size_t i = 0; i < y->tick_count; i++) {
		double at = ml_chart_y(c, y->ticks[i].at);

		if (!band)
			ml_chart_y_mark(c, y->ticks[i].at, y->ticks[i].text);
		else if (at <= last) {
			ml_picture_text(c->p, c->x - 8, at + 4, ML_ANCHOR_END,
					ML_COLOUR_MUTED, 11, y->ticks[i].text);
			last = at - 12;
		}
	}
	if (!band)
		ml_picture_rect(c->p, c->x, c->y + c->height - 0.5, c->width, 1,
				ML_COLOUR_MUTED);
	ml_picture_text(c->p, c->x, c->y - 8, ML_ANCHOR_START, ML_COLOUR_MUTED, 11,
			y->label);
}

static void put_line(const struct ml_figure *f, const struct ml_figure_mark *m,
		     struct ml_chart *c, uint32_t rgb)
{
	char n[2][ML_COORDINATE_ROOM], letter = 'M';

	ml_picture_put(c->p,
		       "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%s\" "
		       "stroke-linejoin=\"round\"%s d=\"",
		       rgb, ml_picture_number(n[0], m->width), ml_chart_dash(m->dash));
	for (size_t i = m->first; i < m->first + m->count; i++) {
		if (isnan(f->rows[i].y)) {
			letter = 'M';
			continue;
		}
		ml_picture_put(c->p, "%c%s %s", letter,
			       ml_picture_number(n[0], ml_chart_x(c, f->rows[i].x)),
			       ml_picture_number(n[1], ml_chart_y(c, f->rows[i].y)));
		letter = 'L';
	}
	ml_picture_put(c->p, "\"/>\n");
}

static void put_points(const struct ml_figure *f, const struct ml_figure_mark *m,
		       struct ml_chart *c, uint32_t rgb)
{
	for (size_t i = m->first; i < m->first + m->count; i++)
		if (!isnan(f->rows[i].y))
			ml_chart_dot(c, f->rows[i].x, f->rows[i].y, m->width, rgb,
				     f->rows[i].title);
}

static void put_cells(const struct ml_figure *f, const struct ml_figure_mark *m,
		      struct ml_chart *c, bool dark)
{
	char n[4][ML_COORDINATE_ROOM];

	for (size_t i = m->first; i < m->first + m->count; i++) {
		const struct ml_figure_row *r = &f->rows[i];
		double x = ml_chart_x(c, r->x), wide = ml_chart_x(c, r->x_end) - x;
		double y = ml_chart_y(c, r->y + 0.5),
		       tall = ml_chart_y(c, r->y - 0.5) - y;
		uint32_t rgb =
			isnan(r->value)
				? ml_palette_colour(c->p->palette, ML_COLOUR_EMPTY)
				: ml_role_heat(ml_figure_share(&f->axis[ML_FIGURE_COLOUR],
							       r->value),
					       dark);
		/* a gap between cells, none between the stripes of a cell */
		bool gap = fabs(r->x_end - floor(r->x_end) - 0.5) < 1e-6 && wide > 3;

		ml_picture_put(
			c->p, "<path fill=\"#%06x\" d=\"M%s %sh%sv%sh-%sz\"><title>", rgb,
			ml_picture_number(n[0], x), ml_picture_number(n[1], y),
			ml_picture_number(n[2], wide - (gap ? 1 : 0)),
			ml_picture_number(n[3], tall - (tall > 3 ? 1 : 0)), n[2]);
		ml_picture_escape(c->p->out, r->title, strlen(r->title));
		ml_picture_put(c->p, "</title></path>\n");
		if (tall < 14 || ml_picture_width(r->text, 11) > wide - 4)
			continue;
		ml_picture_put(c->p,
			       "<text x=\"%s\" y=\"%s\" text-anchor=\"middle\" "
			       "fill=\"#%06x\">",
			       ml_picture_number(n[0], x + wide / 2),
			       ml_picture_number(n[1], y + tall / 2 + 4),
			       ml_role_readable(rgb));
		ml_picture_escape(c->p->out, r->text, strlen(r->text));
		ml_picture_put(c->p, "</text>\n");
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
	struct ml_chart c = frame_of(f, p, width, &height);
	double y = c.y + 6, x = width - ML_PAINT_LEGEND;

	ml_picture_begin(p, width, height, f->title);
	ml_picture_text_within(p, ML_PAINT_LEFT - 50, 20, width - 28, ML_COLOUR_TEXT, 14,
			       f->title);
	ml_picture_text_within(p, ML_PAINT_LEFT - 50, 37, width - 28, ML_COLOUR_MUTED, 11,
			       f->note);
	put_y_axis(&f->axis[ML_FIGURE_Y], &c);
	put_x_axis(&f->axis[ML_FIGURE_X], &c);
	for (size_t i = 0; i < f->mark_count; i++) {
		const struct ml_figure_mark *m = &f->marks[i];

		switch (m->type) {
		case ML_FIGURE_LINE:
			put_line(f, m, &c, ml_role_colour(m->colour, dark));
			break;
		case ML_FIGURE_POINT:
			put_points(f, m, &c, ml_role_colour(m->colour, dark));
			break;
		case ML_FIGURE_CELLS: put_cells(f, m, &c, dark); break;
		}
	}
	for (size_t i = 0; i < f->legend_count; i++)
		y = ml_paint_legend(&f->legend[i], p, x, y, height, dark);
	if (f->axis[ML_FIGURE_COLOUR].label)
		put_colours(&f->axis[ML_FIGURE_COLOUR], p, c.x + c.width + 24, c.y, dark);
}
