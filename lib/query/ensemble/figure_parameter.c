/* Figures of parameter against result: lines (miss-ratio curves among them), heat maps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/query/ensemble/picture_ensemble_parts.h"

enum { STRIPES_MAX = 24 };

static const char none[] = "–"; /* members that have no value of a parameter */

static void put_words(struct ml_drawing *d, struct ml_figure_row *r, double v)
{
	r->text = ml_drawing_value(d, v);
	r->title = r->member == ML_FIGURE_NO_MEMBER
			   ? r->text
			   : ml_arena_printf(&d->arena, "%s: %s",
					     d->e->members[r->member].label, r->text);
}

static bool choose_x(struct ml_drawing *d, const struct ml_axis **x, struct ml_err *err)
{
	if (d->o->x)
		return ml_axes_find(&d->axes, d->o->x, x, err);
	*x = ml_axes_largest(&d->axes, NULL, true);
	return *x || ml_fail(err, ML_USAGE,
			     "the members do not differ by a parameter that has a name");
}

/* Where the values of a parameter stand on an axis of a figure. */
struct places {
	const struct ml_axis *axis; /* NULL: all members stand at one place */
	double *at;                 /* by number of the value + 1; NAN: nowhere */
};

static double place_of(const struct places *p, uint32_t member)
{
	return p->axis ? p->at[p->axis->of[member]] : 0;
}

static void add_place(struct places *p, struct ml_figure_axis *out, size_t value,
		      double at, const char *text)
{
	p->at[value] = at;
	out->ticks[out->tick_count++] = (struct ml_figure_tick){ at, text };
}

/* Widens a range so that marks do not stand on the frame. */
static void widen(struct ml_figure_axis *x)
{
	double min = x->ticks[0].at, max = x->ticks[x->tick_count - 1].at;

	if (x->tick_count > 2 && min > 0 && max / min >= 8) {
		double room = pow(max / min, 0.03);

		x->scale = ML_FIGURE_LOG;
		x->low = min / room;
		x->high = max * room;
	} else {
		double room = max > min ? (max - min) * 0.04 : 1;

		x->low = min - room;
		x->high = max + room;
	}
}

/*
 * Makes the axis of a parameter. It has the values of the members that are drawn, and
 * marks only there, because nothing was measured between them.
 */
static struct places make_places(struct ml_drawing *d, struct ml_figure_axis *out,
				 const struct ml_axis *axis, bool band)
{
	struct places p = { axis, NULL };
	size_t count = axis ? axis->count : 0;
	bool *has = ml_arena_alloc(&d->arena, count + 1);

	out->unit = "";
	out->label = axis ? axis->name : "";
	out->ticks = ml_arena_alloc(&d->arena, (count + 1) * sizeof(*out->ticks));
	p.at = ml_arena_alloc(&d->arena, (count + 1) * sizeof(*p.at));
	p.at[0] = NAN;
	for (size_t i = 0; i < d->count; i++)
		has[axis ? axis->of[d->members[i]] : 0] = true;
	for (size_t v = 1; v <= count; v++)
		if (has[v])
			add_place(&p, out, v,
				  band ? (double)out->tick_count : axis->numbers[v - 1],
				  axis->values[v - 1]);
	if (band && has[0])
		add_place(&p, out, 0, (double)out->tick_count, axis ? none : "");
	if (band) {
		out->scale = ML_FIGURE_BAND;
		out->low = -0.5;
		out->high = (double)out->tick_count - 0.5;
	} else if (out->tick_count)
		widen(out);
	return p;
}

/* A member on its line. Members sort by line (all parameters but x), then by place. */
struct point {
	const struct ml_axes *axes;
	const struct ml_axis *x;
	uint32_t member;
	double place;
};

static int by_line(const struct point *p, const struct point *q)
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
	int line = by_line(p, q);

	if (line)
		return line;
	if (p->place < q->place || p->place > q->place)
		return p->place < q->place ? -1 : 1;
	return p->member < q->member ? -1 : p->member > q->member;
}

/*
 * Colours tell the named parameter, or else the one but x that explains most; dashes tell
 * the next one that has few values.
 */
static void choose_look(struct ml_drawing *d, const struct ml_axis *x)
{
	if (!d->o->colour || d->colour == x)
		d->colour = ml_axes_largest(&d->axes, x, false);
	d->dash = NULL;
	for (size_t i = 0; i < d->axes.count && !d->dash; i++)
		if (&d->axes.at[i] != x && &d->axes.at[i] != d->colour &&
		    d->axes.at[i].count <= 4)
			d->dash = &d->axes.at[i];
}

/* The axis of values: round, with 0 if members are compared. */
static void scale_values(struct ml_drawing *d, struct ml_figure *f)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < f->row_count; i++) {
		low = f->rows[i].y < low ? f->rows[i].y : low;
		high = f->rows[i].y > high ? f->rows[i].y : high;
	}
	ml_drawing_scale(d, &f->panels->axis[ML_FIGURE_Y], low, high, d->height);
}

static void add_mark(struct ml_drawing *d, struct ml_figure *f,
		     enum ml_figure_mark_type type, size_t first, size_t count,
		     struct ml_role colour, double width, unsigned dash)
{
	ml_figure_add(f->panels,
		      (struct ml_figure_mark){ .type = type,
					       .first = first,
					       .count = count,
					       .colour = colour,
					       .width = width,
					       .opacity = 1,
					       .dash = dash,
					       .member = ML_FIGURE_NO_MEMBER },
		      &d->arena);
}

/* Lines and points of the rows; between words there are only points, side by side. */
static void mark_lines(struct ml_drawing *d, struct ml_figure *f, const struct point *p)
{
	size_t lines = 0, k = 0;
	bool band = f->panels->axis[ML_FIGURE_X].scale == ML_FIGURE_BAND;

	for (size_t i = 0; i < f->row_count; i++)
		lines += !i || by_line(&p[i - 1], &p[i]) != 0;
	double beside = band ? fmin(0.12, 0.6 / (double)(lines ? lines : 1)) : 0;
	for (size_t i = 0, end; i < f->row_count; i = end, k++) {
		struct ml_role colour = d->colour
						? ml_drawing_role(d, p[i].member)
						: (struct ml_role){ ML_ROLE_WORD, 0, 0 };

		for (end = i + 1; end < f->row_count && !by_line(&p[i], &p[end]);)
			end++;
		for (size_t r = i; r < end; r++)
			f->rows[r].x += beside * ((double)k - (double)(lines - 1) / 2);
		if (!band)
			add_mark(d, f, ML_FIGURE_LINE, i, end - i, colour,
				 lines > 40 ? 1.2 : 1.8, ml_drawing_dash(d, p[i].member));
		add_mark(d, f, ML_FIGURE_POINT, i, end - i, colour, lines > 40 ? 2 : 3.5,
			 0);
	}
}

bool ml_figure_parameter(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	const struct ml_axis *x;
	struct point *p = ml_arena_alloc(&d->arena, (d->count + 1) * sizeof(*p));

	if (!choose_x(d, &x, err))
		return false;
	choose_look(d, x);
	ml_figure_panels(f, 1, &d->arena)->share = 1;
	struct places places = make_places(d, &f->panels->axis[ML_FIGURE_X], x,
					   !x->numeric);
	for (size_t i = 0; i < d->count; i++) {
		uint32_t m = d->members[i];
		double at = place_of(&places, m);

		if (!isnan(at))
			p[f->row_count++] = (struct point){ &d->axes, x, m, at };
	}
	if (!f->row_count)
		return ml_fail(err, ML_USAGE, "none of these members has a value of %s",
			       x->name);
	qsort(p, f->row_count, sizeof(*p), by_place);
	f->rows = ml_arena_alloc(&d->arena, (f->row_count + 1) * sizeof(*f->rows));
	for (size_t i = 0; i < f->row_count; i++) {
		double v = ml_curve_total(d->curves, p[i].member, &d->curve, d->from,
					  d->to);

		f->rows[i] = (struct ml_figure_row){
			.x = p[i].place, .y = v, .value = NAN, .member = p[i].member
		};
		put_words(d, &f->rows[i], v);
	}
	scale_values(d, f);
	mark_lines(d, f, p);
	f->title = ml_arena_printf(&d->arena, "%s against %s", ml_drawing_title(d),
				   x->name);
	f->note = ml_drawing_words(d);
	if (d->colour)
		f->legend[f->legend_count++] = ml_drawing_values(d, d->colour, false);
	if (d->dash && f->panels->axis[ML_FIGURE_X].scale != ML_FIGURE_BAND)
		f->legend[f->legend_count++] = ml_drawing_values(d, d->dash, true);
	return true;
}

static int by_cell(const void *a, const void *b)
{
	const struct ml_figure_row *p = a, *q = b;

	if (p->y < q->y || p->y > q->y)
		return p->y < q->y ? -1 : 1;
	if (p->x < q->x || p->x > q->x)
		return p->x < q->x ? -1 : 1;
	return p->member < q->member ? -1 : p->member > q->member;
}

static size_t cell_end(const struct ml_figure *f, size_t i)
{
	size_t end = i + 1;

	while (end < f->row_count && !(f->rows[end].y > f->rows[i].y) &&
	       !(f->rows[end].x > f->rows[i].x))
		end++;
	return end;
}

static struct ml_figure_row mean_of(const struct ml_figure_row *r, size_t count)
{
	struct ml_figure_row mean = r[0];
	double sum = 0, n = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(r[i].value)) {
			sum += r[i].value;
			n++;
		}
	mean.value = n > 0 ? sum / n : NAN;
	if (count > 1)
		mean.member = ML_FIGURE_NO_MEMBER;
	return mean;
}

/*
 * Gives each member a stripe of its cell. If a cell has too many, each cell becomes the
 * mean of its members. Returns the largest number of members of a cell.
 */
static size_t cut_cells(struct ml_figure *f)
{
	size_t max = 0, n = 0;

	for (size_t i = 0, end; i < f->row_count; i = end) {
		end = cell_end(f, i);
		max = end - i > max ? end - i : max;
	}
	for (size_t i = 0, end; i < f->row_count; i = end) {
		end = cell_end(f, i);
		double x = f->rows[i].x - 0.5, wide = 1 / (double)(end - i);

		if (max > STRIPES_MAX) {
			f->rows[n] = mean_of(f->rows + i, end - i);
			f->rows[n].x = x;
			f->rows[n++].x_end = x + 1;
			continue;
		}
		for (size_t k = i; k < end; k++) {
			f->rows[k].x = x + wide * (double)(k - i);
			f->rows[k].x_end = x + wide * (double)(k - i + 1);
		}
		n = end;
	}
	f->row_count = n;
	return max;
}

static void scale_heat(struct ml_drawing *d, struct ml_figure *f)
{
	struct ml_figure_axis *c = &f->panels->axis[ML_FIGURE_COLOUR];
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < f->row_count; i++) {
		double v = f->rows[i].value;

		low = v < low ? v : low;
		high = v > high ? v : high;
		put_words(d, &f->rows[i], v);
	}
	c->label = ml_drawing_unit(d);
	c->unit = ml_measure_units[d->curve.measure];
	c->low = low < high ? low : low <= high ? low - 1 : 0;
	c->high = low < high ? high : low <= high ? high + 1 : 1;
	c->ticks = ml_arena_alloc(&d->arena, 3 * sizeof(*c->ticks));
	for (unsigned i = 0; i < 3 && low <= high; i++) {
		double v = low + (high - low) * i / 2;

		if (low < high || i == 1)
			c->ticks[c->tick_count++] =
				(struct ml_figure_tick){ v, ml_drawing_value(d, v) };
	}
}

/* The parameters that tell the stripes of a cell apart. */
static const char *stripes(struct ml_drawing *d, const struct ml_axis *x,
			   const struct ml_axis *y)
{
	const char *names = "";

	for (size_t i = 0; i < d->axes.count; i++)
		if (&d->axes.at[i] != x && &d->axes.at[i] != y)
			names = ml_arena_printf(&d->arena, "%s%s%s", names,
						*names ? ", " : "", d->axes.at[i].name);
	return *names ? ml_arena_printf(&d->arena, "; stripes: %s in ascending order",
					names)
		      : "";
}

bool ml_figure_map(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	const struct ml_axis *x, *y;

	if (!choose_x(d, &x, err) ||
	    (d->o->y && !ml_axes_find(&d->axes, d->o->y, &y, err)))
		return false;
	if (!d->o->y)
		y = ml_axes_largest(&d->axes, x, false);
	if (x == y)
		return ml_fail(err, ML_USAGE,
			       "a map needs two parameters, not '%s' twice", x->name);
	ml_figure_panels(f, 1, &d->arena)->share = 1;
	struct places across = make_places(d, &f->panels->axis[ML_FIGURE_X], x, true),
		      up = make_places(d, &f->panels->axis[ML_FIGURE_Y], y, true);
	f->rows = ml_arena_alloc(&d->arena, (d->count + 1) * sizeof(*f->rows));
	for (size_t i = 0; i < d->count; i++) {
		uint32_t m = d->members[i];

		f->rows[f->row_count++] = (struct ml_figure_row){
			.x = place_of(&across, m),
			.y = place_of(&up, m),
			.value = ml_curve_total(d->curves, m, &d->curve, d->from, d->to),
			.member = m,
		};
	}
	qsort(f->rows, f->row_count, sizeof(*f->rows), by_cell);
	size_t max = cut_cells(f);
	scale_heat(d, f);
	add_mark(d, f, ML_FIGURE_CELLS, 0, f->row_count,
		 (struct ml_role){ .name = ML_ROLE_HEAT }, 0, 0);
	f->title = y ? ml_arena_printf(&d->arena, "%s by %s and %s", ml_drawing_title(d),
				       x->name, y->name)
		     : ml_arena_printf(&d->arena, "%s by %s", ml_drawing_title(d),
				       x->name);
	f->note = ml_arena_printf(&d->arena, "%s; %s%s", ml_drawing_unit(d),
				  ml_drawing_words(d),
				  max > STRIPES_MAX ? "; cells are means"
				  : max > 1         ? stripes(d, x, y)
						    : "");
	return true;
}
