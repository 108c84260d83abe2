/*
 * Threads that share a cache (shared_cache_model.h): a curve for each way to share it
 * out, coloured by the number of starved threads.
 */
#include <math.h>
#include <string.h>

#include "lib/analyse/ensemble/shared_cache_model.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

enum { LINES_MAX = 400, CELLS_MAX = 512, MANY = 60 };

/* The ways to share the cache, and their curves. */
struct sharing {
	struct ml_shared_cache s;
	const char *size;
	uint32_t *family;
	size_t sizes; /* number of sizes of the family */
	double total, shift;
	size_t cells;
	double *mean, *low, *high; /* [ways][cells] */
	double *value;             /* [ways]: over the window */
	double *real;              /* [cells], or NULL */
};

static bool share_out(struct ml_drawing *d, struct sharing *x, struct ml_err *err)
{
	unsigned threads = d->o->threads ? d->o->threads : 2;

	if (!ml_drawing_family(d, &x->size, &x->family, &x->sizes, err))
		return false;
	x->shift = d->o->shift > 0 ? d->o->shift : d->o->shift < 0 ? 0 : d->end / 100;
	x->total = d->o->total;
	/* of evenly spaced sizes, the total that can be shared out in most ways */
	if (!(x->total > 0))
		x->total = (ml_curve_number(&d->e->members[x->family[0]], x->size) +
			    ml_curve_number(&d->e->members[x->family[x->sizes - 1]],
					    x->size)) *
			   threads / 2;
	return ml_shared_cache_among(&x->s, d->e, x->size, x->family, x->sizes, threads,
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

static bool measure(struct ml_drawing *d, struct sharing *x, struct ml_err *err)
{
	x->cells = ml_drawing_cells(d, 3 * x->s.count);
	x->cells = x->cells < CELLS_MAX ? x->cells : CELLS_MAX;
	if (!ml_drawing_fits(x->s.count, x->cells, err))
		return false;
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

static struct ml_role starved_role(unsigned starved)
{
	return (struct ml_role){ ML_ROLE_WORD, starved, 0 };
}

/* The clusters: for each number of starved threads, the ways and their mean. */
static void add_legend(struct ml_drawing *d, struct ml_figure *f, const struct sharing *x)
{
	struct ml_figure_legend l = ml_drawing_keys(d, "starved threads",
						    x->s.threads + 2);

	for (unsigned k = 0; k <= x->s.threads; k++) {
		double sum = 0;
		size_t ways = 0;

		for (size_t i = 0; i < x->s.count; i++)
			if (x->s.at[i].starved == k) {
				sum += x->value[i];
				ways++;
			}
		if (ways)
			l.keys[l.count++] = (struct ml_figure_key){
				ml_arena_printf(&d->arena, "%u: %zu way%s, %s", k, ways,
						ways == 1 ? "" : "s",
						ml_drawing_value(d, sum / (double)ways)),
				starved_role(k), 0
			};
	}
	if (x->real)
		l.keys[l.count++] = (struct ml_figure_key){ "real threads",
							    { .name = ML_ROLE_TEXT },
							    0 };
	f->legend[f->legend_count++] = l;
}

/* "32K + 64K: 12.5; 1 of 2 threads starved" */
static const char *way_title(struct ml_drawing *d, const struct sharing *x, size_t way)
{
	const char *text = "";
	char n[ML_COORDINATE_ROOM];

	for (unsigned t = 0; t < x->s.threads; t++) {
		double size = ml_curve_number(&d->e->members[x->s.at[way].member[t]],
					      x->size);

		text = ml_arena_printf(&d->arena, "%s%s%s", text, t ? " + " : "",
				       ml_chart_text(n, ML_CHART_BYTES, size));
	}
	return ml_arena_printf(&d->arena, "%s: %s; %u of %u threads starved", text,
			       ml_drawing_value(d, x->value[way]), x->s.at[way].starved,
			       x->s.threads);
}

/* Of many ways, an even choice is drawn as lines; all of them have bands. */
static void add_ways(struct ml_drawing *d, struct ml_figure_panel *p,
		     const struct sharing *x)
{
	size_t ways = x->s.count, lines = ways < LINES_MAX ? ways : LINES_MAX;

	ml_figure_add(p,
		      (struct ml_figure_mark){
			      .type = ML_FIGURE_BANDS,
			      .count = ways,
			      .of = { "low", "high" },
			      .colour = { .name = ML_ROLE_MUTED },
			      /* bands overlap: the more, the darker */
			      .opacity = fmax(0.008, fmin(0.15, 1.5 / (double)ways)),
			      .member = ML_FIGURE_NO_MEMBER },
		      &d->arena);
	for (size_t i = 0; i < lines; i++) {
		size_t way = lines > 1 ? i * (ways - 1) / (lines - 1) : 0;

		ml_figure_add(p,
			      (struct ml_figure_mark){
				      .type = ML_FIGURE_CURVE,
				      .first = way,
				      .count = 1,
				      .of = { "mean" },
				      .colour = starved_role(x->s.at[way].starved),
				      .width = ways > MANY ? 1 : 1.5,
				      .opacity = ways > MANY ? 0.7 : 1,
				      .member = ML_FIGURE_NO_MEMBER,
				      .title = way_title(d, x, way) },
			      &d->arena);
	}
}

/* Adds the curve of real threads over a wider one in the colour of the ground. */
static void add_real(struct ml_drawing *d, struct ml_figure *f, struct ml_figure_panel *p,
		     const struct sharing *x)
{
	struct ml_figure_mark m = {
		.type = ML_FIGURE_CURVE,
		.count = 1,
		.of = { "real" },
		.colour = { .name = ML_ROLE_BACKGROUND },
		.width = 4.5,
		.opacity = 1,
		.member = ML_FIGURE_NO_MEMBER,
	};

	ml_figure_add_matrix(f, "real", x->real, 1, x->cells);
	ml_figure_add(p, m, &d->arena);
	m.colour.name = ML_ROLE_TEXT;
	m.width = 2;
	m.title = d->e->members[*d->o->real].label;
	ml_figure_add(p, m, &d->arena);
}

static void add_numbers(struct ml_drawing *d, struct ml_figure *f,
			const struct sharing *x)
{
	size_t ways = x->s.count, threads = x->s.threads;
	uint32_t *member = ml_arena_alloc(&d->arena, ways * threads * sizeof(*member)),
		 *starved = ml_arena_alloc(&d->arena, ways * sizeof(*starved));
	double *sizes = ml_arena_alloc(&d->arena, x->sizes * sizeof(*sizes));

	for (size_t i = 0; i < ways; i++) {
		memcpy(member + i * threads, x->s.at[i].member,
		       threads * sizeof(*member));
		starved[i] = x->s.at[i].starved;
	}
	for (size_t i = 0; i < x->sizes; i++)
		sizes[i] = ml_curve_number(&d->e->members[x->family[i]], x->size);
	ml_drawing_facts(d, f, x->cells);
	ml_figure_add_number(f, "ways", (double)ways);
	ml_figure_add_number(f, "threads", (double)threads);
	ml_figure_add_word(f, "size", x->size);
	ml_figure_add_number(f, "total", x->total);
	ml_figure_add_number(f, "shift", x->shift);
	ml_figure_add_matrix(f, "mean", x->mean, ways, x->cells);
	ml_figure_add_matrix(f, "low", x->low, ways, x->cells);
	ml_figure_add_matrix(f, "high", x->high, ways, x->cells);
	ml_figure_add_matrix(f, "value", x->value, ways, 1);
	ml_figure_add_matrix(f, "sizes", sizes, x->sizes, 1);
	ml_figure_add_list(f, "member", member, ways * threads);
	ml_figure_add_list(f, "starved", starved, ways);
}

static void fit(struct ml_drawing *d, struct ml_figure_panel *p, const struct sharing *x)
{
	struct ml_drawing_range r = ml_drawing_empty;

	ml_drawing_include(d, &r, x->mean, x->s.count * x->cells);
	for (size_t i = 0; x->real && i < x->cells; i++) { /* it may exceed the model */
		r.low = fmin(r.low, x->real[i]);
		r.high = fmax(r.high, x->real[i]);
	}
	ml_drawing_fit(d, p, &r, d->height);
}

bool ml_figure_shared(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	struct sharing x = { 0 };
	char n[2][ML_COORDINATE_ROOM];
	bool shares = d->curve.matching->how == ML_TIME_MATCH_NORMALISED;

	d->curve.against = SIZE_MAX;
	if (!share_out(d, &x, err) || !measure(d, &x, err))
		return false;
	struct ml_figure_panel *p = ml_figure_panels(f, 1, &d->arena);
	p->share = 1;
	ml_drawing_time(d, &p->axis[ML_FIGURE_X], true);
	fit(d, p, &x);
	add_numbers(d, f, &x);
	add_ways(d, p, &x);
	if (x.real)
		add_real(d, f, p, &x);
	add_legend(d, f, &x);
	f->title = ml_arena_printf(
		&d->arena, "%u threads that share %s: all ways to share it out",
		x.s.threads, ml_chart_text(n[0], ML_CHART_BYTES, x.total));
	f->note = ml_arena_printf(
		&d->arena, "%zu ways of %zu sizes; gray: threads shifted by up to %s",
		x.s.count, x.sizes,
		ml_chart_text(n[1], shares ? ML_CHART_PERCENT : ML_CHART_COUNT, x.shift));
	return true;
}
