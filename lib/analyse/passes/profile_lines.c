/*
 * The part of a profile that is about lines: misses by set, regions that evict each
 * other, used bytes, and lines that move from core to core.
 */
#include <stdlib.h>

#include "lib/analyse/passes/profile_parts.h"

void ml_profile_miss(void *arg, const struct ml_events *e, const struct ml_miss *m)
{
	struct ml_profiler *x = arg;

	(void)e;
	ml_event_sums_miss(&x->line_sums, m->level, m->set, m->cause, m->owner,
			   m->evictor);
}

void ml_profile_leave(void *arg, const struct ml_events *e, const struct ml_leave *l)
{
	struct ml_profiler *x = arg;

	(void)e;
	ml_event_sums_leave(&x->line_sums, l);
}

static void keep_pairs(struct ml_profile *p, const struct ml_level_sums *s,
		       unsigned level)
{
	p->pairs = ml_grow(p->pairs, &p->pair_cap, p->pair_count + s->pair_count,
			   sizeof(*p->pairs));
	for (size_t i = 0; i < s->pair_count; i++) {
		const struct ml_pair_sum *from = &s->pairs[i];

		p->pairs[p->pair_count++] =
			(struct ml_profile_pair){ .level = level,
						  .loser = from->loser,
						  .winner = from->winner,
						  .conflict = from->conflict,
						  .capacity = from->capacity };
	}
}

static void keep_uses(struct ml_profile *p, const struct ml_level_sums *s, unsigned level)
{
	uint32_t line = level ? p->machine.level[level - 1].line : p->machine.icache.line;
	uint32_t unit = line > 64 ? line / 64 : 1; /* bytes of a bit of a mask */

	p->uses = ml_grow(p->uses, &p->use_cap, p->use_count + s->use_count,
			  sizeof(*p->uses));
	for (size_t i = 0; i < s->use_count; i++) {
		const struct ml_use_sum *from = &s->uses[i];

		p->uses[p->use_count++] = (struct ml_profile_use){
			.region = from->owner,
			.level = level,
			.lines = from->lines,
			.bytes = from->lines * line,
			.used = from->used * unit,
			.read = from->read * unit,
			.written = from->written * unit,
			.write_first = from->write_first,
			.never_read = from->never_read,
			.in_vain = from->in_vain,
		};
	}
}

static void keep_sets(struct ml_profile_level *l, const struct ml_level_sums *s)
{
	for (uint32_t i = 0; l->set && s->set && i < l->sets; i++)
		l->set[i] = (struct ml_profile_set){ s->set[i].missed, s->set[i].conflict,
						     s->set[i].lines };
}

/*
 * A line and two cores do not fit one key. So rows are found by a hash of them; in the
 * rare case that two share a hash, the next key is tried.
 */
static uint64_t bounce_key(uint64_t line, unsigned from, unsigned to)
{
	return line * 0x9e3779b97f4a7c15u ^ ((uint64_t)from << 32 | to);
}

static struct ml_profile_bounce *find_bounce(const struct ml_profiler *x, uint64_t line,
					     unsigned from, unsigned to, uint64_t *key)
{
	for (*key = bounce_key(line, from, to);; ++*key) {
		uint64_t *row = ml_map_find(&x->bounce_row, *key);

		if (!row)
			return NULL;
		struct ml_profile_bounce *b = &x->p->bounces[*row];
		if (b->line == line && b->from == from && b->to == to)
			return b;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct ml_profile_bounce *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1)
				  : (x->to < y->to ? -1 : x->to > y->to);
}

static void index_bounces(struct ml_profiler *x)
{
	ml_map_release(&x->bounce_row);
	for (size_t i = 0; i < x->p->bounce_count; i++) {
		const struct ml_profile_bounce *b = &x->p->bounces[i];
		uint64_t key;

		find_bounce(x, b->line, b->from, b->to, &key);
		*ml_map_add(&x->bounce_row, key, NULL) = i;
	}
}

/* Too many lines bounce: drops the rarer half. */
static void drop_bounces(struct ml_profiler *x)
{
	struct ml_profile *p = x->p;
	size_t kept = p->bounce_count / 2;

	qsort(p->bounces, p->bounce_count, sizeof(*p->bounces), by_count);
	for (size_t i = kept; i < p->bounce_count; i++)
		p->bounces_left_out += p->bounces[i].count;
	p->bounce_count = kept;
	index_bounces(x);
}

void ml_profile_bounced(void *arg, const struct ml_events *e, const struct ml_bounce *b)
{
	struct ml_profiler *x = arg;
	struct ml_profile *p = x->p;
	uint64_t key;

	if (!x->started)
		ml_profile_start(x, e->replay);
	struct ml_profile_bounce *row = find_bounce(x, b->line, b->from, b->to, &key);

	if (!row) {
		if (p->bounce_count == ML_PROFILE_BOUNCES) {
			drop_bounces(x);
			find_bounce(x, b->line, b->from, b->to, &key);
		}
		*ml_map_add(&x->bounce_row, key, NULL) = p->bounce_count;
		p->bounces = ml_grow(p->bounces, &p->bounce_cap, p->bounce_count + 1,
				     sizeof(*p->bounces));
		row = &p->bounces[p->bounce_count++];
		*row = (struct ml_profile_bounce){ .line = b->line,
						   .from = b->from,
						   .to = b->to };
	}
	row->region = e->region[b->access];
	row->site_to = e->refs->site[b->access];
	row->count++;
	row->sharing += b->cause == ML_CAUSE_SHARING;
	row->false_sharing += b->cause == ML_CAUSE_FALSE_SHARING;
}

/* The site of the other core is known from the bounce in the other direction. */
void ml_profile_lines_end(struct ml_profiler *x)
{
	struct ml_profile *p = x->p;

	for (size_t i = 0; i < p->bounce_count; i++) {
		struct ml_profile_bounce *b = &p->bounces[i];
		uint64_t key;
		const struct ml_profile_bounce *back = find_bounce(x, b->line, b->to,
								   b->from, &key);

		b->site_from = back ? back->site_to : 0;
	}
	if (p->bounce_count)
		qsort(p->bounces, p->bounce_count, sizeof(*p->bounces), by_count);
	for (unsigned level = 0; level <= ML_LEVELS; level++) {
		const struct ml_level_sums *s = &x->line_sums.level[level];

		keep_pairs(p, s, level);
		keep_uses(p, s, level);
		keep_sets(&p->level[level], s);
	}
	ml_event_sums_release(&x->line_sums);
	ml_map_release(&x->bounce_row);
}
