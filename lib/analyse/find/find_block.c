/*
 * A working set that is slightly too large: a function returns to its lines after
 * touching between one and four times the size of a level. If the function worked in
 * blocks, the level would still hold the lines. The stack distances (distance.h) of the
 * misses show this.
 */
#include <stdlib.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/cache/distance.h"
#include "lib/trace/tables.h"

enum {
	NEAR = 4,
	STEPS = 16 /* steps of the working set, from 1 to NEAR times the level */
};

/* Misses of one level by one spot. */
struct reuse {
	uint64_t missed, again; /* all misses; those of lines touched before */
	uint64_t near[STEPS];   /* by size of the working set relative to the level */
};

struct mine {
	struct reuse **of; /* by spot: [levels]; NULL: the spot is not examined */
	uint64_t capacity[ML_LEVELS]; /* lines */
};

static bool worth(const struct ml_find *f, const struct ml_spot *s)
{
	return s->by_cause[ML_CAUSE_CAPACITY] * 4 >= f->min_cycles;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));
	unsigned levels = f->memory - 1;
	double all = 0;

	m->of = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*m->of));
	for (unsigned l = 0; l < levels; l++)
		m->capacity[l] = f->p->machine.level[l].size / f->line;
	for (size_t i = 0; i < f->spot_count; i++)
		if (worth(f, &f->spots[i])) {
			m->of[i] = ml_arena_alloc(f->arena, levels * sizeof(**m->of));
			all += f->spots[i].by_cause[ML_CAUSE_CAPACITY];
		}
	if (all < f->min_cycles)
		return;
	ml_find_watch(f);
	f->distances = true;
}

static void count_miss(struct reuse *r, uint64_t capacity, uint32_t distance)
{
	r->missed++;
	if (distance == ML_NEVER)
		return;
	r->again++;
	if (distance >= capacity && distance < NEAR * capacity)
		r->near[(distance - capacity) * STEPS / ((NEAR - 1) * capacity)]++;
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	for (size_t i = 0; i < s->refs->count; i++) {
		if (s->served[i] < 2)
			continue;
		const struct ml_spot *x = ml_find_spot(f, s->refs->site[i],
						       s->refs->caller[i], s->region[i]);
		struct reuse *r = x ? m->of[x - f->spots] : NULL;

		for (unsigned l = 0; r && l + 1 < s->served[i]; l++)
			count_miss(&r[l], m->capacity[l], s->distance[i]);
	}
}

/* All spots of one function, at one level. */
struct group {
	uint32_t func, file;
	unsigned level; /* from 1 */
	double saved;
	uint64_t missed, again, near[STEPS];
	const struct ml_spot *worst;
};

static uint64_t near_of(const uint64_t near[STEPS])
{
	uint64_t n = 0;

	for (unsigned i = 0; i < STEPS; i++)
		n += near[i];
	return n;
}

/* The cycles that the near misses of the spot cost in the whole run. */
static double saved_by(const struct ml_find *f, const struct mine *m, size_t spot,
		       unsigned level)
{
	const struct reuse *r = &m->of[spot][level - 1];
	uint64_t missed = ml_find_missed(f->spots[spot].served, level);

	return r->missed ? ml_find_miss(f, level) * (double)missed *
				   (double)near_of(r->near) / (double)r->missed
			 : 0;
}

static struct group group_of(const struct ml_find *f, const struct mine *m, size_t first,
			     unsigned level)
{
	struct group g = { .level = level, .worst = &f->spots[first] };

	for (size_t i = first; i < f->spot_count; i++) {
		if (!m->of[i] || !ml_find_together(f, &f->spots[i], g.worst))
			continue;
		const struct reuse *r = &m->of[i][level - 1];

		g.saved += saved_by(f, m, i, level);
		g.missed += r->missed;
		g.again += r->again;
		for (unsigned k = 0; k < STEPS; k++)
			g.near[k] += r->near[k];
	}
	return g;
}

/* The bytes touched between two uses, for the median miss. */
static uint64_t working_set(const struct ml_find *f, const struct group *g)
{
	uint64_t half = (near_of(g->near) + 1) / 2, n = 0;
	uint64_t size = f->p->machine.level[g->level - 1].size;
	unsigned i = 0;

	while (i + 1 < STEPS && (n += g->near[i]) < half)
		i++;
	return size + (2 * i + 1) * (NEAR - 1) * size / (2 * STEPS);
}

static void tell(struct ml_find *f, const struct mine *m, const struct group *g)
{
	const struct ml_level_spec *level = &f->p->machine.level[g->level - 1];
	const struct ml_user_line *place = &f->user_lines.lines[g->worst->line];
	const char *func = ml_tables_text(f->tables, place->func);
	uint64_t near = near_of(g->near), set = working_set(f, g);
	struct ml_candidate *c = ml_find_add(f, g->worst->region, g->worst, g->saved,
					     false);

	c->finding.title = ml_arena_printf(
		f->arena, "the working set of %s is just too large for %s",
		*func ? func : "this code", level->name);
	ml_find_say(
		f, c,
		"%s of its misses of %s are lines that it used before and needs again "
		"after touching about %s; %s holds %s.",
		ml_find_percent(f, (double)near / (double)g->missed), level->name,
		ml_find_bytes(f, set), level->name, ml_find_bytes(f, level->size));
	ml_find_say(f, c, "Most of them are at %s, in %s.",
		    ml_find_place(f, g->worst->line),
		    ml_find_region(f, g->worst->region));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"touch less between two uses: work in blocks of about %s, finishing one before "
		"going on, or make the data smaller",
		ml_find_bytes(f, level->size / 2));
	ml_find_fact_text(c, "level", level->name);
	ml_find_fact(c, "working_set", (double)set);
	ml_find_fact(c, "holds", (double)level->size);
	ml_find_fact(c, "near_share", (double)near / (double)g->missed);
	for (size_t i = 0; i < f->spot_count; i++)
		if (m->of[i] && ml_find_together(f, &f->spots[i], g->worst))
			ml_find_claim(f, c, &f->spots[i], saved_by(f, m, i, g->level));
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;
	bool *done = ml_arena_alloc(f->arena, f->spot_count + 1);

	for (size_t i = 0; i < f->spot_count; i++) {
		struct group best = { 0 };

		if (!m->of[i] || done[i])
			continue;
		for (size_t k = i; k < f->spot_count; k++)
			done[k] |= ml_find_together(f, &f->spots[k], &f->spots[i]);
		for (unsigned l = 1; l < f->memory; l++) {
			struct group g = group_of(f, m, i, l);

			if (g.saved > best.saved && 2 * near_of(g.near) >= g.missed)
				best = g;
		}
		if (best.saved >= f->min_cycles)
			tell(f, m, &best);
	}
}

const struct ml_finder ml_find_block = {
	.kind = "working set",
	.weight = 0.7, /* it is an estimate, and blocking takes manual work */
	.look = look,
	.see = see,
	.conclude = conclude,
};
