#include "lib/analyse/cycles/cycles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/cycles/cycles_parts.h"
#include "lib/analyse/cycles/edit_distance.h"
#include "lib/analyse/cycles/least_squares.h"
#include "lib/base/arena.h"
#include "lib/base/work.h"

enum {
	NONE = UINT32_MAX,
	COORDINATES = 8,
	MAX_POINTS = 50000,
	MAX_EDGES = 200 * 1000 * 1000, /* some 20 bytes each */
	CANDIDATES = 32, /* classes that are looked at for each that gets a coordinate */
	MIN_SHORT_TURNS = 4,
};

/* Of a turn: nearer to the first or last angle is preamble or postamble. */
static const double still = 0.05;

static uint32_t point_of(const struct ml_cycles *c, uint64_t moment)
{
	return c->net.nearest[c->windows->series[moment]];
}

static void make_steps(struct ml_cycles *c)
{
	const struct ml_windows *w = c->windows;

	c->steps = ml_resize(NULL, (w->step_count + 1) * sizeof(*c->steps));
	for (size_t i = 0; i < w->step_count; i++) {
		struct ml_walk_step *s = &c->steps[i];

		s->from = c->net.nearest[w->steps[i].from];
		s->to = c->net.nearest[w->steps[i].to];
		s->count = w->steps[i].count;
		s->level = 0;
		if (s->from != s->to)
			s->level =
				ml_edit_distance(ml_windows_at(w, c->net.centre[s->from]),
						 ml_windows_at(w, c->net.centre[s->to]),
						 w->width) -
				1;
	}
}

static double nearest_turn(double difference)
{
	return difference - round(difference);
}

/* How far moment t is turned from the moment before. */
static double turn_into(const struct ml_cycles *c, const struct ml_coordinate *x,
			uint64_t t, bool broken)
{
	if (broken)
		return nearest_turn(x->angle[point_of(c, t)] -
				    x->angle[point_of(c, t - 1)]);
	return x->turn[ml_windows_step(c->windows, c->windows->series[t - 1],
				       c->windows->series[t])];
}

/* Turns, travel, preamble and postamble. The walk itself is only looked at as far as it
 * stands still at both ends. */
static void measure(const struct ml_cycles *c, struct ml_cycle *y)
{
	const struct ml_windows *w = c->windows;
	const struct ml_coordinate *x = &y->coordinate;

	y->turns = y->travel = 0;
	y->first = y->end = 0;
	if (!w || !w->count)
		return;
	for (size_t i = 0; i < w->step_count; i++) {
		y->turns += (double)c->steps[i].count * x->turn[i];
		y->travel += (double)c->steps[i].count * fabs(x->turn[i]);
	}
	for (size_t i = 0; i < w->break_count; i++)
		y->turns += turn_into(c, x, w->breaks[i], true);

	double angle = 0;
	size_t next = 0;
	uint64_t t;

	for (t = 1; t < w->count; t++) {
		bool broken = next < w->break_count && w->breaks[next] == t;

		next += broken;
		angle += turn_into(c, x, t, broken);
		if (fabs(angle) >= still)
			break;
	}
	y->first = t - 1;
	angle = 0;
	next = w->break_count;
	for (t = w->count - 1; t > y->first; t--) {
		bool broken = next > 0 && w->breaks[next - 1] == t;

		next -= broken;
		angle += turn_into(c, x, t, broken);
		if (fabs(angle) >= still)
			break;
	}
	y->end = t + 1 < w->count ? t + 1 : w->count;
	if (y->end < y->first)
		y->end = y->first;
}

/* A circle has no direction of its own: let time turn forwards. */
static void turn_forwards(const struct ml_cycles *c, struct ml_cycle *y)
{
	if (y->turns >= 0)
		return;
	y->turns = -y->turns;
	for (uint32_t i = 0; i < c->edges.points; i++)
		y->coordinate.angle[i] = -y->coordinate.angle[i];
	for (size_t i = 0; i < c->windows->step_count; i++)
		y->coordinate.turn[i] = -y->coordinate.turn[i];
	for (size_t i = 0; i < c->found.count; i++)
		y->factor[i] = -y->factor[i];
}

void cycles_measure(const struct ml_cycles *c, struct ml_cycle *y)
{
	measure(c, y);
	turn_forwards(c, y);
	if (y->coordinate.jumps * 100 > y->coordinate.moves)
		y->refused = "it ends before successive windows are joined";
}

bool cycles_smooth(struct ml_cycles *c, struct ml_cycle *const *y, size_t count,
		   const struct ml_work *work, struct ml_err *err)
{
	struct ml_coordinate *coordinate[ML_SIDES];
	const int32_t *factor[ML_SIDES];

	for (size_t k = 0; k < count; k++) {
		coordinate[k] = &y[k]->coordinate;
		factor[k] = y[k]->factor;
	}
	if (!ml_coordinates_init(coordinate, factor, count, c->lifts, c->found.count,
				 c->steps, c->windows ? c->windows->step_count : 0, work,
				 err))
		return false;
	for (size_t k = 0; k < count; k++)
		cycles_measure(c, y[k]);
	return true;
}

/* Steps of the walk whose edge has a node other than 0: only these turn. */
struct turning {
	struct turning_step {
		uint32_t node, level;
		double times; /* negative: against the direction of the edge */
	} * at;
	size_t count;
	int32_t *table; /* by node; zero between calls */
};

static void turning_init(struct turning *t, const struct ml_cycles *c, struct ml_arena *a)
{
	size_t steps = c->windows ? c->windows->step_count : 0;

	*t = (struct turning){ 0 };
	t->at = ml_arena_alloc(a, (steps + 1) * sizeof(*t->at));
	t->table = ml_arena_alloc(a, c->rips.annotation.count * sizeof(*t->table));
	for (size_t i = 0; i < steps; i++) {
		const struct ml_walk_step *s = &c->steps[i];
		bool up = s->from < s->to;

		if (s->from == s->to || s->level >= c->edges.levels)
			continue;
		uint32_t node = ml_rips_leaf(&c->rips, up ? s->to : s->from,
					     up ? s->from : s->to);

		if (node)
			t->at[t->count++] = (struct turning_step){
				node, s->level, up ? (double)s->count : -(double)s->count
			};
	}
}

/* |turns| of a class before it is smoothed: the sum of its cocycle along the walk. */
static double rough_turns(struct turning *t, const struct ml_cycles *c,
			  const struct ml_class *class)
{
	double sum = 0;

	if (!ml_lift_fill(t->table, class))
		return 0;
	for (size_t i = 0; i < t->count; i++)
		if (t->at[i].level < class->death_level)
			sum += t->at[i].times *
			       t->table[ml_annotation_root(&c->rips.annotation,
							   t->at[i].node, class->clock)];
	for (uint32_t i = 0; i < class->count; i++)
		t->table[class->roots[i].class] = 0;
	return fabs(sum);
}

struct rank {
	const struct ml_class *class;
	double persistence, turns;
	size_t order;
};

static int by_rank(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;

	if (a->persistence != b->persistence)
		return a->persistence > b->persistence ? -1 : 1;
	if (a->turns != b->turns)
		return a->turns > b->turns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static double importance(const struct ml_cycle *y)
{
	return fabs(y->turns) * (double)(y->end - y->first);
}

int cycles_by_importance(const void *x, const void *y)
{
	const struct ml_cycle *a = x, *b = y;
	double p = a->death - a->birth, q = b->death - b->birth;

	if (p != q)
		return p > q ? -1 : 1;
	if (!a->refused != !b->refused)
		return a->refused ? 1 : -1;
	if (importance(a) != importance(b))
		return importance(a) > importance(b) ? -1 : 1;
	return a->scale < b->scale ? -1 : a->scale > b->scale;
}

/* The first classes as cycles, with their lifts. */
static void lift_cycles(struct ml_cycles *c, const struct rank *ranks, size_t count)
{
	c->found.at = ml_resize(NULL, (count + 1) * sizeof(*c->found.at));
	c->lifts = ml_resize(NULL, (count + 1) * sizeof(*c->lifts));
	c->found.count = count;
	for (size_t i = 0; i < count; i++) {
		struct ml_cycle *y = &c->found.at[i];
		const struct ml_class *class = ranks[i].class;

		*y = (struct ml_cycle){ .birth = class->birth, .death = class->death };
		if (!ml_lift_init(&c->lifts[i], &c->rips, class)) {
			y->refused = "it has no lift to the integers";
			continue;
		}
		y->scale = c->lifts[i].scale;
		y->factor = ml_resize(NULL, (count + 1) * sizeof(*y->factor));
		memset(y->factor, 0, count * sizeof(*y->factor));
		y->factor[i] = 1;
	}
}

/* Coordinates of all cycles found, those that live at the same levels together. */
static bool smooth_found(struct ml_cycles *c, const struct ml_work *work,
			 struct ml_err *err)
{
	const struct ml_cycle_list *l = &c->found;

	for (size_t i = 0; i < l->count; i++) {
		struct ml_cycle *together[ML_SIDES];
		size_t count = 0;

		ml_work_progress(work, "smoothing", i, l->count);
		for (size_t k = i; k < l->count && count < ML_SIDES; k++) {
			struct ml_cycle *y = &l->at[k];

			if (!y->refused && !y->coordinate.angle &&
			    y->birth == l->at[i].birth && y->death == l->at[i].death)
				together[count++] = y;
		}
		if (count && !cycles_smooth(c, together, count, work, err))
			return false;
	}
	return true;
}

static bool find_cycles(struct ml_cycles *c, size_t coordinates,
			const struct ml_work *work, struct ml_err *err)
{
	size_t count = c->rips.class_count;
	struct rank *ranks = ml_resize(NULL, (count + 1) * sizeof(*ranks));
	struct ml_arena a = { 0 };
	struct turning turning;

	turning_init(&turning, c, &a);
	for (size_t i = 0; i < count; i++) {
		const struct ml_class *class = &c->rips.classes[i];

		ranks[i] = (struct rank){ class, class->death - class->birth,
					  rough_turns(&turning, c, class), i };
	}
	ml_arena_release(&a);
	if (count)
		qsort(ranks, count, sizeof(*ranks), by_rank);
	count = count < coordinates ? count : coordinates;
	lift_cycles(c, ranks, count);
	ml_free(ranks);
	return smooth_found(c, work, err);
}

/* Sorts the cycles found, and the lifts and factors with them. */
static void sort_found(struct ml_cycles *c)
{
	size_t n = c->found.count;
	struct ml_lift *lifts = ml_resize(NULL, (n + 1) * sizeof(*lifts));

	if (n)
		qsort(c->found.at, n, sizeof(*c->found.at), cycles_by_importance);
	for (size_t i = 0; i < n; i++) {
		struct ml_cycle *y = &c->found.at[i];
		size_t was = 0;

		while (y->factor && !y->factor[was])
			was++;
		lifts[i] = y->factor ? c->lifts[was]
				     : (struct ml_lift){ .rips = &c->rips };
		if (y->factor) {
			int32_t sign = y->factor[was];

			memset(y->factor, 0, n * sizeof(*y->factor));
			y->factor[i] = sign;
		}
	}
	memcpy(c->lifts, lifts, n * sizeof(*lifts));
	ml_free(lifts);
}

static bool run(struct ml_cycles *c, size_t symbol_count,
		const struct ml_cycles_options *o, const struct ml_work *work,
		struct ml_err *err)
{
	size_t coordinates = o && o->coordinates ? o->coordinates : COORDINATES;

	if (!ml_rips_run(&c->rips, &c->edges, coordinates * CANDIDATES, work, err))
		return false;
	for (size_t i = 0; i < c->rips.bar_count; i++)
		c->bars += c->rips.bars[i].count;
	if (!find_cycles(c, coordinates, work, err))
		return false;
	sort_found(c);
	if (c->windows) {
		if (!cycles_reduce(c, symbol_count, work, err))
			return false;
		c->short_loops = ml_short_loops(c->windows, MIN_SHORT_TURNS,
						&c->short_loop_count);
	}
	return true;
}

/* The edges between the centres of the net. */
static bool make_edges(struct ml_cycles *c, size_t symbol_count, bool *too_many,
		       const struct ml_work *work, struct ml_err *err)
{
	const struct ml_windows *w = c->windows;
	size_t bytes = w->width * sizeof(uint32_t);
	uint32_t *rows = ml_resize(NULL, c->net.count * bytes + 1);

	for (uint32_t i = 0; i < c->net.count; i++)
		memcpy(rows + (size_t)i * w->width, ml_windows_at(w, c->net.centre[i]),
		       bytes);
	bool ok = ml_edges_of_windows(&c->edges, rows, c->net.count, w->width,
				      symbol_count, MAX_EDGES, too_many, work, err);

	ml_free(rows);
	return ok;
}

bool ml_cycles_init(struct ml_cycles *c, struct ml_windows *w, size_t symbol_count,
		    const struct ml_cycles_options *o, const struct ml_work *work,
		    struct ml_err *err)
{
	uint32_t max_points = o && o->max_points ? o->max_points : MAX_POINTS;
	bool ok, too_many;

	*c = (struct ml_cycles){ .windows = w };
	do {
		ok = ml_net_init(&c->net, w, symbol_count, max_points, work, err) &&
		     make_edges(c, symbol_count, &too_many, work, err);
		if (ok && too_many) {
			max_points = c->net.count / 2;
			ml_net_release(&c->net);
		}
	} while (ok && too_many);
	if (ok) {
		make_steps(c);
		ok = run(c, symbol_count, o, work, err);
	}
	if (!ok)
		ml_cycles_release(c);
	return ok;
}

bool ml_cycles_of_distances(struct ml_cycles *c, const double *triangle, uint32_t points,
			    double threshold, const struct ml_cycles_options *o,
			    const struct ml_work *work, struct ml_err *err)
{
	*c = (struct ml_cycles){ 0 };
	ml_edges_of_triangle(&c->edges, triangle, points, threshold);
	bool ok = run(c, 0, o, work, err);

	if (!ok)
		ml_cycles_release(c);
	return ok;
}

static void release_list(struct ml_cycle_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		ml_coordinate_release(&l->at[i].coordinate);
		ml_free(l->at[i].factor);
	}
	ml_free(l->at);
}

void ml_cycles_release(struct ml_cycles *c)
{
	for (size_t i = 0; i < c->found.count; i++)
		ml_lift_release(&c->lifts[i]);
	release_list(&c->found);
	release_list(&c->reduced);
	ml_free(c->lifts);
	ml_free(c->steps);
	ml_free(c->short_loops);
	ml_rips_release(&c->rips);
	ml_edges_release(&c->edges);
	ml_net_release(&c->net);
	*c = (struct ml_cycles){ 0 };
}

void ml_cycle_walk_begin(struct ml_cycle_walk *w, const struct ml_cycles *c,
			 const struct ml_cycle *cycle)
{
	*w = (struct ml_cycle_walk){ .cycles = c, .coordinate = &cycle->coordinate };
}

bool ml_cycle_walk_next(struct ml_cycle_walk *w, double *angle)
{
	const struct ml_windows *windows = w->cycles->windows;

	if (w->moment == windows->count)
		return false;
	bool broken = w->next_break < windows->break_count &&
		      windows->breaks[w->next_break] == w->moment;

	w->next_break += broken;
	if (w->moment)
		w->angle += turn_into(w->cycles, w->coordinate, w->moment, broken);
	w->moment++;
	*angle = w->angle;
	return true;
}

void ml_cycles_angles(const struct ml_cycles *c, const struct ml_cycle *y, uint64_t first,
		      uint64_t stride, double *angle, size_t count)
{
	struct ml_cycle_walk w;
	double at;
	size_t i = 0;

	ml_cycle_walk_begin(&w, c, y);
	for (uint64_t t = 0; i < count && ml_cycle_walk_next(&w, &at); t++)
		if (t == first + i * stride)
			angle[i++] = at;
}
