/*
 * False sharing: threads that write different data in one line take the line from each
 * other all the time. A pass over the trace shows which thread uses which data.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_bounces.h"
#include "lib/analyse/find/find_kinds.h"

static void look(struct ml_find *f, void **mine)
{
	*mine = ml_arena_alloc(f->arena, sizeof(struct ml_bounces));
	ml_bounces_look(f, *mine, false);
}

static void see(struct ml_find *f, void *mine, const struct ml_seen *s)
{
	ml_bounces_see(f, mine, s);
}

static void tell(struct ml_find *f, struct ml_bounce_region *r)
{
	const char *name = ml_find_region(f, r->region);
	uint64_t misses;
	struct ml_candidate *c = ml_bounces_add(f, r, r->cost, &misses);

	c->finding.title = ml_arena_printf(f->arena,
					   "threads share %s of %s without sharing data",
					   r->lines == 1 ? "a line" : "lines", name);
	ml_find_say(
		f, c,
		"%s misses of %s happen only because another core wrote other bytes of the "
		"line; %s line%s of %s %s from core to core.",
		ml_find_count(f, misses), f->p->machine.level[0].name,
		ml_find_count(f, r->lines), r->lines == 1 ? "" : "s", name,
		r->lines == 1 ? "goes" : "go");
	ml_bounces_tell(f, c, r, misses);
	/* a line each, or a local variable, which mostly lies in a register */
	c->more = ml_bounces_references(f, r);
	ml_find_bounds(f, c, r->cost, r->cost + c->more);
	c->finding.advice = ml_arena_printf(
		f->arena,
		"give each thread's part of %s a line of its own (pad or align it to %llu "
		"bytes), or count in a local variable and store once",
		name, (unsigned long long)f->line);
}

static void conclude(struct ml_find *f, void *mine)
{
	struct ml_bounces *b = mine;

	for (size_t i = 0; i < b->count; i++)
		tell(f, &b->regions[i]);
}

const struct ml_finder ml_find_sharing = {
	.kind = "false sharing",
	.rule = "Threads write different data in one cache line.",
	.view = { .name = "rings",
		  .cause = "false_sharing",
		  .again = true,
		  .threads = true,
		  .miss = "{sharer}" },
	.legal = "Legal if no code takes the parts to be neighbours",
	.weight = 1.5, /* the cause is certain, and no other change helps */
	.standing = ML_STANDING_CERTAIN,
	.look = look,
	.see = see,
	.conclude = conclude,
};
