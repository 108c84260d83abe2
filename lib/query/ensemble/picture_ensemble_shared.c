/*
 * Members of second order: threads that share a cache, coloured by the number of starved
 * threads.
 */
#include <math.h>

#include "lib/analyse/ensemble/shared_cache_model.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

/* The ways to share the cache, and their curves. */
struct sharing {
	struct ml_shared_cache s;
	size_t sizes; /* number of sizes of the family */
	double total, shift;
	size_t cells;
	double *mean, *low, *high; /* [ways][cells] */
	double *value;             /* [ways]: over the window */
	double *real;              /* [cells], or NULL */
};

static bool share_out(struct ml_drawing *d, struct sharing *x, struct ml_err *err)
{
	bool *only = ml_arena_alloc(&d->arena, d->e->member_count + 1);
	unsigned threads = d->o->threads ? d->o->threads : 2;
	const char *size;
	uint32_t *family;

	for (size_t i = 0; i < d->count; i++)
		only[d->members[i]] = true;
	if (!ml_drawing_size(d, &size, err) ||
	    !ml_curve_family(d->e, size, only, &family, &x->sizes, &d->arena, err))
		return false;
	x->shift = d->o->shift > 0 ? d->o->shift : d->end / 100;
	x->total = d->o->total;
	if (!(x->total > 0))
		x->total = (ml_curve_number(&d->e->members[family[0]], size) +
			    ml_curve_number(&d->e->members[family[x->sizes - 1]], size)) *
			   threads / 2;
	return ml_shared_cache_among(&x->s, d->e, size, family, x->sizes, threads,
				     x->total, &d->arena, err);
}

/* Measures the member that simulated real threads, at the same shares of its own run. */
static bool measure_real(struct ml_drawing *d, struct sharing *x, struct ml_err *err)
{
	struct ml_curve_options o = d->curve;
	struct ml_time_matching whole;

	if (!d->o->real)
		return true;
	if (*d->o->real >= d->e->member_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no member %u",
			       *d->o->real);
	if (!ml_time_match(&whole, d->e, ML_TIME_MATCH_NORMALISED, NULL, 0, 0, &d->arena,
			   err))
		return false;
	o.matching = &whole;
	x->real = ml_arena_alloc(&d->arena, x->cells * sizeof(*x->real));
	ml_curve(d->curves, *d->o->real, &o, d->from / d->end, d->to / d->end, x->cells,
		 x->real, NULL, NULL, NULL);
	return true;
}

static bool measure(struct ml_drawing *d, struct sharing *x, double width,
		    struct ml_err *err)
{
	x->cells = ml_drawing_cells(d, width, 3 * x->s.count);
	size_t n = x->s.count * x->cells;
	x->mean = ml_arena_alloc(&d->arena, 3 * n * sizeof(*x->mean));
	x->low = x->mean + n;
	x->high = x->low + n;
	x->value = ml_arena_alloc(&d->arena, x->s.count * sizeof(*x->value));
	ml_shared_cache_curves(d->curves, &x->s, &d->curve, x->shift, d->from, d->to,
			       x->cells, x->mean, x->low, x->high);
	ml_shared_cache_curves(d->curves, &x->s, &d->curve, 0, d->from, d->to, 1,
			       x->value, NULL, NULL);
	return measure_real(d, x, err);
}

/* Draws the clusters: for each number of starved threads, the ways and their mean. */
static void put_legend(struct ml_drawing *d, const struct sharing *x, double y)
{
	char n[ML_COORDINATE_ROOM];

	y = ml_drawing_heading(d, y, "starved threads");
	for (unsigned k = 0; k <= x->s.threads; k++) {
		double sum = 0;
		size_t ways = 0;

		for (size_t i = 0; i < x->s.count; i++)
			if (x->s.at[i].starved == k) {
				sum += x->value[i];
				ways++;
			}
		if (!ways)
			continue;
		ml_chart_text(n, ml_drawing_format(d), sum / (double)ways);
		y = ml_drawing_key(d, y, ml_role_word(k, d->o->dark), 0,
				   ml_arena_printf(&d->arena, "%u: %zu way%s, %s", k,
						   ways, ways == 1 ? "" : "s", n));
	}
	if (x->real)
		ml_drawing_key(d, y + 8, ml_drawing_rgb(d, ML_COLOUR_TEXT), 0,
			       "real threads");
}

static void put_curves(struct ml_drawing *d, struct ml_chart *c, const struct sharing *x)
{
	size_t ways = x->s.count;
	/* envelopes overlap: the more, the darker */
	double opacity = fmax(0.008, fmin(0.15, 1.5 / (double)ways));

	for (size_t i = 0; i < ways; i++)
		ml_chart_band(c, x->low + i * x->cells, x->high + i * x->cells, x->cells,
			      ml_drawing_rgb(d, ML_COLOUR_MUTED), opacity);
	for (size_t i = 0; i < ways; i++)
		ml_chart_curve(c, x->mean + i * x->cells, x->cells,
			       ml_role_word(x->s.at[i].starved, d->o->dark),
			       ways > 60 ? 0.7 : 1.3, 0, NULL);
	if (!x->real)
		return;
	ml_chart_curve(c, x->real, x->cells, ml_drawing_rgb(d, ML_COLOUR_BACKGROUND), 4,
		       0, NULL);
	ml_chart_curve(c, x->real, x->cells, ml_drawing_rgb(d, ML_COLOUR_TEXT), 2, 0,
		       d->e->members[*d->o->real].label);
}

bool ml_draw_second(struct ml_drawing *d, struct ml_err *err)
{
	struct ml_chart c = ml_drawing_chart(
		d, ML_DRAWING_HEAD, d->height - ML_DRAWING_HEAD - ML_DRAWING_FOOT);
	struct sharing x = { 0 };
	char n[2][ML_COORDINATE_ROOM];

	if (!share_out(d, &x, err) || !measure(d, &x, c.width, err))
		return false;
	double cut = ml_drawing_fit(d, &c, x.mean, x.s.count * x.cells);
	if (x.real && isnan(cut)) { /* real threads may exceed the model */
		for (size_t i = 0; i < x.cells; i++)
			c.y_high = x.real[i] > c.y_high ? x.real[i] : c.y_high;
		ml_chart_round(&c);
	}
	ml_drawing_begin(
		d,
		ml_arena_printf(
			&d->arena, "%u threads that share %s: all ways to share it out",
			x.s.threads, ml_chart_text(n[0], ML_CHART_BYTES, x.total)),
		ml_arena_printf(
			&d->arena,
			"%zu ways of %zu sizes; grey: threads shifted by up to %s%s",
			x.s.count, x.sizes, ml_chart_text(n[1], c.x_format, x.shift),
			isnan(cut) ? "" : "; peaks are cut off"));
	ml_chart_axes(&c);
	put_curves(d, &c, &x);
	ml_chart_close(&c);
	put_legend(d, &x, c.y + 6);
	return true;
}
