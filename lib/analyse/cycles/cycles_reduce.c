/* The reduced basis: sums of cycles whose turns count the uses of a symbol. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/cycles_parts.h"
#include "lib/base/arena.h"

/* For choosing sums of cycles. */
struct counting {
	const struct ml_cycles *cycles;
	uint64_t *uses; /* of each symbol: how often it stands first in a window */
	double *share; /* of each symbol: how much it turns a cycle; zero between calls */
};

/*
 * Whether the turns of turn + times * more count the uses of a symbol, one of those that
 * turn most (at least a `part`-th of the most). Then the cycle is a loop, and the symbol
 * stands in its body.
 */
static bool counts_uses(struct counting *n, const double *turn, const double *more,
			double times, double part)
{
	const struct ml_windows *w = n->cycles->windows;
	double turns = 0, max = 0;
	bool counts = false;

	for (size_t i = 0; i < w->step_count; i++) {
		double x = (turn[i] + times * more[i]) * (double)w->steps[i].count;
		uint32_t symbol = ml_windows_at(w, w->steps[i].from)[0];

		turns += x;
		n->share[symbol] += fabs(x);
		max = fmax(max, n->share[symbol]);
	}
	turns = fabs(turns);
	for (size_t i = 0; i < w->step_count; i++) {
		uint32_t symbol = ml_windows_at(w, w->steps[i].from)[0];

		counts |= n->share[symbol] >= max / part &&
			  fabs(turns - (double)n->uses[symbol]) <= fmax(1, 0.02 * turns);
	}
	for (size_t i = 0; i < w->step_count; i++)
		n->share[ml_windows_at(w, w->steps[i].from)[0]] = 0;
	return counts && turns >= 1.5;
}

/* Whether two cycles live together for most of the life of the first. */
static bool live_together(const struct ml_cycle *a, const struct ml_cycle *b)
{
	double both = fmin(a->death, b->death) - fmax(a->birth, b->birth);

	return both > 0 && 2 * both >= a->death - a->birth;
}

/*
 * The cycle and the sign with which y counts the uses of a symbol; SIZE_MAX if there is
 * none, or if y does so alone. Only slower cycles are tried, so that what comes out is a
 * basis again.
 */
static size_t find_partner(struct counting *n, const struct ml_cycle *y, int *sign)
{
	const struct ml_cycle_list *l = &n->cycles->found;

	if (counts_uses(n, y->coordinate.turn, y->coordinate.turn, 0, 8))
		return SIZE_MAX;
	for (size_t i = 0; i < l->count; i++) {
		const struct ml_cycle *other = &l->at[i];

		if (other == y || other->refused || other->turns < 1.5 ||
		    other->turns >= y->turns || !live_together(y, other))
			continue;
		for (*sign = 1; *sign >= -1; *sign -= 2)
			if (counts_uses(n, y->coordinate.turn, other->coordinate.turn,
					*sign, 2))
				return i;
	}
	return SIZE_MAX;
}

static void copy_interval(const struct ml_cycles *c, struct ml_cycle *y)
{
	y->birth = 0;
	y->death = INFINITY;
	y->scale = 1;
	for (size_t i = 0; i < c->found.count; i++) {
		const struct ml_cycle *f = &c->found.at[i];

		if (!y->factor[i])
			continue;
		y->birth = fmax(y->birth, f->birth);
		y->death = fmin(y->death, f->death);
		y->scale = f->scale > y->scale ? f->scale : y->scale;
	}
}

static void copy_coordinate(const struct ml_cycles *c, struct ml_cycle *to,
			    const struct ml_cycle *from)
{
	int32_t *factor = to->factor;
	size_t angles = c->edges.points * sizeof(double),
	       turns = c->windows->step_count * sizeof(double);

	*to = *from;
	to->factor = factor;
	to->coordinate.angle = ml_resize(NULL, angles + 1);
	to->coordinate.turn = ml_resize(NULL, turns + 1);
	memcpy(to->coordinate.angle, from->coordinate.angle, angles);
	memcpy(to->coordinate.turn, from->coordinate.turn, turns);
}

static bool live_as_long(const struct ml_cycle *a, const struct ml_cycle *b)
{
	return a->birth == b->birth && a->death == b->death;
}

/* Whether no edge joins the ends of a step while a cycle lives. */
static bool jumps(const struct ml_cycles *c, const struct ml_walk_step *s, double death)
{
	return s->from != s->to &&
	       (s->level >= c->edges.levels || c->edges.length[s->level] >= death);
}

/* Cycles that live at the same levels are smoothed on the same graph: the sum of them is
 * smoothed to the sum of their coordinates. A jump takes the shorter way round. */
static void add_coordinate(const struct ml_cycles *c, struct ml_cycle *to,
			   const struct ml_cycle *from, const struct ml_cycle *more,
			   int sign)
{
	uint32_t scale = to->scale;

	copy_coordinate(c, to, from);
	to->scale = scale;
	double *angle = to->coordinate.angle, *turn = to->coordinate.turn;

	for (uint32_t i = 0; i < c->edges.points; i++)
		angle[i] += sign * more->coordinate.angle[i];
	for (size_t i = 0; i < c->windows->step_count; i++) {
		const struct ml_walk_step *s = &c->steps[i];
		double d = angle[s->to] - angle[s->from];

		turn[i] = jumps(c, s, to->death)
				  ? d - round(d)
				  : turn[i] + sign * more->coordinate.turn[i];
	}
	cycles_measure(c, to);
}

/* The cycles found, each with another one added where its turns then count something. */
bool cycles_reduce(struct ml_cycles *c, size_t symbol_count, const struct ml_work *work,
		   struct ml_err *err)
{
	const struct ml_windows *w = c->windows;
	size_t n = c->found.count;
	struct ml_arena a = { 0 };
	struct counting counting = { .cycles = c };
	bool ok = true;

	counting.uses = ml_arena_alloc(&a, (symbol_count + 1) * sizeof(*counting.uses));
	counting.share = ml_arena_alloc(&a, (symbol_count + 1) * sizeof(*counting.share));
	for (size_t i = 0; i < w->step_count; i++)
		counting.uses[ml_windows_at(w, w->steps[i].from)[0]] += w->steps[i].count;
	c->reduced.at = ml_resize(NULL, (n + 1) * sizeof(*c->reduced.at));
	memset(c->reduced.at, 0, (n + 1) * sizeof(*c->reduced.at));
	for (size_t i = 0; i < n && ok; i++) {
		const struct ml_cycle *f = &c->found.at[i];
		struct ml_cycle *y = &c->reduced.at[c->reduced.count];
		int sign = 0;

		if (f->refused)
			continue;
		size_t partner = find_partner(&counting, f, &sign);

		y->factor = ml_resize(NULL, (n + 1) * sizeof(*y->factor));
		memcpy(y->factor, f->factor, n * sizeof(*y->factor));
		if (partner != SIZE_MAX)
			y->factor[partner] = sign * c->found.at[partner].factor[partner];
		copy_interval(c, y);
		if (partner == SIZE_MAX)
			copy_coordinate(c, y, f);
		else if (live_as_long(f, &c->found.at[partner]))
			add_coordinate(c, y, f, &c->found.at[partner], sign);
		else
			ok = cycles_smooth(c, &y, 1, work, err);
		c->reduced.count++;
	}
	if (c->reduced.count)
		qsort(c->reduced.at, c->reduced.count, sizeof(*c->reduced.at),
		      cycles_by_importance);
	ml_arena_release(&a);
	return ok;
}
