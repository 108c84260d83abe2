/* Windows in the plane, for comparison with their angles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/cycles/edit_distance.h"
#include "lib/analyse/cycles/geodesic.h"
#include "lib/analyse/cycles/scaling.h"
#include "lib/query/trace/routes/route_cycles.h"
#include "lib/query/trace/routes/route_cycles_parts.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_cycles.h"

enum { POINTS = 600, POINTS_MAX = 1500, NEAR = 8 };

static struct cycles_use *count_points(const struct cycles_request *x, struct ml_arena *a)
{
	const struct ml_cycles *c = &x->cycles->cycles;
	struct cycles_use *uses = ml_arena_alloc(a,
						 (c->edges.points + 1) * sizeof(*uses));

	for (uint32_t i = 0; i < c->edges.points; i++)
		uses[i].name = i;
	for (uint64_t t = x->first; t < x->end; t++)
		uses[c->net.nearest[c->windows->series[t]]].uses++;
	qsort(uses, c->edges.points, sizeof(*uses), cycles_most_used);
	return uses;
}

/* The windows that are shown: the most frequent ones. */
struct points {
	const struct cycles_use *uses; /* sorted */
	uint32_t count;
	double *turns, *moments;
	double *distance; /* count * count */
};

static const uint32_t *window_of(const struct ml_cycles *c, const struct cycles_use *u)
{
	return ml_windows_at(c->windows, c->net.centre[u->name]);
}

static void make_points(struct points *p, const struct cycles_request *x, uint64_t max,
			struct ml_arena *a)
{
	const struct ml_cycles *c = &x->cycles->cycles;
	const double *angle = x->cycle->coordinate.angle;
	double zero = angle[c->net.nearest[c->windows->series[0]]];
	uint32_t n = 0;

	p->uses = count_points(x, a);
	while (n < c->edges.points && n < max && p->uses[n].uses)
		n++;
	p->count = n;
	p->turns = ml_arena_alloc(a, (n + 1) * sizeof(*p->turns));
	p->moments = ml_arena_alloc(a, (n + 1) * sizeof(*p->moments));
	p->distance = ml_arena_alloc(a, ((size_t)n * n + 1) * sizeof(*p->distance));
	for (uint32_t i = 0; i < n; i++) {
		const struct cycles_use *u = &p->uses[i];

		for (uint32_t j = 0; j <= i; j++)
			p->distance[(size_t)i * n + j] = p->distance[(size_t)j * n + i] =
				ml_edit_distance(window_of(c, u),
						 window_of(c, &p->uses[j]),
						 c->windows->width);
		p->turns[i] = angle[u->name] - zero - floor(angle[u->name] - zero);
		p->moments[i] = (double)u->uses;
	}
}

/* Columns and the share of the spread, with a prefix; the distances are used up. */
static void put_plane(struct ml_answer *a, const char *prefix, double *distance,
		      uint32_t n)
{
	double *x = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*x)),
	       *y = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*y));
	double shown = n > 2 ? ml_scaling(distance, n, x, y) : 0;

	ml_json_key(&a->json, ml_arena_printf(&a->arena, "%sshown", prefix));
	ml_json_real(&a->json, shown);
	ml_answer_column(a, ml_arena_printf(&a->arena, "%sx", prefix), ML_TYPE_F64, x, n);
	ml_answer_column(a, ml_arena_printf(&a->arena, "%sy", prefix), ML_TYPE_F64, y, n);
}

static void answer_map(struct ml_answer *a, const struct cycles_request *x, uint64_t max,
		       uint32_t near)
{
	struct points p;

	make_points(&p, x, max, &a->arena);
	size_t bytes = ((size_t)p.count * p.count + 1) * sizeof(double);
	double *along = ml_arena_alloc(&a->arena, bytes);

	memcpy(along, p.distance, bytes);
	ml_geodesics(along, p.count, near);
	ml_answer_columns(a);
	ml_answer_u64(a, "all", x->cycles->cycles.edges.points);
	ml_answer_u64(a, "near", near);
	put_plane(a, "", p.distance, p.count);
	put_plane(a, "geodesic_", along, p.count);
	ml_answer_column(a, "turns", ML_TYPE_F64, p.turns, p.count);
	ml_answer_column(a, "moments", ML_TYPE_F64, p.moments, p.count);
}

bool ml_route_cycle_map(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	struct cycles_request x;
	uint64_t max, near;

	if (!ml_request_u64(q, "points", POINTS, &max, err) ||
	    !ml_request_u64(q, "near", NEAR, &near, err))
		return false;
	if (max < 2 || max > POINTS_MAX)
		return ml_fail(err, ML_USAGE, "points=%llu is not in 2 to %d",
			       (unsigned long long)max, POINTS_MAX);
	if (near < 1 || near > POINTS_MAX)
		return ml_fail(err, ML_USAGE, "near=%llu is not in 1 to %d",
			       (unsigned long long)near, POINTS_MAX);
	if (!cycles_request_begin(&x, ws, q, true, err))
		return false;
	answer_map(a, &x, max, (uint32_t)near);
	cycles_request_end(&x);
	return true;
}
