#include "record/tracks/course.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/chunk/chunk.h"

enum {
	RUNS_MIN = 2,    /* runs that show a course */
	STEP = 8,        /* a step costs as much as so many values */
	BETTER = 32,     /* a better course costs one part of so many less */
	WRONG_MIN = 4,   /* a value is freed if it was wrong so many times, */
	WRONG_OF = 16,   /* and in one of so many uses */
	WRONG_DRIFT = 6, /* the same for drifts, which save more than they cost */
};

_Static_assert(ML_DRAFT_RUNS <= 32, "a mask of 32 bits tells which runs go along");

/* Those of the runs whose next part has the symbol. */
static uint32_t runs_with(const struct ml_draft *d, uint32_t runs, unsigned part,
			  uint64_t symbol)
{
	uint32_t with = 0;

	for (; runs; runs &= runs - 1) {
		const struct ml_run *r = &d->run[__builtin_ctz(runs)];

		if (part < r->parts && r->symbol[part] == symbol)
			with |= runs & -runs;
	}
	return with;
}

/* Those of the runs that have the most frequent next part; of several the first. */
static uint32_t most_frequent(const struct ml_draft *d, uint32_t runs, unsigned part)
{
	uint32_t best = 0;

	while (runs) {
		unsigned first = (unsigned)__builtin_ctz(runs);
		uint32_t with = 1u << first;

		if (part < d->run[first].parts) {
			with = runs_with(d, runs, part, d->run[first].symbol[part]);
			if (__builtin_popcount(with) > __builtin_popcount(best))
				best = with;
		}
		runs &= ~with;
	}
	return best;
}

void ml_course_vote(struct ml_course *c, struct ml_course_room *room,
		    const struct ml_draft *d)
{
	uint32_t runs = (uint32_t)(((uint64_t)1 << d->runs) - 1);

	*c = (struct ml_course){ .part = room->part,
				 .value = room->value,
				 .drift = room->drift };
	memset(room->value, 0, sizeof(room->value));
	for (; c->parts < ML_JOIN_PARTS; c->parts++) {
		unsigned n = c->parts;

		runs = most_frequent(d, runs, n);
		if (__builtin_popcount(runs) < RUNS_MIN)
			return;
		const struct ml_run *r = &d->run[__builtin_ctz(runs)];
		c->part[n] = (struct ml_course_part){ .symbol = r->symbol[n],
						      .values = r->values[n] };
	}
}

unsigned ml_course_common(const struct ml_course *a, const struct ml_course *b)
{
	unsigned n = 0;

	while (n < a->parts && n < b->parts && a->part[n].symbol == b->part[n].symbol)
		n++;
	return n;
}

void ml_course_inherit(struct ml_course *c, const struct ml_course *from, unsigned n)
{
	for (unsigned i = 0; n && i < from->part[n - 1].values; i++)
		c->value[i].free = from->value[i].free;
}

/* How many parts of the course a run followed; values are not compared. */
static unsigned run_along(const struct ml_run *r, const struct ml_course *c)
{
	unsigned n = 0;

	while (n < c->parts && n < r->parts && r->symbol[n] == c->part[n].symbol)
		n++;
	return n;
}

/* The runs of a draft, those that went furthest along the course first. */
static void sort_runs(const struct ml_draft *d, const struct ml_course *c,
		      const struct ml_run **run, unsigned *along)
{
	for (unsigned i = 0; i < d->runs; i++) {
		unsigned far = run_along(&d->run[i], c), k = i;

		for (; k && along[k - 1] < far; k--) {
			along[k] = along[k - 1];
			run[k] = run[k - 1];
		}
		along[k] = far;
		run[k] = &d->run[i];
	}
}

void ml_course_join(struct ml_course *c, const struct ml_draft *d,
		    const struct ml_shapes *shapes, const struct ml_course *as,
		    unsigned same, struct ml_join *join)
{
	const struct ml_run *run[ML_DRAFT_RUNS];
	unsigned along[ML_DRAFT_RUNS], first = 0;
	struct ml_join_runs r = { .count = d->runs };

	sort_runs(d, c, run, along);
	ml_join_init(join, shapes->path[c->part[0].path].user);
	if (same)
		memcpy(join->drift, as->drift, as->drifts * sizeof(*join->drift));
	for (unsigned i = 0; i < c->parts; i++) {
		struct ml_course_part *part = &c->part[i];
		struct ml_link known[ML_JOIN_SLOTS];
		uint8_t free[ML_JOIN_SLOTS];

		while (r.count && along[r.count - 1] <= i)
			r.count--;
		for (unsigned k = 0; k < r.count; k++)
			r.value[k] = run[k]->value + first;
		for (unsigned k = first; k < part->values; k++) {
			free[k - first] = c->value[k].free;
			if (i < same)
				known[k - first] = as->value[k].link;
		}
		ml_join_part(join, shapes, part->path, &r, free, i < same ? known : NULL);
		for (; first < part->values; first++)
			c->value[first].link = join->link[first];
		part->slots = shapes->path[part->path].slots;
	}
	c->drifts = join->shape.drifts;
	memcpy(c->drift, join->drift, c->drifts * sizeof(*c->drift));
}

struct ml_course ml_course_keep(const struct ml_course *c, struct ml_arena *arena)
{
	unsigned values = c->part[c->parts - 1].values;
	struct ml_course kept = *c;

	kept.part = (void *)ml_arena_copy(arena, c->part, c->parts * sizeof(*c->part));
	kept.value = (void *)ml_arena_copy(arena, c->value, values * sizeof(*c->value));
	kept.drift = (void *)ml_arena_copy(arena, c->drift,
					   c->drifts * sizeof(*c->drift));
	return kept;
}

/*
 * The cost of runs along a course, in values, and the number of references that the
 * course covers.
 */
struct cost {
	uint64_t cost, refs;
};

/* A run is a step that ends where a part or a value is not the one expected. */
static void add_run(struct cost *sum, const struct ml_run *r, const struct ml_course *c)
{
	uint64_t base[ML_JOIN_SLOTS];
	unsigned bases = 0, far = run_along(r, c), i = 0;

	sum->cost += STEP;
	for (unsigned n = 0; n < far; n++) {
		unsigned before = bases;

		for (; i < c->part[n].values; i++) {
			struct ml_link l = c->value[i].link;

			if (l.from == ML_JOIN_NEW)
				base[bases++] = r->value[i];
			else if (r->value[i] !=
				 (l.from & ML_DRIFT
					  ? ml_drifted(&c->drift[l.from - ML_DRIFT], base)
					  : base[l.from] + (uint64_t)l.delta))
				return;
		}
		sum->cost += bases - before;
		sum->refs += c->part[n].slots;
	}
}

static struct cost cost_of(const struct ml_course *c, const struct ml_draft *d)
{
	struct cost sum = { 0, 0 };

	for (unsigned i = 0; i < d->runs; i++)
		add_run(&sum, &d->run[i], c);
	return sum;
}

/*
 * One course may cover more references than the other. The other course is charged for
 * these references at their present average cost.
 */
bool ml_course_is_better(const struct ml_course *a, const struct ml_course *b,
			 const struct ml_draft *d, const struct ml_steps *now)
{
	struct cost one = cost_of(a, d), other = cost_of(b, d);
	uint64_t max = one.refs > other.refs ? one.refs : other.refs;
	uint64_t present = STEP * now->count + now->values;

	return (one.cost * now->refs + (max - one.refs) * present) * BETTER <
	       (other.cost * now->refs + (max - other.refs) * present) * (BETTER - 1);
}

unsigned ml_course_learn(struct ml_course *c, const uint16_t *wrong, uint32_t uses)
{
	unsigned before = c->parts;

	for (unsigned i = c->part[c->parts - 1].values; i-- > 0;) {
		struct ml_course_value *v = &c->value[i];
		bool drift = v->link.from & ML_DRIFT;

		if (v->link.from == ML_JOIN_NEW || wrong[i] < WRONG_MIN ||
		    wrong[i] * (drift ? WRONG_DRIFT : WRONG_OF) < (int)uses)
			continue;
		v->free = drift ? ML_JOIN_FREE : ML_JOIN_NO_CONSTANT;
		while (before && c->part[before - 1].values > i)
			before--;
	}
	return before;
}
