/*
 * Two regions that evict each other from few sets, although other sets have room: they
 * are used together, and lie a multiple of the size of a way apart. Moving one of them by
 * some lines helps; trials find by how many.
 */
#include "lib/analyse/find/find_conflict.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum { MAX_PAIRS = ML_CONFLICT_MAX };

static const unsigned shifts[] = { 1, 4, 16 }; /* lines */

struct meeting {
	uint32_t a, b; /* regions, a < b */
	unsigned level;
	uint64_t conflicts; /* conflict misses of either region caused by the other */
	double cost;
};

struct mine {
	struct ml_conflicts conflicts;
	struct meeting meetings[MAX_PAIRS];
	size_t count;
};

/* Keeps the costliest meetings, in order. */
static void keep(struct mine *m, const struct meeting *x)
{
	size_t at = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->meetings[i].a == x->a && m->meetings[i].b == x->b &&
		    m->meetings[i].level == x->level)
			return;
	while (at < m->count && m->meetings[at].cost >= x->cost)
		at++;
	if (at == MAX_PAIRS)
		return;
	if (m->count < MAX_PAIRS)
		m->count++;
	for (size_t i = m->count - 1; i > at; i--)
		m->meetings[i] = m->meetings[i - 1];
	m->meetings[at] = *x;
}

static uint64_t conflicts_of(const struct ml_find *f, uint32_t level, uint32_t loser,
			     uint32_t winner)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->p->pair_count; i++) {
		const struct ml_profile_pair *x = &f->p->pairs[i];

		if (x->level == level && ml_find_same(f, x->loser) == loser &&
		    ml_find_same(f, x->winner) == winner)
			n += x->conflict;
	}
	return n;
}

/*
 * What conflicts of a region with other regions cost in a level. A move of the region may
 * help against all of them.
 */
static double cost_of(const struct ml_find *f, uint32_t level, uint32_t region)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->p->pair_count; i++) {
		const struct ml_profile_pair *x = &f->p->pairs[i];
		uint32_t a = ml_find_same(f, x->loser), b = ml_find_same(f, x->winner);

		if (x->level == level && a != b && (a == region || b == region))
			n += x->conflict;
	}
	return ml_find_miss(f, level) * (double)n;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	for (size_t i = 0; i < f->p->pair_count; i++) {
		const struct ml_profile_pair *x = &f->p->pairs[i];
		struct meeting y = { .a = ml_find_same(f, x->loser),
				     .b = ml_find_same(f, x->winner),
				     .level = x->level };

		/*
		 * many rows of the profile may add up to one pair; rows below a hundredth
		 * are ignored
		 */
		if (!x->level || y.a == y.b || !ml_find_movable(f, y.a) ||
		    !ml_find_movable(f, y.b) ||
		    100 * ml_find_miss(f, y.level) * (double)x->conflict < f->min_cycles)
			continue;
		if (y.a > y.b) {
			y.a = y.b;
			y.b = ml_find_same(f, x->loser);
		}
		y.conflicts = conflicts_of(f, y.level, y.a, y.b) +
			      conflicts_of(f, y.level, y.b, y.a);
		y.cost = ml_find_miss(f, y.level) * (double)y.conflicts;
		if (y.cost >= f->min_cycles || cost_of(f, y.level, y.b) >= f->min_cycles)
			keep(m, &y);
	}
}

static void tell(struct ml_find *f, const struct ml_conflict *conflict,
		 const struct ml_conflict_remedy *remedy)
{
	const struct meeting *x = conflict->about;
	const struct ml_level_spec *level = &f->p->machine.level[x->level - 1];
	uint64_t before = ml_find_missed(ml_find_untouched(f, remedy->trial), x->level);
	uint64_t after = ml_find_missed(f->tried[remedy->trial].trial.served, x->level);
	const char *a = ml_find_region(f, x->a), *b = ml_find_region(f, x->b);
	uint64_t shift = remedy->pad;
	struct ml_candidate *c = ml_conflict_add(f, conflict, remedy);

	c->finding.title = ml_arena_printf(
		f->arena, "%s and %s drive each other out of %s", a, b, level->name);
	ml_find_say(
		f, c,
		"%s misses of %s are conflicts of the two: they fall into the same sets "
		"while others have room.",
		ml_find_count(f, x->conflicts), level->name);
	ml_find_say(f, c, "With %s moved by %s, all misses of %s change from %s to %s.",
		    b, ml_find_bytes(f, shift), level->name, ml_find_count(f, before),
		    ml_find_count(f, after));
	c->finding.advice = ml_arena_printf(
		f->arena, "put %s between %s and %s, or align them differently",
		ml_find_bytes(f, shift), a, b);
	ml_find_fact_text(c, "other_region", a);
	ml_find_fact_text(c, "level", level->name);
	ml_find_fact(c, "conflicts", (double)x->conflicts);
	ml_find_fact(c, "shift", (double)shift);
	ml_find_fact(c, "misses_tried", (double)before);
	ml_find_fact(c, "misses_predicted", (double)after);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	m->conflicts.tell = tell;
	for (size_t i = 0; i < m->count; i++) {
		const struct meeting *x = &m->meetings[i];
		struct ml_conflict conflict = {
			.about = x,
			.a = x->a,
			.b = x->b,
			.change = { .kind = ML_CHANGE_SHIFT, .region = x->b },
			.lines = shifts,
			.count = sizeof(shifts) / sizeof(*shifts),
		};

		ml_conflict_try(f, &m->conflicts, &conflict);
	}
}

const struct ml_finder ml_find_overlap = {
	.kind = "overlap",
	.rule = "Two regions drive each other out of a cache.",
	.view = { .name = "rings", .cause = "conflict", .miss = "{set}" },
	.legal = "Always legal",
	.weight = 1,
	.look = look,
	.try = try,
	.conclude = ml_conflict_conclude,
};
