/*
 * Writes in vain: a line of code writes data, and another line overwrites them before
 * anybody has read them. Mostly memory is cleared, or constructed, and then filled. The
 * simulated change leaves the first writes out.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_written.h"

enum { MAX_SPOTS = 3 };

struct mine {
	size_t trial[MAX_SPOTS];
	const struct ml_spot *tried[MAX_SPOTS];
	size_t trials;
};

static void look(struct ml_find *f, void **mine)
{
	*mine = ml_arena_alloc(f->arena, sizeof(struct mine));
	for (size_t i = 0; i < f->spot_count; i++)
		if (ml_written_worth(f, &f->spots[i])) {
			ml_find_follow(f, &ml_find_written);
			return;
		}
}

static bool fits(const struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_written_spot *w = ml_written_of(f, s);

	return ml_written_worth(f, s) && w->overwritten &&
	       10 * w->overwritten >= 9 * w->bytes;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; f->written && i < f->spot_count && m->trials < MAX_SPOTS;
	     i++) {
		const struct ml_spot *s = &f->spots[i];

		if (!fits(f, s))
			continue;
		m->tried[m->trials] = s;
		m->trial[m->trials++] =
			ml_find_try(f,
				    &(struct ml_change){ .kind = ML_CHANGE_DROP,
							 .region = s->region },
				    s);
	}
}

static void tell(struct ml_find *f, const struct ml_spot *s, size_t trial, double saved)
{
	const char *name = ml_find_region(f, s->region);
	const char *here = ml_find_place(f, s->line);
	const struct ml_written_spot *w = ml_written_of(f, s);
	const char *there = ml_find_place(f,
					  f->spots[ml_written_most(f, s)->second].line);
	double share = (double)w->overwritten / (double)w->bytes;
	struct ml_candidate *c = ml_find_add(f, s->region, s, saved, true);

	ml_find_tried(f, c, trial);
	c->finding.title = ml_arena_printf(
		f->arena, "%s is written and overwritten before it is read", name);
	ml_find_say(f, c,
		    "%s of the bytes that %s writes are overwritten before anybody "
		    "reads them, mostly by %s.",
		    ml_find_percent(f, share), here, there);
	ml_find_say(f, c, "Its %s references cost %s of all access time.",
		    ml_find_count(f, s->refs),
		    ml_find_percent(f, (s->excess + (double)s->refs * f->cost[1]) /
					       f->cycles));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"leave out the first writes of %s at %s: malloc instead of calloc, reserve or "
		"an uninitialised buffer instead of a sized constructor, no clearing before "
		"a complete fill. Legal if %s always writes all of it",
		name, here, there);
	ml_find_fact_text(c, "other_line", there);
	ml_find_fact(c, "in_vain", share);
	ml_find_fact(c, "references", (double)s->refs);
	ml_find_claim(f, c, s, s->excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->trials; i++) {
		double saved = ml_find_saved(f, m->trial[i]);

		if (saved >= f->min_cycles)
			tell(f, m->tried[i], m->trial[i], saved);
	}
}

const struct ml_finder ml_find_cleared = {
	.kind = "cleared",
	.rule = "Memory is cleared and then overwritten before anyone reads it.",
	.view = { .name = "regions" },
	.weight = 1.5, /* the cause is certain, and the change is small */
	.look = look,
	.try = try,
	.conclude = conclude,
};
