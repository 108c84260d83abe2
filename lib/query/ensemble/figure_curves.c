/* Members over time: curves, their spread, and a small chart for each. */
#include <math.h>
#include <string.h>

#include "lib/query/ensemble/picture_ensemble_parts.h"

enum {
	BANDS_MAX = 32,  /* with more curves, envelopes are left out */
	FEW = 12,        /* curves that are drawn with thick lines */
	MANY = 48,       /* with more curves, lines are thin */
	CROWD = 120,     /* with more curves, lines let each other through */
	CHART_MANY = 60, /* small charts with thin lines */
};

/* Thickness and opacity of one of many curves. */
static struct ml_figure_mark stroke(size_t curves)
{
	return (struct ml_figure_mark){
		.type = ML_FIGURE_CURVE,
		.count = 1,
		.of = { "mean" },
		.width = curves <= FEW    ? 1.8
			 : curves <= MANY ? 1.5
					  : 1.2,
		.opacity = curves <= FEW     ? 1
			   : curves <= MANY  ? 0.9
			   : curves <= CROWD ? 0.75
					     : 0.6,
	};
}

/* The more envelopes lie over each other, the fainter each is: curves stay legible. */
static double envelope_opacity(size_t curves)
{
	return fmin(0.2, 0.8 / (double)curves);
}

static void add_envelopes(struct ml_drawing *d, struct ml_figure_panel *p)
{
	if (d->o->envelope == ML_ENVELOPE_NONE || d->count > BANDS_MAX)
		return;
	for (size_t i = 0; i < d->count; i++)
		ml_figure_add(p,
			      (struct ml_figure_mark){
				      .type = ML_FIGURE_BANDS,
				      .first = i,
				      .count = 1,
				      .of = { "low", "high" },
				      .colour = ml_drawing_role(d, d->members[i]),
				      .opacity = envelope_opacity(d->count),
				      .member = d->members[i],
			      },
			      &d->arena);
}

static void add_matrices(struct ml_drawing *d, struct ml_figure *f,
			 const struct ml_drawing_columns *c)
{
	double *average = ml_arena_alloc(&d->arena, 2 * c->cells * sizeof(*average)),
	       *spread = average + c->cells;

	ml_curve_spread(c->mean, d->count, c->cells, average, spread);
	ml_drawing_facts(d, f, c->cells);
	ml_figure_add_matrix(f, "mean", c->mean, d->count, c->cells);
	ml_figure_add_matrix(f, "low", c->low, d->count, c->cells);
	ml_figure_add_matrix(f, "high", c->high, d->count, c->cells);
	ml_figure_add_matrix(f, "deviation", c->deviation, d->count, c->cells);
	ml_figure_add_matrix(f, "average", average, 1, c->cells);
	ml_figure_add_matrix(f, "spread", spread, 1, c->cells);
}

static void fit_curves(struct ml_drawing *d, struct ml_figure_panel *p,
		       const struct ml_drawing_columns *c, double height)
{
	struct ml_drawing_range r = ml_drawing_empty;
	size_t n = c->cells * d->count;

	ml_drawing_include(d, &r, c->mean, n);
	if (d->o->envelope == ML_ENVELOPE_DEVIATION && d->count <= BANDS_MAX) {
		ml_drawing_include(d, &r, c->low, n);
		ml_drawing_include(d, &r, c->high, n);
	}
	ml_drawing_fit(d, p, &r, height);
}

void ml_figure_add_curves(struct ml_drawing *d, struct ml_figure *f,
			  struct ml_figure_panel *p, const struct ml_drawing_columns *c,
			  double height)
{
	struct ml_figure_mark m = stroke(d->count);

	add_matrices(d, f, c);
	fit_curves(d, p, c, height);
	add_envelopes(d, p);
	for (size_t i = 0; i < d->count; i++) {
		m.first = i;
		m.colour = ml_drawing_role(d, d->members[i]);
		m.dash = ml_drawing_dash(d, d->members[i]);
		m.member = d->members[i];
		m.title = d->e->members[d->members[i]].label;
		ml_figure_add(p, m, &d->arena);
	}
	ml_drawing_legend(d, f);
}

bool ml_figure_curves(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	bool volumes = ml_figure_has_volumes(d);
	struct ml_drawing_columns c;

	if (!ml_drawing_measure(d, &c, err))
		return false;
	struct ml_figure_panel *p = ml_figure_panels(f, volumes ? 2 : 1, &d->arena);
	p->share = 1;
	ml_drawing_time(d, &p->axis[ML_FIGURE_X], true);
	ml_figure_add_curves(d, f, p, &c, d->height);
	ml_figure_add_moments(d, p);
	if (volumes)
		ml_figure_add_volumes(d, f, &p[1]);
	f->title = ml_drawing_time_title(d);
	f->note = ml_drawing_words(d);
	return true;
}

static void add_mean(struct ml_drawing *d, struct ml_figure_panel *p)
{
	struct ml_role blue = { ML_ROLE_WORD, 0, 0 };
	struct ml_figure_mark m = {
		.type = ML_FIGURE_BANDS,
		.count = 1,
		.of = { "spread_low", "spread_high" },
		.colour = blue,
		.opacity = 0.2,
		.member = ML_FIGURE_NO_MEMBER,
	};

	ml_figure_add(p, m, &d->arena);
	m.type = ML_FIGURE_CURVE;
	m.of[0] = "average";
	m.of[1] = NULL;
	m.width = 2.2;
	m.opacity = 1;
	m.title = "mean of the members";
	ml_figure_add(p, m, &d->arena);
}

/* Mean less deviation, and mean plus deviation. */
static void add_around(struct ml_drawing *d, struct ml_figure *f)
{
	const struct ml_figure_matrix *average = ml_figure_matrix_find(f, "average"),
				      *spread = ml_figure_matrix_find(f, "spread");
	size_t cells = average->cells;
	double *low = ml_arena_alloc(&d->arena, 2 * cells * sizeof(*low)),
	       *high = low + cells;

	for (size_t i = 0; i < cells; i++) {
		low[i] = average->v[i] - spread->v[i];
		high[i] = average->v[i] + spread->v[i];
	}
	ml_figure_add_matrix(f, "spread_low", low, 1, cells);
	ml_figure_add_matrix(f, "spread_high", high, 1, cells);
}

static void add_deviation(struct ml_drawing *d, struct ml_figure *f,
			  struct ml_figure_panel *p)
{
	const struct ml_figure_matrix *spread = ml_figure_matrix_find(f, "spread");
	struct ml_drawing_range r = ml_drawing_empty;
	size_t against = d->curve.against;

	ml_drawing_include(d, &r, spread->v, spread->cells);
	r.low = fmin(r.low, 0);
	d->curve.against = SIZE_MAX; /* a deviation of differences is no difference */
	ml_drawing_fit(d, p, &r, d->height * p->share);
	d->curve.against = against;
	p->axis[ML_FIGURE_Y].label = "standard deviation across members";
	ml_figure_add(p,
		      (struct ml_figure_mark){ .type = ML_FIGURE_CURVE,
					       .count = 1,
					       .of = { "spread" },
					       .colour = { ML_ROLE_WORD, 1, 0 },
					       .width = 1.8,
					       .opacity = 1,
					       .member = ML_FIGURE_NO_MEMBER },
		      &d->arena);
}

static struct ml_figure_legend spread_keys(struct ml_drawing *d)
{
	struct ml_figure_legend l = ml_drawing_keys(d, NULL, 3);

	l.keys[0] = (struct ml_figure_key){ "mean", { ML_ROLE_WORD, 0, 0 }, 0 };
	l.keys[1] = (struct ml_figure_key){ "each member", { ML_ROLE_MUTED, 0, 0 }, 0 };
	l.keys[2] = (struct ml_figure_key){ "deviation", { ML_ROLE_WORD, 1, 0 }, 0 };
	l.count = 3;
	return l;
}

bool ml_figure_spread(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	struct ml_drawing_columns c;

	if (!ml_drawing_measure(d, &c, err))
		return false;
	struct ml_figure_panel *p = ml_figure_panels(f, 2, &d->arena);
	p[0].share = 0.62;
	p[1].share = 0.38;
	ml_drawing_time(d, &p[0].axis[ML_FIGURE_X], false);
	ml_drawing_time(d, &p[1].axis[ML_FIGURE_X], true);
	add_matrices(d, f, &c);
	add_around(d, f);
	fit_curves(d, p, &c, d->height * p->share);
	for (size_t i = 0; i < d->count; i++)
		ml_figure_add(p,
			      (struct ml_figure_mark){
				      .type = ML_FIGURE_CURVE,
				      .first = i,
				      .count = 1,
				      .of = { "mean" },
				      .colour = { .name = ML_ROLE_MUTED },
				      .width = 0.8,
				      .opacity = 0.5,
				      .member = d->members[i],
				      .title = d->e->members[d->members[i]].label },
			      &d->arena);
	add_mean(d, p);
	add_deviation(d, f, &p[1]);
	f->legend[f->legend_count++] = spread_keys(d);
	f->title = ml_arena_printf(&d->arena,
				   "%s: mean of the members, and how far they disagree",
				   ml_drawing_time_title(d));
	f->note = ml_drawing_words(d);
	return true;
}

/* The lowest and the highest member in each cell. */
static void add_span(struct ml_drawing *d, struct ml_figure *f,
		     const struct ml_drawing_columns *c)
{
	double *low = ml_arena_alloc(&d->arena, 2 * c->cells * sizeof(*low)),
	       *high = low + c->cells;

	for (size_t i = 0; i < c->cells; i++) {
		low[i] = high[i] = NAN;
		for (size_t k = 0; k < d->count; k++) { /* fmin leaves NAN out */
			low[i] = fmin(low[i], c->mean[k * c->cells + i]);
			high[i] = fmax(high[i], c->mean[k * c->cells + i]);
		}
	}
	ml_figure_add_matrix(f, "lowest", low, 1, c->cells);
	ml_figure_add_matrix(f, "highest", high, 1, c->cells);
}

static void add_member(struct ml_drawing *d, struct ml_figure_panel *p, size_t row,
		       double width)
{
	if (!p->mark_count)
		ml_figure_add(
			p,
			(struct ml_figure_mark){ .type = ML_FIGURE_BANDS,
						 .count = 1,
						 .of = { "lowest", "highest" },
						 .colour = { .name = ML_ROLE_MUTED },
						 .opacity = 0.18,
						 .member = ML_FIGURE_NO_MEMBER },
			&d->arena);
	ml_figure_add(
		p,
		(struct ml_figure_mark){ .type = ML_FIGURE_CURVE,
					 .first = row,
					 .count = 1,
					 .of = { "mean" },
					 .colour = ml_drawing_role(d, d->members[row]),
					 .width = width,
					 .opacity = 1,
					 .member = d->members[row],
					 .title = d->e->members[d->members[row]].label },
		&d->arena);
}

/* Makes a panel for each of an even choice of members. Returns how many. */
static size_t chart_members(struct ml_drawing *d, struct ml_figure *f)
{
	size_t n = d->count < ML_FIGURE_PANELS_MAX ? d->count : ML_FIGURE_PANELS_MAX;
	struct ml_figure_panel *p = ml_figure_panels(f, n, &d->arena);

	for (size_t i = 0; i < n; i++) {
		size_t row = n < d->count ? i * (d->count - 1) / (n - 1) : i;

		p[i].title = d->e->members[d->members[row]].label;
		add_member(d, &p[i], row, n > CHART_MANY ? 1.2 : 1.6);
	}
	return n;
}

/* Makes a panel for each value of a parameter that members have. Returns how many. */
static size_t chart_values(struct ml_drawing *d, struct ml_figure *f,
			   const struct ml_axis *x)
{
	size_t n = 0;
	struct ml_figure_panel *p = ml_figure_panels(f, x->count + 1, &d->arena);

	for (uint32_t v = 0; v <= x->count && n < ML_FIGURE_PANELS_MAX; v++) {
		uint32_t value = v < x->count ? v + 1
					      : 0; /* the members without it last */

		for (size_t i = 0; i < d->count; i++)
			if (x->of[d->members[i]] == value)
				add_member(d, &p[n], i, 1.6);
		if (p[n].mark_count)
			p[n++].title = ml_arena_printf(&d->arena, "%s %s", x->name,
						       value ? x->values[v] : "\u2013");
	}
	f->panel_count = n;
	return n;
}

/* Columns of n small charts that fill the frame without getting too flat. */
static size_t columns_of(size_t n, double width, double height)
{
	size_t best = 1;
	double score = -1;

	for (size_t across = 1; across <= n; across++) {
		size_t down = (n + across - 1) / across;
		double s = fmin(width / (double)across / 1.6, height / (double)down) -
			   0.5 * (double)(across * down - n);

		if (s > score) {
			score = s;
			best = across;
		}
	}
	return best;
}

/* The parameter whose values have a chart each; NULL: each member has one. */
static bool choose_facet(struct ml_drawing *d, const struct ml_axis **facet,
			 struct ml_err *err)
{
	*facet = NULL;
	if (!d->o->facet) {
		*facet = ml_axes_largest(&d->axes, d->colour, false);
		return true;
	}
	return !strcmp(d->o->facet, "member") ||
	       ml_axes_find(&d->axes, d->o->facet, facet, err);
}

bool ml_figure_multiples(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	const struct ml_axis *facet;
	struct ml_drawing_columns c;

	if (!choose_facet(d, &facet, err) || !ml_drawing_measure(d, &c, err))
		return false;
	size_t charts = facet ? chart_values(d, f, facet) : chart_members(d, f);
	f->across = columns_of(charts, d->width, d->height);
	size_t down = (charts + f->across - 1) / f->across;
	double width = d->width;
	d->width /= (double)f->across; /* fewer marks of the axes */
	add_matrices(d, f, &c);
	add_span(d, f, &c);
	fit_curves(d, f->panels, &c, d->height / (double)down);
	ml_drawing_time(d, &f->panels->axis[ML_FIGURE_X], true);
	d->width = width;
	d->dash = NULL;
	if (d->colour)
		ml_drawing_legend(d, f);
	f->title = ml_drawing_time_title(d);
	f->note = ml_arena_printf(
		&d->arena, "%s; gray: all of them%s", ml_drawing_words(d),
		!facet && charts < d->count
			? ml_arena_printf(&d->arena, "; %zu of them are shown", charts)
			: "");
	return true;
}
