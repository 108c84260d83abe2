/* The marks of a panel: each kind has a function that maps its values to pixels. */
#include "lib/query/drawing/paint_figure_parts.h"

#include <math.h>
#include <string.h>

#include "lib/base/buf.h"

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
		      const struct ml_figure_axis *colours, struct ml_chart *c, bool dark)
{
	char n[4][ML_COORDINATE_ROOM];

	for (size_t i = m->first; i < m->first + m->count; i++) {
		const struct ml_figure_row *r = &f->rows[i];
		double x = ml_chart_x(c, r->x), wide = ml_chart_x(c, r->x_end) - x;
		double y = ml_chart_y(c, r->y + 0.5),
		       tall = ml_chart_y(c, r->y - 0.5) - y;
		uint32_t rgb = isnan(r->value)
				       ? ml_palette_colour(c->p->palette, ML_COLOUR_EMPTY)
				       : ml_role_heat(ml_figure_share(colours, r->value),
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

/* The circle fills a part of its band, by its area. */
static void put_circles(const struct ml_figure *f, const struct ml_figure_mark *m,
			const struct ml_figure_axis *area, struct ml_chart *c,
			uint32_t rgb)
{
	char n[3][ML_COORDINATE_ROOM];

	for (size_t i = m->first; i < m->first + m->count; i++) {
		const struct ml_figure_row *r = &f->rows[i];
		double from = fmax(r->x, c->x_low), to = fmin(r->x_end, c->x_high);
		double band = ml_chart_y(c, r->y - 0.5) - ml_chart_y(c, r->y + 0.5);
		double radius = (band / 2 - 1) * sqrt(ml_figure_share(area, r->value));

		if (!(r->value > 0))
			continue;
		ml_picture_put(c->p,
			       "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"#%06x\" "
			       "fill-opacity=\"%.4g\"><title>",
			       ml_picture_number(n[0], ml_chart_x(c, (from + to) / 2)),
			       ml_picture_number(n[1], ml_chart_y(c, r->y)),
			       ml_picture_number(n[2], fmax(radius, 0.7)), rgb,
			       m->opacity);
		ml_picture_escape(c->p->out, r->title, strlen(r->title));
		ml_picture_put(c->p, "</title></circle>\n");
	}
}

static const double *row_of(const struct ml_figure *f, const char *name, size_t row,
			    size_t *cells)
{
	const struct ml_figure_matrix *m = ml_figure_matrix_find(f, name);

	*cells = m->cells;
	return m->v + row * m->cells;
}

static void put_bands(const struct ml_figure *f, const struct ml_figure_mark *m,
		      struct ml_chart *c, uint32_t rgb)
{
	size_t cells;

	for (size_t i = m->first; i < m->first + m->count; i++) {
		const double *low = row_of(f, m->of[0], i, &cells),
			     *high = row_of(f, m->of[1], i, &cells);

		ml_chart_band(c, low, high, cells, rgb, m->opacity);
	}
}

static void put_curve(const struct ml_figure *f, const struct ml_figure_mark *m,
		      struct ml_chart *c, uint32_t rgb)
{
	struct ml_chart_line l = { rgb, m->width, m->opacity, m->dash, m->title };
	size_t cells;
	const double *v = row_of(f, m->of[0], m->first, &cells);

	if (m->type == ML_FIGURE_STEPS)
		ml_chart_steps(c, v, cells, &l);
	else
		ml_chart_curve(c, v, cells, &l);
}

void ml_paint_marks(const struct ml_figure *f, const struct ml_figure_panel *panel,
		    struct ml_chart *c, bool dark)
{
	for (size_t i = 0; i < panel->mark_count; i++) {
		const struct ml_figure_mark *m = &panel->marks[i];
		uint32_t rgb = ml_role_colour(m->colour, dark);

		switch (m->type) {
		case ML_FIGURE_LINE: put_line(f, m, c, rgb); break;
		case ML_FIGURE_POINT: put_points(f, m, c, rgb); break;
		case ML_FIGURE_CELLS:
			put_cells(f, m, &panel->axis[ML_FIGURE_COLOUR], c, dark);
			break;
		case ML_FIGURE_CIRCLES:
			put_circles(f, m, &panel->axis[ML_FIGURE_AREA], c, rgb);
			break;
		case ML_FIGURE_CURVE:
		case ML_FIGURE_STEPS: put_curve(f, m, c, rgb); break;
		case ML_FIGURE_BANDS: put_bands(f, m, c, rgb); break;
		}
	}
}
