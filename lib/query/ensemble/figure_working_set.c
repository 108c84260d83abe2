/* The working set over time, below the curves that it follows from. */
#include <math.h>

#include "lib/query/ensemble/picture_ensemble_parts.h"

/* A logarithmic axis with marks at the sizes that were simulated, and nowhere else. */
static void make_sizes(struct ml_drawing *d, struct ml_figure_axis *y, const char *size,
		       const uint32_t *family, size_t count)
{
	char n[ML_COORDINATE_ROOM];

	*y = (struct ml_figure_axis){
		.label = ml_arena_printf(&d->arena, "working set, %s", size),
		.unit = "bytes",
		.ticks = ml_arena_alloc(&d->arena, count * sizeof(*y->ticks)),
	};
	for (size_t i = 0; i < count; i++) {
		double v = ml_curve_number(&d->e->members[family[i]], size);

		y->ticks[y->tick_count++] = (struct ml_figure_tick){
			v, ml_arena_strdup(&d->arena, ml_chart_text(n, ML_CHART_BYTES, v))
		};
	}
	double min = y->ticks[0].at, max = y->ticks[count - 1].at;
	y->scale = min > 0 ? ML_FIGURE_LOG : ML_FIGURE_LINEAR;
	y->low = min > 0 ? min / 1.4 : 0;
	y->high = max * 1.4;
}

static void add_steps(struct ml_drawing *d, struct ml_figure *f,
		      struct ml_figure_panel *p, const char *name, const double *v,
		      size_t cells, uint32_t word)
{
	ml_figure_add_matrix(f, name, v, 1, cells);
	ml_figure_add(p,
		      (struct ml_figure_mark){ .type = ML_FIGURE_STEPS,
					       .count = 1,
					       .of = { name },
					       .colour = { ML_ROLE_WORD, word, 0 },
					       .width = 2,
					       .opacity = 0.15,
					       .member = ML_FIGURE_NO_MEMBER },
		      &d->arena);
}

static void add_key(struct ml_figure_legend *l, const char *text, uint32_t word)
{
	l->keys[l->count++] =
		(struct ml_figure_key){ text, { ML_ROLE_WORD, word, 0 }, 0 };
}

/* Adds the steps, and steps beyond the largest size where only that one suffices. */
static void add_working_set(struct ml_drawing *d, struct ml_figure *f,
			    struct ml_figure_panel *p, const char *size,
			    const uint32_t *family, size_t count, double tolerance,
			    size_t cells)
{
	double *bytes = ml_arena_alloc(&d->arena, 2 * cells * sizeof(*bytes)),
	       *beyond = bytes + cells;
	struct ml_curve_options o = d->curve;
	struct ml_figure_axis *y = &p->axis[ML_FIGURE_Y];

	o.against = SIZE_MAX;
	ml_curve_working_set(d->curves, family, count, size, &o, tolerance, d->from,
			     d->to, cells, bytes);
	make_sizes(d, y, size, family, count);
	double max = y->ticks[count - 1].at;
	for (size_t i = 0; i < cells; i++)
		beyond[i] = isnan(bytes[i]) ? max * 1.18 : NAN;
	add_steps(d, f, p, "bytes", bytes, cells, 0);
	add_steps(d, f, p, "beyond", beyond, cells, 1);
	struct ml_figure_legend l = ml_drawing_keys(d, NULL, 2);
	add_key(&l, "working set", 0);
	add_key(&l, ml_arena_printf(&d->arena, "more than %s", y->ticks[count - 2].text),
		1);
	f->legend_count = f->legend_count < 2 ? f->legend_count : 1; /* no dashes */
	f->legend[f->legend_count++] = l;
}

bool ml_figure_working_set(struct ml_drawing *d, struct ml_figure *f, struct ml_err *err)
{
	struct ml_drawing_columns c;
	double tolerance = d->o->tolerance > 0 ? d->o->tolerance : 0.05;
	const char *size;
	uint32_t *family;
	size_t count;
	char n[ML_COORDINATE_ROOM];

	if (!ml_drawing_family(d, &size, &family, &count, err) ||
	    !ml_drawing_measure(d, &c, err))
		return false;
	struct ml_figure_panel *p = ml_figure_panels(f, 2, &d->arena);
	p[0].share = 0.5;
	p[1].share = 0.5;
	ml_drawing_time(d, &p[0].axis[ML_FIGURE_X], false);
	ml_drawing_time(d, &p[1].axis[ML_FIGURE_X], true);
	d->dash = NULL;
	ml_figure_add_curves(d, f, &p[0], &c, d->height * p->share);
	add_working_set(d, f, &p[1], size, family, count, tolerance, c.cells);
	ml_figure_add_word(f, "size", size);
	ml_figure_add_number(f, "tolerance", tolerance);
	f->title = "Working set: the least size that does as well as the largest";
	f->note = ml_arena_printf(&d->arena, "within %s of the largest of %zu sizes; %s",
				  ml_chart_text(n, ML_CHART_PERCENT, tolerance), count,
				  ml_drawing_words(d));
	return true;
}
