/*
 * Marked moments of common time: the knots of a matching, or the milestones of a single
 * trace. Between the knots of a matching stand the volumes of the traces.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/query/ensemble/picture_ensemble_parts.h"

enum {
	APART = 12,    /* pixels from one line to the next */
	NAME_GAP = 10, /* pixels behind a name */
	NAME_SIZE = 10,
	NAME_ROOM = 110, /* pixels of the longest name */
	STRETCH = 28,    /* pixels of the shortest stretch that has a circle */
	TRACES_MAX = 8,  /* with more traces there are no circles */
};

struct moment {
	double at;
	const char *name; /* NULL: none */
	uint64_t visit;   /* from 1 */
};

struct moments {
	struct moment *at;
	size_t count;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static double pixels(const struct ml_drawing *d, double span)
{
	return d->width * span / (d->to - d->from);
}

static void add_knots(struct ml_drawing *d, struct moments *x)
{
	const struct ml_time_matching *m = d->curve.matching;

	for (size_t k = 0; k < m->knots; k++)
		x->at[x->count++] = (struct moment){ (double)m->at[m->base][k],
						     m->visit[k] ? m->name[k] : NULL,
						     m->visit[k] };
}

static void add_milestones(struct ml_drawing *d, struct moments *x)
{
	const struct ml_ensemble_trace *t = &d->e->traces[0];

	for (size_t i = 0; i < t->milestone_count; i++)
		for (size_t k = 0; k < t->milestones[i].count; k++)
			x->at[x->count++] = (struct moment){
				ml_time_match_common(d->curve.matching, 0,
						     (double)t->milestones[i].at[k]),
				t->milestones[i].name, k + 1
			};
	qsort(x->at, x->count, sizeof(*x->at), by_time);
}

static struct moments find_moments(struct ml_drawing *d)
{
	const struct ml_ensemble_trace *t = &d->e->traces[0];
	bool knots = d->curve.matching->how == ML_TIME_MATCH_MILESTONES;
	struct moments x = { 0 };
	size_t room = d->curve.matching->knots;

	for (size_t i = 0; i < t->milestone_count; i++)
		room += t->milestones[i].count;
	x.at = ml_arena_alloc(&d->arena, (room + 1) * sizeof(*x.at));
	if (knots)
		add_knots(d, &x);
	else if (d->e->trace_count == 1)
		add_milestones(d, &x);
	return x;
}

/* The name, and behind the same name only the number of the visit. */
static const char *name_of(struct ml_drawing *d, const struct moment *m, const char *last)
{
	if (last && !strcmp(last, m->name))
		return ml_arena_printf(&d->arena, "%llu", (unsigned long long)m->visit);
	return m->visit > 1 ? ml_arena_printf(&d->arena, "%s, %llu", m->name,
					      (unsigned long long)m->visit)
			    : m->name;
}

/* Adds lines where there is room for them, and names where there is room for those. */
void ml_figure_add_moments(struct ml_drawing *d, struct ml_figure_panel *p)
{
	struct moments x = find_moments(d);
	const char *last = NULL;
	double line = -INFINITY, free = 0; /* pixels from the left */

	p->moments = ml_arena_alloc(&d->arena, (x.count + 1) * sizeof(*p->moments));
	for (size_t i = 0; i < x.count; i++) {
		double at = pixels(d, x.at[i].at - d->from);

		if (x.at[i].at <= d->from || x.at[i].at >= d->to || at - line < APART)
			continue;
		struct ml_figure_moment *m = &p->moments[p->moment_count++];
		*m = (struct ml_figure_moment){ x.at[i].at, NULL };
		line = at;
		if (!x.at[i].name || at < free)
			continue;
		const char *name = name_of(d, &x.at[i], last);
		double width = ml_picture_width(name, NAME_SIZE);
		if (width > NAME_ROOM || at + width > d->width)
			continue;
		m->text = name;
		free = at + width + NAME_GAP;
		last = x.at[i].name;
	}
}

bool ml_figure_has_volumes(const struct ml_drawing *d)
{
	return d->curve.matching->how == ML_TIME_MATCH_MILESTONES &&
	       d->curve.matching->knots > 2 && d->e->trace_count <= TRACES_MAX;
}

/*
 * A trace has the colour of its members if they agree and other traces can be told apart
 * by it; otherwise it has one of its own.
 */
static struct ml_role trace_role(const struct ml_drawing *d, uint32_t trace)
{
	const struct ml_role own = { ML_ROLE_WORD, trace, 0 };
	uint32_t value = 0;
	bool others = false;

	for (size_t i = 0; i < d->count && d->colour; i++) {
		uint32_t v = d->colour->of[d->members[i]];

		if (d->e->members[d->members[i]].trace != trace)
			others = true;
		else if (!value)
			value = v;
		else if (v != value)
			return own;
	}
	return value && others ? ml_axis_role(d->colour, value - 1) : own;
}

/* A stretch between two knots. */
struct stretch {
	size_t from, to;
};

/* Neighbouring stretches that are too narrow for a circle become one. */
static size_t find_stretches(const struct ml_drawing *d, struct stretch *s)
{
	const struct ml_time_matching *m = d->curve.matching;
	const uint64_t *at = m->at[m->base];
	size_t n = 0;

	for (size_t i = 0, end = 1; end < m->knots; i = end, end++) {
		while (end + 1 < m->knots &&
		       pixels(d, (double)at[end] - (double)at[i]) < STRETCH)
			end++;
		if ((double)at[end] > d->from && (double)at[i] < d->to)
			s[n++] = (struct stretch){ i, end };
	}
	return n;
}

static const char *stretch_text(struct ml_drawing *d, uint64_t refs, double from,
				double to)
{
	char n[3][ML_NUMBER_ROOM];

	return ml_arena_printf(&d->arena, "%s references between %s and %s",
			       ml_format_count(n[0], refs),
			       ml_format_count(n[1], (uint64_t)from),
			       ml_format_count(n[2], (uint64_t)to));
}

static void add_rows(struct ml_drawing *d, struct ml_figure *f, const struct stretch *s,
		     size_t count, uint32_t trace)
{
	const struct ml_time_matching *m = d->curve.matching;

	for (size_t i = 0; i < count; i++) {
		double from = (double)m->at[m->base][s[i].from],
		       to = (double)m->at[m->base][s[i].to];
		uint64_t refs = m->at[trace][s[i].to] - m->at[trace][s[i].from];
		const char *text = stretch_text(d, refs, from, to);

		f->rows[f->row_count++] = (struct ml_figure_row){
			.x = from,
			.x_end = to,
			.y = (double)(d->e->trace_count - 1 - trace),
			.value = (double)refs,
			.member = ML_FIGURE_NO_MEMBER,
			.text = text,
			.title = text,
		};
	}
}

static void make_axes(struct ml_drawing *d, struct ml_figure *f,
		      struct ml_figure_panel *p)
{
	size_t traces = d->e->trace_count;
	struct ml_figure_axis *x = &p->axis[ML_FIGURE_X], *y = &p->axis[ML_FIGURE_Y],
			      *area = &p->axis[ML_FIGURE_AREA];

	*x = (struct ml_figure_axis){
		.label = "", .unit = "", .low = d->from, .high = d->to
	};
	*y = (struct ml_figure_axis){ .label = "",
				      .unit = "",
				      .scale = ML_FIGURE_BAND,
				      .low = -0.5,
				      .high = (double)traces - 0.5 };
	y->ticks = ml_arena_alloc(&d->arena, traces * sizeof(*y->ticks));
	for (; y->tick_count < traces; y->tick_count++)
		y->ticks[y->tick_count] = (struct ml_figure_tick){
			(double)y->tick_count,
			d->e->traces[traces - 1 - y->tick_count].label
		};
	*area = (struct ml_figure_axis){
		.label = "references of a trace between milestones",
		.unit = "references",
		.high = 1
	};
	for (size_t i = 0; i < f->row_count; i++)
		area->high = fmax(area->high, f->rows[i].value);
}

/*
 * The references of each trace between two milestones as the areas of circles (figure 7.3
 * of the dissertation).
 */
void ml_figure_add_volumes(struct ml_drawing *d, struct ml_figure *f,
			   struct ml_figure_panel *p)
{
	size_t traces = d->e->trace_count;
	struct stretch *s = ml_arena_alloc(&d->arena,
					   d->curve.matching->knots * sizeof(*s));
	size_t n = find_stretches(d, s);

	p->rows = traces;
	f->rows = ml_arena_alloc(&d->arena, (n * traces + 1) * sizeof(*f->rows));
	for (uint32_t t = 0; t < traces; t++) {
		ml_figure_add(p,
			      (struct ml_figure_mark){ .type = ML_FIGURE_CIRCLES,
						       .first = f->row_count,
						       .count = n,
						       .colour = trace_role(d, t),
						       .opacity = 0.8,
						       .member = ML_FIGURE_NO_MEMBER },
			      &d->arena);
		add_rows(d, f, s, n, t);
	}
	make_axes(d, f, p);
}
