/*
 * Rows whose length (mostly a power of two) maps the same column of many rows to few
 * sets: lines evict each other although other sets have room. Some unused bytes behind
 * each row spread them; trials find how many.
 */

#include "lib/analyse/find/find_conflict.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/base/divisor.h"
#include "lib/base/map.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = ML_CONFLICT_MAX, MAX_BLOCKS = 1000, RARE = 1000 };

static const unsigned pads[] = { 1, 2, 3, 4 }; /* lines */

struct rows {
	struct ml_spot sum; /* of the region */
	uint64_t pitch;
	bool known; /* the pitch is known from the shape; else from the stride */
	const struct ml_spot *worst;
	uint64_t previous, count; /* of the worst spot: last address, steps in the map */
	struct ml_map steps;      /* how often it makes each of them */
};

struct mine {
	struct ml_conflicts conflicts;
	struct rows rows[MAX_REGIONS];
	size_t count;
};

static uint64_t pitch_of(const struct ml_find *f, const struct ml_spot *worst,
			 bool *known)
{
	const struct ml_region *r = &f->tables->regions.at[worst->region];
	const struct ml_profile_cell *c = worst->worst;

	*known = r->dims >= 2 && r->elem;
	if (*known)
		return r->dim[r->dims - 1] * r->elem;
	if (!c->strides || 2 * c->stride[0].count < c->steps)
		return 0;
	return (uint64_t)(c->stride[0].bytes < 0 ? -c->stride[0].bytes
						 : c->stride[0].bytes);
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		uint32_t region = f->spots[i].region;
		struct rows *r = &m->rows[m->count];
		size_t blocks;
		bool done = !ml_find_movable(f, region);

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		for (size_t k = 0; k < m->count; k++)
			done |= m->rows[k].sum.region == region;
		if (done)
			continue;
		r->sum = ml_find_sum(f, region);
		if (r->sum.by_cause[ML_CAUSE_CONFLICT] < f->min_cycles)
			continue;
		r->worst = ml_conflict_worst(f, region, region);
		r->pitch = pitch_of(f, r->worst, &r->known);
		if (r->pitch < f->line ||
		    ml_find_block_size(f, region, &blocks) < 2 * r->pitch ||
		    blocks > MAX_BLOCKS)
			continue;
		m->count++;
		if (!r->known)
			ml_find_watch(f);
	}
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	for (size_t k = 0; k < m->count; k++) {
		struct rows *r = &m->rows[k];

		for (size_t i = 0; !r->known && i < s->refs->count; i++) {
			uint64_t addr = s->refs->addr[i], step = addr - r->previous;

			if (s->spot[i] != r->worst)
				continue;
			step = (int64_t)step < 0 ? 0 - step : step;
			/* a step to another column is no multiple of a line */
			if (r->previous && step && step % f->line == 0) {
				++*ml_map_add(&r->steps, step, NULL);
				r->count++;
			}
			r->previous = addr;
		}
	}
}

/*
 * A Fourier transform mostly steps over half of the rows, then over a quarter... The rows
 * are what all steps but rare ones have in common.
 */
static void refine_pitch(const struct ml_find *f, struct rows *r)
{
	const struct ml_map_cell *c;
	uint64_t pitch = r->pitch;

	for (size_t at = 0; (c = ml_map_next(&r->steps, &at));)
		if (c->value * RARE >= r->count)
			pitch = ml_common_divisor(pitch, c->key);
	if (pitch > f->line)
		r->pitch = pitch;
}

/* The level whose conflicts cost most, from 1. */
static unsigned level_of(const struct ml_find *f, const struct ml_spot *s)
{
	uint64_t conflicts[ML_LEVELS] = { 0 };

	for (unsigned l = 0; l < f->memory - 1; l++)
		conflicts[l] = s->cause[l][ML_CAUSE_CONFLICT];
	return ml_find_worst_level(f, conflicts);
}

/* The number of sets of a level that the starts of rows fall into. */
static uint64_t sets_of_rows(const struct ml_level_spec *level, uint64_t pitch)
{
	uint64_t all = (uint64_t)level->sets * level->line;
	uint64_t steps = all / ml_common_divisor(pitch, all);

	return steps < level->sets ? steps : level->sets;
}

static void tell(struct ml_find *f, const struct ml_conflict *conflict,
		 const struct ml_conflict_remedy *remedy)
{
	const struct rows *r = conflict->about;
	const struct ml_spot *s = &r->sum;
	unsigned l = level_of(f, s);
	const struct ml_level_spec *level = &f->p->machine.level[l - 1];
	uint64_t before = ml_find_missed(f->tried[remedy->trial].trial.region_before, l);
	uint64_t after = ml_find_missed(f->tried[remedy->trial].trial.region_after, l);
	uint64_t sets = sets_of_rows(level, r->pitch), pad = remedy->pad;
	const char *name = ml_find_region(f, s->region);
	struct ml_candidate *c = ml_conflict_add(f, conflict, remedy);

	const char *run = ml_find_run(f, s->region);

	c->finding.title = ml_arena_printf(
		f->arena, "%ss of %s drive each other out of %s", run, name, level->name);
	ml_find_say(f, c, "%s of %s misses of %s are conflicts: %s would have had room.",
		    ml_find_count(f, s->cause[l - 1][ML_CAUSE_CONFLICT]),
		    ml_find_count(f, ml_find_missed(s->served, l)), level->name,
		    level->name);
	ml_find_say(f, c, "%ss are %s%s apart, so their starts fall into %s of %s sets.",
		    *run == 'c' ? "Column" : "Row", r->known ? "" : "(by the stride) ",
		    ml_find_bytes(f, r->pitch), ml_find_count(f, sets),
		    ml_find_count(f, level->sets));
	ml_find_say(f, c, "With %ss %s longer, its misses of %s change from %s to %s.",
		    run, ml_find_bytes(f, pad), level->name, ml_find_count(f, before),
		    ml_find_count(f, after));
	c->finding.advice = ml_arena_printf(
		f->arena, "make each %s of %s %s longer, %s in all", run, name,
		ml_find_bytes(f, pad), ml_find_count(f, r->pitch + pad));
	ml_find_fact(c, "row", (double)r->pitch);
	ml_find_fact(c, "pad", (double)pad);
	ml_find_fact_text(c, "level", level->name);
	ml_find_fact(c, "conflicts", (double)s->cause[l - 1][ML_CAUSE_CONFLICT]);
	ml_find_fact(c, "sets_of_rows", (double)sets);
	ml_find_fact(c, "misses_tried", (double)before);
	ml_find_fact(c, "misses_predicted", (double)after);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	m->conflicts.tell = tell;
	for (size_t i = 0; i < m->count; i++)
		refine_pitch(f, &m->rows[i]);
	for (size_t i = 0; i < m->count; i++) {
		const struct rows *r = &m->rows[i];
		struct ml_conflict conflict = {
			.about = r,
			.a = r->sum.region,
			.b = r->sum.region,
			.change = { .kind = ML_CHANGE_PAD,
				    .region = r->sum.region,
				    .pitch = r->pitch },
			.lines = pads,
			.count = sizeof(pads) / sizeof(*pads),
		};

		ml_conflict_try(f, &m->conflicts, &conflict);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->count; i++)
		ml_map_release(&m->rows[i].steps);
}

const struct ml_finder ml_find_padding = {
	.kind = "padding",
	.rule = "Rows of an array drive each other out of a cache.",
	.view = { .name = "rings", .cause = "conflict", .miss = "{set}" },
	.legal = "Legal if no code takes the rows to follow each other without"
		 " a gap (one memcpy or write of the whole array)",
	.weight = 1,
	.look = look,
	.see = see,
	.try = try,
	.conclude = ml_conflict_conclude,
	.release = release,
};
