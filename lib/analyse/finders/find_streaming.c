/*
 * Write allocate: a write brings a line from memory, the program overwrites the line as a
 * whole, and does not need it soon. Streaming (non-temporal) stores need not fetch it,
 * but they leave it in memory: the first read of each line then comes from there. The
 * estimate is the waiting of the writes less what these reads lose. The trace may say
 * that the stores are streaming already.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_written.h"
#include "lib/trace/tables.h"

/* Whether most stores of the spot are streaming already. */
static bool streams(const struct ml_find *f, const struct ml_spot *s)
{
	uint64_t streaming = 0;

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];

		if (f->tables->sites.at[c->site].streaming &&
		    ml_find_spot(f, c->site, c->caller, ml_find_same(f, c->region)) == s)
			streaming += c->kind[ML_WRITE];
	}
	return 2 * streaming > s->kind[ML_WRITE];
}

static bool worth(const struct ml_find *f, const struct ml_spot *s)
{
	double each = f->cost[f->memory] - f->cost[1];

	return s->kind[1] > 9 * s->kind[0] && ml_find_movable(f, s->region) &&
	       f->user_lines.lines[s->line].own &&
	       each * (double)s->served[f->memory] >= f->min_cycles && !streams(f, s);
}

static void look(struct ml_find *f, void **mine)
{
	(void)mine;
	for (size_t i = 0; i < f->spot_count; i++)
		if (worth(f, &f->spots[i])) {
			ml_find_follow(f, &ml_find_written);
			return;
		}
}

/* Cycles by which reads become slower in the whole run. */
static double loses(const struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_written_spot *w = ml_written_of(f, s);
	double seen = w->bytes ? (double)s->bytes / (double)w->bytes : 0;

	return w->soon * (seen > 1 ? seen : 1);
}

static void tell(struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_written_spot *w = ml_written_of(f, s);
	const char *name = ml_find_region(f, s->region);
	uint64_t fetched = s->served[f->memory];
	double whole = (double)w->whole / (double)(w->whole + w->part);
	struct ml_candidate *c = ml_find_add(f, s->region, s, s->excess - loses(f, s),
					     false);

	c->finding.title = ml_arena_printf(
		f->arena, "%s is fetched from memory only to be overwritten", name);
	ml_find_say(
		f, c,
		"%s of the %s writes of %s to %s wait for a line from memory, and %s of "
		"the lines are then overwritten as a whole.",
		ml_find_count(f, fetched), ml_find_count(f, s->kind[1]),
		ml_find_place(f, s->line), name, ml_find_percent(f, whole));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"write %s with streaming (non-temporal) stores, or fill and hand on one "
		"part of it at a time, in a buffer that fits %s. Streaming stores are "
		"always legal; they save bandwidth more than time",
		name, f->p->machine.level[0].name);
	ml_find_bounds(f, c, 0, s->excess); /* stores that never wait, or always */
	ml_find_fact(c, "writes", (double)s->kind[1]);
	ml_find_fact(c, "writes_from_memory", (double)fetched);
	ml_find_fact(c, "whole_lines", whole);
	ml_find_claim(f, c, s, s->excess);
}

static void conclude(struct ml_find *f, void *mine)
{
	(void)mine;
	for (size_t i = 0; f->written && i < f->spot_count; i++) {
		const struct ml_spot *s = &f->spots[i];
		const struct ml_written_spot *w = ml_written_of(f, s);

		/*
		 * A line that is written in part must be fetched for its other bytes. A
		 * read waits for sure, a store seldom does, so few may be slower.
		 */
		if (worth(f, s) && w->whole >= 9 * w->part &&
		    10 * loses(f, s) <= s->excess &&
		    s->excess - loses(f, s) >= f->min_cycles)
			tell(f, s);
	}
}

const struct ml_finder ml_find_streaming = {
	.kind = "write allocate",
	.rule = "Lines are fetched only to be overwritten as a whole.",
	.view = { .name = "regions",
		  .miss = "The cache fetches the old {line} bytes first, only to have "
			  "them overwritten." },
	.weight = 0.6, /* stores seldom wait: this saves bandwidth more than time */
	.standing = ML_STANDING_LAST,
	.look = look,
	.conclude = conclude,
};
