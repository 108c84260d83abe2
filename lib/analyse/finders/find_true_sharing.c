/*
 * True sharing: threads write the same data, a counter or a lock, and its line goes from
 * core to core. Another layout does not help; fewer writes to it do.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_bounces.h"
#include "lib/analyse/find/find_kinds.h"

static void look(struct ml_find *f, void **mine)
{
	*mine = ml_arena_alloc(f->arena, sizeof(struct ml_bounces));
	ml_bounces_look(f, *mine, true);
}

static void see(struct ml_find *f, void *mine, const struct ml_seen *s)
{
	ml_bounces_see(f, mine, s);
}

/* The lines of code from which library code uses the region: they take a lock. */
static bool *lock_lines(struct ml_find *f, uint32_t region)
{
	bool *locks = ml_arena_alloc(f->arena, f->user_lines.count + 1);

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];

		if (c->caller && ml_find_same(f, c->region) == region)
			locks[f->user_lines.of_site[c->caller]] = true;
	}
	return locks;
}

/*
 * Cycles of the references that are not made, as hits. A sum of its own mostly lies in a
 * register. A lock that is not taken saves all that its functions do.
 */
static double references(struct ml_find *f, const struct ml_bounce_region *r)
{
	double sum = ml_bounces_references(f, r);
	const bool *locks = lock_lines(f, r->region);

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];
		uint64_t line = c->caller ? f->user_lines.of_site[c->caller] : 0;

		if (line && locks[line] && f->user_lines.lines[line - 1].own &&
		    ml_find_same(f, c->region) != r->region)
			sum += (double)(c->kind[0] + c->kind[1]) * f->cost[1];
	}
	return sum;
}

static void tell(struct ml_find *f, struct ml_bounce_region *r)
{
	const char *name = ml_find_region(f, r->region);
	uint64_t misses;
	double max = r->cost + references(f, r);
	struct ml_candidate *c = ml_bounces_add(f, r, max, &misses);

	c->more = max - r->cost;

	c->finding.title = ml_arena_printf(f->arena, "threads write the same %s in turn",
					   name);
	ml_find_say(f, c,
		    "%s misses of %s happen because another core wrote the data last; %s "
		    "line%s of %s %s from core to core.",
		    ml_find_count(f, misses), f->p->machine.level[0].name,
		    ml_find_count(f, r->lines), r->lines == 1 ? "" : "s", name,
		    r->lines == 1 ? "goes" : "go");
	ml_bounces_tell(f, c, r, misses);
	ml_find_say(
		f, c,
		"The figure is for threads that keep their own in a register; if they "
		"keep it in memory, %s.",
		ml_find_percent(f, r->cost / f->cycles));
	ml_find_fact(c, "gain_at_least", r->cost / f->cycles);
	ml_find_bounds(f, c, r->cost, max);
	c->finding.advice = ml_arena_printf(
		f->arena,
		"give each thread a %s of its own and combine them at the end, or take the "
		"lock once for many updates. Legal if nobody needs the total in between",
		name);
}

static void conclude(struct ml_find *f, void *mine)
{
	struct ml_bounces *b = mine;

	for (size_t i = 0; i < b->count; i++)
		tell(f, &b->regions[i]);
}

const struct ml_finder ml_find_true_sharing = {
	.kind = "true sharing",
	.rule = "Threads write the same datum in turns.",
	.view = { .name = "rings",
		  .cause = "sharing",
		  .again = true,
		  .threads = true,
		  .miss = "{sharer}" },
	.weight = 1.5, /* the cause is certain, and no other change helps */
	.standing = ML_STANDING_CERTAIN,
	.look = look,
	.see = see,
	.conclude = conclude,
};
