/* Parameter against result: curves (miss-ratio curves among them), and heat maps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

static double total_of(struct ml_drawing *d, uint32_t member)
{
	return ml_curve_total(d->curves, member, &d->curve, d->from, d->to);
}

static const char *measure_of(struct ml_drawing *d)
{
	return d->curve.against < d->e->member_count
		       ? ml_arena_printf(&d->arena, "%s, less %s", ml_drawing_unit(d),
					 d->e->members[d->curve.against].label)
		       : ml_drawing_unit(d);
}

/*
 * Finds the named axis, or else the first axis that is not `but`, numbers before words.
 */
static bool choose(struct ml_drawing *d, const char *name, const struct ml_axis *but,
		   const struct ml_axis **axis, struct ml_err *err)
{
	if (name)
		return ml_axes_find(&d->axes, name, axis, err);
	*axis = NULL;
	for (size_t i = 0; i < d->axes.count; i++)
		if (&d->axes.at[i] != but &&
		    (!*axis || (d->axes.at[i].numeric && !(*axis)->numeric)))
			*axis = &d->axes.at[i];
	return *axis ||
	       ml_fail(err, ML_USAGE, "the members do not differ by %s parameter%s",
		       but ? "a second" : "a", but ? "" : " that has a name");
}

/* A member on its curve. Members sort by curve (all parameters but x), then by x. */
struct point {
	const struct ml_axes *axes;
	const struct ml_axis *x;
	uint32_t member;
	double value;
};

static int by_curve(const struct point *p, const struct point *q)
{
	for (size_t i = 0; i < p->axes->count; i++) {
		const struct ml_axis *a = &p->axes->at[i];

		if (a != p->x && a->of[p->member] != a->of[q->member])
			return a->of[p->member] < a->of[q->member] ? -1 : 1;
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	int curve = by_curve(p, q);
	uint32_t x = p->x->of[p->member], y = p->x->of[q->member];

	return curve ? curve : x < y ? -1 : x > y;
}

static bool is_log(const struct ml_axis *x)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < x->count; i++) {
		low = x->numbers[i] < low ? x->numbers[i] : low;
		high = x->numbers[i] > high ? x->numbers[i] : high;
	}
	return x->numeric && low > 0 && high / low >= 16;
}

/* The position of a value on an axis: its number, or its index among the words. */
static double place(const struct ml_axis *x, size_t value)
{
	return x->numeric ? x->numbers[value] : (double)value;
}

/* Draws marks at the values only, because nothing was measured between them. */
static void put_values(struct ml_drawing *d, struct ml_chart *c, const struct ml_axis *x)
{
	double last = -INFINITY, bottom = c->y + c->height;

	for (size_t i = 0; i < x->count; i++) {
		double at = ml_chart_x(c, place(x, i));
		double half = ml_picture_width(x->values[i], 11) / 2;

		ml_picture_rect(&d->p, at - 0.5, bottom, 1, 4, ML_COLOUR_MUTED);
		if (at - half < last)
			continue;
		ml_picture_text(&d->p, at, bottom + 16, ML_ANCHOR_MIDDLE, ML_COLOUR_MUTED,
				11, x->values[i]);
		last = at + half + 8;
	}
	ml_picture_text(&d->p, c->x + c->width, bottom + 31, ML_ANCHOR_END,
			ML_COLOUR_MUTED, 11, x->name);
}

static void put_curve(struct ml_drawing *d, struct ml_chart *c, const struct point *p,
		      size_t count)
{
	uint32_t rgb = d->colour == p->x ? ml_chart_word(0, d->o->dark)
					 : ml_drawing_colour(d, p->member);
	unsigned dash = d->dash == p->x ? 0 : ml_drawing_dash(d, p->member);
	char n[2][ML_COORDINATE_ROOM], value[ML_COORDINATE_ROOM];
	char letter = 'M';

	ml_picture_put(&d->p,
		       "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.8\" "
		       "stroke-linejoin=\"round\"%s d=\"",
		       rgb, ml_chart_dash(dash));
	for (size_t i = 0; i < count; i++) {
		if (isnan(p[i].value)) {
			letter = 'M';
			continue;
		}
		double x = place(p->x, p->x->of[p[i].member] - 1);

		ml_picture_put(&d->p, "%c%s %s", letter,
			       ml_picture_number(n[0], ml_chart_x(c, x)),
			       ml_picture_number(n[1], ml_chart_y(c, p[i].value)));
		letter = 'L';
	}
	ml_picture_put(&d->p, "\"/>\n");
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i].value))
			ml_chart_dot(c, place(p->x, p->x->of[p[i].member] - 1),
				     p[i].value, count > 40 ? 1.8 : 3, rgb,
				     ml_arena_printf(&d->arena, "%s: %s",
						     d->e->members[p[i].member].label,
						     ml_chart_text(value, c->y_format,
								   p[i].value)));
}

/* The members that have a value of x, curve after curve. */
static struct point *points_of(struct ml_drawing *d, const struct ml_axis *x,
			       size_t *count)
{
	struct point *p = ml_arena_alloc(&d->arena, (d->count + 1) * sizeof(*p));

	*count = 0;
	for (size_t i = 0; i < d->count; i++)
		if (x->of[d->members[i]])
			p[(*count)++] = (struct point){ &d->axes, x, d->members[i],
							total_of(d, d->members[i]) };
	qsort(p, *count, sizeof(*p), by_place);
	return p;
}

static void scale_x(struct ml_chart *c, const struct ml_axis *x)
{
	c->x_log = is_log(x);
	c->x_low = place(x, 0);
	c->x_high = place(x, x->count - 1);
	if (c->x_log) {
		double room = pow(c->x_high / c->x_low, 0.03);

		c->x_low /= room;
		c->x_high *= room;
	} else {
		double room = (c->x_high - c->x_low) * 0.04;

		c->x_low -= room > 0 ? room : 1;
		c->x_high += room > 0 ? room : 1;
	}
}

bool ml_draw_parameter(struct ml_drawing *d, struct ml_err *err)
{
	struct ml_chart c = ml_drawing_chart(
		d, ML_DRAWING_HEAD, d->height - ML_DRAWING_HEAD - ML_DRAWING_FOOT);
	const struct ml_axis *x;
	size_t count;

	if (!choose(d, d->o->x, NULL, &x, err))
		return false;
	if (!d->o->colour || d->colour == x) {
		/* the first axis that tells curves apart decides the colours */
		d->colour = NULL;
		for (size_t i = 0; i < d->axes.count && !d->colour; i++)
			if (&d->axes.at[i] != x)
				d->colour = &d->axes.at[i];
		d->dash = NULL;
		for (size_t i = 0; i < d->axes.count && !d->dash; i++)
			if (&d->axes.at[i] != x && &d->axes.at[i] != d->colour)
				d->dash = &d->axes.at[i];
	}
	bool plain = !d->colour;
	if (plain)
		d->colour = x;
	struct point *p = points_of(d, x, &count);
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		low = p[i].value < low ? p[i].value : low;
		high = p[i].value > high ? p[i].value : high;
	}
	c.y_low = low <= high ? low : 0;
	c.y_high = low <= high ? high : 1;
	ml_chart_round(&c);
	scale_x(&c, x);
	c.x_label = NULL;
	c.y_label = measure_of(d);
	ml_drawing_begin(
		d,
		ml_arena_printf(&d->arena, "%s against %s", ml_drawing_title(d), x->name),
		ml_drawing_words(d));
	ml_chart_y_axis(&c);
	put_values(d, &c, x);
	for (size_t i = 0, end; i < count; i = end) {
		end = i + 1;
		while (end < count && !by_curve(&p[i], &p[end]))
			end++;
		put_curve(d, &c, p + i, end - i);
	}
	if (!plain)
		ml_drawing_legend(d, c.y + 6);
	return true;
}

/* Cells by two parameters; a cell has the mean of its members. */
struct grid {
	size_t across, down;
	double *sum;
	size_t *count, max;
	double low, high;
};

static struct grid fill_grid(struct ml_drawing *d, const struct ml_axis *x,
			     const struct ml_axis *y)
{
	struct grid g = { x->count, y->count, NULL, NULL, 0, INFINITY, -INFINITY };

	g.sum = ml_arena_alloc(&d->arena, g.across * g.down * sizeof(*g.sum));
	g.count = ml_arena_alloc(&d->arena, g.across * g.down * sizeof(*g.count));
	for (size_t i = 0; i < d->count; i++) {
		uint32_t m = d->members[i];
		double v = total_of(d, m);

		if (!x->of[m] || !y->of[m] || isnan(v))
			continue;
		size_t cell = (y->of[m] - 1) * g.across + x->of[m] - 1;
		g.sum[cell] += v;
		g.count[cell]++;
		g.max = g.count[cell] > g.max ? g.count[cell] : g.max;
	}
	for (size_t i = 0; i < g.across * g.down; i++) {
		if (!g.count[i])
			continue;
		g.sum[i] /= (double)g.count[i];
		g.low = g.sum[i] < g.low ? g.sum[i] : g.low;
		g.high = g.sum[i] > g.high ? g.sum[i] : g.high;
	}
	return g;
}

static unsigned heat_of(const struct grid *g, double v)
{
	double at = g->high > g->low ? (v - g->low) / (g->high - g->low) : 0;

	return ML_COLOUR_HEAT + (unsigned)lround(at * (ML_COLOUR_HEATS - 1));
}

static void put_scale(struct ml_drawing *d, const struct grid *g, double x, double y)
{
	double step = 11;
	char n[ML_COORDINATE_ROOM];

	for (unsigned i = 0; i < ML_COLOUR_HEATS; i++)
		ml_picture_rect(&d->p, x, y + step * (ML_COLOUR_HEATS - 1 - i), 16, step,
				ML_COLOUR_HEAT + i);
	for (unsigned i = 0; i < 3; i++)
		ml_picture_text(&d->p, x + 22,
				y + 9 + step * (ML_COLOUR_HEATS - 1) * i / 2,
				ML_ANCHOR_START, ML_COLOUR_MUTED, 11,
				ml_chart_text(n, ml_drawing_format(d),
					      g->high - (g->high - g->low) * i / 2));
}

bool ml_draw_map(struct ml_drawing *d, struct ml_err *err)
{
	const struct ml_axis *x, *y;
	char n[ML_COORDINATE_ROOM];

	if (!choose(d, d->o->x, NULL, &x, err) || !choose(d, d->o->y, x, &y, err))
		return false;
	if (x == y)
		return ml_fail(err, ML_USAGE,
			       "a map needs two parameters, not '%s' twice", x->name);
	double left = 90, top = ML_DRAWING_HEAD,
	       across = d->width - left - ML_DRAWING_LEGEND - 14;
	double tall = d->o->height > 0
			      ? (d->height - top - ML_DRAWING_FOOT) / (double)y->count
			      : fmin(44, 700 / (double)y->count);
	double wide = fmin(across / (double)x->count, 120);
	d->height = fmax(top + tall * (double)y->count + ML_DRAWING_FOOT, 280);
	struct grid g = fill_grid(d, x, y);
	ml_drawing_begin(d,
			 ml_arena_printf(&d->arena, "%s by %s and %s",
					 ml_drawing_title(d), x->name, y->name),
			 ml_arena_printf(&d->arena, "%s; %s%s", measure_of(d),
					 ml_drawing_words(d),
					 g.max > 1 ? "; cells are means" : ""));
	ml_picture_text(&d->p, left, top - 8, ML_ANCHOR_START, ML_COLOUR_MUTED, 11,
			ml_arena_printf(&d->arena, "%s (down)", y->name));
	for (size_t r = 0; r < g.down; r++) {
		double at = top + tall * (double)r;

		if (tall >= 11)
			ml_picture_text(&d->p, left - 8, at + tall / 2 + 4, ML_ANCHOR_END,
					ML_COLOUR_MUTED, 11, y->values[r]);
		for (size_t k = 0; k < g.across; k++) {
			size_t cell = r * g.across + k;
			double from = left + wide * (double)k;

			if (!g.count[cell])
				continue;
			ml_picture_rect(&d->p, from, at, wide - 1, tall - 1,
					heat_of(&g, g.sum[cell]));
			const char *text = ml_chart_text(n, ml_drawing_format(d),
							 g.sum[cell]);
			bool deep = heat_of(&g, g.sum[cell]) >
				    ML_COLOUR_HEAT + ML_COLOUR_HEATS / 2;
			if (tall >= 14 && ml_picture_width(text, 11) < wide - 4)
				ml_picture_text(
					&d->p, from + wide / 2, at + tall / 2 + 4,
					ML_ANCHOR_MIDDLE,
					deep != d->o->dark
						? (d->o->dark ? ML_COLOUR_TEXT
							      : ML_COLOUR_BACKGROUND)
						: (d->o->dark ? ML_COLOUR_BACKGROUND
							      : ML_COLOUR_TEXT),
					11, text);
		}
	}
	double bottom = top + tall * (double)g.down, last = -1;
	for (size_t k = 0; k < g.across; k++) {
		double at = left + wide * ((double)k + 0.5);
		double half = ml_picture_width(x->values[k], 11) / 2;

		if (at - half < last)
			continue;
		ml_picture_text(&d->p, at, bottom + 15, ML_ANCHOR_MIDDLE, ML_COLOUR_MUTED,
				11, x->values[k]);
		last = at + half + 6;
	}
	ml_picture_text(&d->p, left + wide * (double)g.across, bottom + 31, ML_ANCHOR_END,
			ML_COLOUR_MUTED, 11, x->name);
	if (g.max)
		put_scale(d, &g, left + wide * (double)g.across + 24, top);
	return true;
}
