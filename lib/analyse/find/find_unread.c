/*
 * Lines that are fetched from memory only to be overwritten: a write brought the line in,
 * and no byte of it was read before it left. Non-temporal stores need not fetch it.
 * Memory that is cleared first and filled later is fetched for a clearing that is never
 * read.
 */
#include <string.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

/* Writes of the spot that memory served. */
static uint64_t fetched(const struct ml_find *f, const struct ml_spot *s)
{
	return s->kind[1] > s->kind[0] ? s->served[f->memory] : 0;
}

static uint64_t fetched_of(const struct ml_find *f, uint32_t region)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == region)
			n += fetched(f, &f->spots[i]);
	return n;
}

/* A function whose job is to fill memory with one value. */
static bool clears(const struct ml_find *f, const struct ml_spot *s)
{
	static const char *const words[] = { "memset", "calloc", "bzero", "uninitialized",
					     "__fill" };
	const struct ml_site *site = &f->tables->sites.at[s->worst->site];

	for (uint32_t i = 0; i < site->frames; i++) {
		const char *func = ml_tables_text(
			f->tables, f->tables->frames.at[site->frame + i].func);

		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			if (strstr(func, words[k]))
				return true;
	}
	return false;
}

static const char *advice(struct ml_find *f, const struct ml_spot *worst, bool again)
{
	const char *name = ml_find_region(f, worst->region);

	if (clears(f, worst) && again)
		return ml_arena_printf(
			f->arena,
			"do not clear %s first (malloc instead of calloc, reserve "
			"instead of a sized constructor): it is written later anyway",
			name);
	return ml_arena_printf(
		f->arena,
		"write %s with non-temporal (streaming) stores, or use each "
		"part of it while it is in the cache",
		name);
}

static void tell(struct ml_find *f, const struct ml_profile_use *u, uint64_t lines)
{
	const char *name = ml_find_region(f, u->region);
	double each = f->cost[f->memory] - f->cost[1];
	const struct ml_spot *worst = NULL;
	uint64_t all = 0, writers = 0;

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (s->region != u->region || !s->kind[1])
			continue;
		writers++;
		all += fetched(f, s);
		if (!worst || fetched(f, s) > fetched(f, worst))
			worst = s;
	}
	double saved = each * (double)lines;
	struct ml_candidate *c = ml_find_add(f, u->region, worst, saved, false);
	c->finding.title = ml_arena_printf(
		f->arena, "%s is fetched from memory only to be overwritten", name);
	ml_find_say(
		f, c,
		"%s of the %s lines of %s that memory gave came for a write, and nothing "
		"of them was read before they left.",
		ml_find_count(f, u->never_read), ml_find_count(f, u->lines), name);
	ml_find_say(f, c, "%s of its writes at %s waited for memory.",
		    ml_find_count(f, fetched(f, worst)), ml_find_place(f, worst->line));
	c->finding.advice = advice(f, worst, writers > 1);
	ml_find_fact(c, "lines", (double)u->lines);
	ml_find_fact(c, "never_read", (double)u->never_read);
	ml_find_fact(c, "writes_from_memory", (double)all);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == u->region && fetched(f, &f->spots[i]))
			ml_find_claim(f, c, &f->spots[i],
				      saved * (double)fetched(f, &f->spots[i]) /
					      (double)all);
}

static void conclude(struct ml_find *f, void *arg)
{
	/* lines still cached at the end might have been read later */
	uint64_t left = f->p->level[f->memory - 1].counts.evictions;

	struct ml_map done = { 0 };

	(void)arg;
	for (size_t i = 0; i < f->spot_count; i++) {
		uint32_t region = f->spots[i].region;
		uint64_t lines = left;
		bool is_new;

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		ml_map_add(&done, region, &is_new);
		if (!is_new || !ml_find_movable(f, region))
			continue;
		struct ml_profile_use u = ml_find_use(f, region, f->memory - 1);
		uint64_t writes = fetched_of(f, region);

		/* a line that is written in part must be fetched for its other bytes */
		if (u.never_read && 10 * u.written < 9 * u.never_read * f->line)
			continue;
		lines = u.never_read < lines ? u.never_read : lines;
		lines = writes < lines ? writes : lines;
		if ((f->cost[f->memory] - f->cost[1]) * (double)lines >= f->min_cycles)
			tell(f, &u, lines);
	}
	ml_map_release(&done);
}

const struct ml_finder ml_find_unread = {
	.kind = "write allocate",
	.weight = 0.6, /* stores seldom wait: this saves bandwidth more than time */
	.conclude = conclude,
};
