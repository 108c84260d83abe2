/*
 * Lines of which little is used while they are cached, if no better reason is known: data
 * scattered over memory, whose neighbours are not used at the same time.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

/* The level whose misses cost most, from 1. */
static unsigned level_of(const struct ml_find *f, const struct ml_spot *s)
{
	uint64_t missed[ML_LEVELS] = { 0 };

	for (unsigned l = 1; l < f->memory; l++)
		missed[l - 1] = ml_find_missed(s->served, l);
	return ml_find_worst_level(f, missed);
}

/*
 * The use of a region's lines. A line that an exclusive level gives away takes its use
 * mask along, so levels within report the whole history of the line and not its stay. L1
 * is used then.
 */
static struct ml_profile_use use_of(const struct ml_find *f, uint32_t region,
				    unsigned level)
{
	for (unsigned i = level; i < f->memory; i++)
		if (f->p->machine.level[i - 1].inclusion == ML_EXCLUSIVE)
			level = 1;
	return ml_find_use(f, region, level);
}

/* The excess without misses by sharing, which have other remedies. */
static double own_excess(const struct ml_spot *s)
{
	return s->excess - s->by_cause[ML_CAUSE_SHARING] -
	       s->by_cause[ML_CAUSE_FALSE_SHARING];
}

static void tell(struct ml_find *f, const struct ml_spot *s,
		 const struct ml_profile_use *u, double saved)
{
	const char *name = ml_find_region(f, s->region);
	const char *level = f->p->machine.level[u->level - 1].name;
	double used = (double)u->used / (double)u->lines;
	uint64_t line = u->bytes / u->lines;
	struct ml_candidate *c = ml_find_add(f, s->region, ml_find_worst(f, s->region),
					     saved, false);
	c->finding.title = ml_arena_printf(
		f->arena, "lines of %s are fetched and barely used", name);
	ml_find_say(f, c,
		    "%s lines came into %s; of the %s bytes of each %.1f were used.",
		    ml_find_count(f, u->lines), level, ml_find_count(f, line), used);
	ml_find_say(f, c, "%s.", ml_find_misses(f, s->served));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"store together what is used together in %s: smaller elements, "
		"a denser order, or indices instead of pointers",
		name);
	/* lines that are half full, or completely */
	ml_find_bounds(f, c, own_excess(s) * (1 - used / (0.5 * (double)line)),
		       own_excess(s) * (1 - used / (double)line));
	ml_find_fact_text(c, "level", level);
	ml_find_fact(c, "lines", (double)u->lines);
	ml_find_fact(c, "used_bytes", used);
	ml_find_fact(c, "line", (double)line);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == s->region)
			ml_find_claim(f, c, &f->spots[i], own_excess(&f->spots[i]));
}

/*
 * Whether there is nothing to pack: the elements are single numbers, and the next one to
 * be used is known only when it is used. An order that helps is find_gather.c's matter.
 */
static bool is_dense(const struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_region *r = &f->tables->regions.at[s->region];

	return r->elem && r->elem <= sizeof(uint64_t) &&
	       ml_find_irregular(f, ml_find_worst(f, s->region));
}

static void conclude(struct ml_find *f, void *arg)
{
	struct ml_map done = { 0 };

	(void)arg;
	for (size_t i = 0; i < f->spot_count; i++) {
		struct ml_spot sum;
		bool is_new;

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		ml_map_add(&done, f->spots[i].region, &is_new);
		if (!is_new || !ml_find_movable(f, f->spots[i].region))
			continue;
		sum = ml_find_sum(f, f->spots[i].region);
		if (own_excess(&sum) < f->min_cycles || is_dense(f, &sum))
			continue;
		struct ml_profile_use u = use_of(f, sum.region, level_of(f, &sum));

		/* if lines were three quarters full, so many fewer would come in */
		double share = u.bytes ? (double)u.used / (double)u.bytes : 1;
		double saved = own_excess(&sum) * (1 - share / 0.75);
		if (share < 0.5 && saved >= f->min_cycles)
			tell(f, &sum, &u, saved);
	}
	ml_map_release(&done);
}

const struct ml_finder ml_find_unused = {
	.kind = "unused bytes",
	.rule = "Lines are fetched and barely used.",
	.view = { .name = "regions",
		  .miss = "A line of {line} bytes comes in; on average {used_bytes} of "
			  "them are used before it leaves." },
	.legal = "Legal if nothing outside knows the layout",
	.weight = 0.5,
	.vague = true,
	.conclude = conclude,
};
