#include "lib/analyse/find/find_prior.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cache/distance/distance.h"

enum {
	PAGE = 64, /* lines of a page of the shadow */
	AWAY = 64, /* lines: a return after fewer is the same visit... */
	MAX_SWEEPS = 1 << 16,
	MIN_PASSES = 3,
	RARELY = 8, /* data written for fewer than one of so many misses are read only */
	REUSED = 8, /* returns that hit for one that misses: reuse is good already */
};

/* ...and where L1 is smaller, after fewer than it holds. */
static uint64_t away(const struct ml_find *f)
{
	uint64_t lines = f->p->machine.level[0].size / f->line;

	return lines < AWAY ? lines : AWAY;
}

/* The last use of a line. */
struct use {
	uint64_t time; /* + 1; 0: never */
	uint32_t user;
	uint16_t block;    /* low bits of its number: another block is other data */
	uint8_t visits;    /* 1: since its first touch it was never left for long, or only
			      written: clearing and filling are one fill */
	bool wrote : 1;    /* in this visit */
	bool was_read : 1; /* ever */
};

struct ml_prior_page {
	struct use use[PAGE];
};

static void watch(struct ml_find *f)
{
	struct ml_prior *p = f->prior = ml_arena_alloc(f->arena, sizeof(*p));

	f->distances = true;
	p->missed = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*p->missed));
	p->returns = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*p->returns));
	p->sweeps = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*p->sweeps));
	p->rewrites = ml_arena_alloc(f->arena, (f->tables->regions.count + 1) *
						       sizeof(*p->rewrites));
	p->active = ml_arena_alloc(f->arena,
				   (f->user_lines.count + 1) * sizeof(*p->active));
	p->last = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*p->last));
}

static struct use *use_of(struct ml_prior *p, uint64_t line)
{
	uint64_t key = line / PAGE;
	struct ml_prior_recent *r = &p->recent[key % ML_PRIOR_RECENT];

	if (key + 1 != r->key) {
		bool is_new;
		uint64_t *at = ml_map_add(&p->pages, key, &is_new);

		if (is_new) {
			*at = p->page_count;
			p->page = ml_grow(p->page, &p->page_cap, p->page_count + 1,
					  sizeof(*p->page));
			p->page_count++;
		}
		*r = (struct ml_prior_recent){ key + 1, (size_t)*at };
	}
	return &p->page[r->page].use[line % PAGE];
}

static struct ml_prior_pair *pair_of(struct ml_prior *p, uint32_t spot, uint32_t user)
{
	struct ml_prior_last *last = &p->last[spot];

	if (!last->pair || last->user != user) {
		bool is_new;
		uint64_t *at = ml_map_add(&p->pair_of, (uint64_t)spot << 32 | user,
					  &is_new);

		if (is_new) {
			*at = p->count;
			p->pairs = ml_grow(p->pairs, &p->cap, p->count + 1,
					   sizeof(*p->pairs));
			p->pairs[p->count++] = (struct ml_prior_pair){ .spot = spot,
								       .user = user };
		}
		*last = (struct ml_prior_last){ user, (size_t)*at + 1 };
	}
	return &p->pairs[last->pair - 1];
}

static void note_miss(struct ml_find *f, const struct ml_spot *spot, const struct use *u,
		      uint64_t time, uint32_t distance, unsigned served)
{
	struct ml_prior *p = f->prior;
	struct ml_prior_pair *x = pair_of(p, (uint32_t)(spot - f->spots), u->user);
	double since = (double)(time + 1 - u->time);

	x->count++;
	x->fills += u->visits == 1 && u->wrote;
	x->apart += since > 0 ? (double)(time + 1 - p->active[u->user]) / since : 0;
	x->distance += distance;
	for (unsigned l = 1; l < served; l++)
		if (distance >= f->p->machine.level[l - 1].size >> f->line_bits) {
			x->saved[l - 1] += f->cost[served] - f->cost[l];
			x->missed[l - 1]++;
		}
}

static void note_range(struct ml_prior_sweeps *s, uint64_t offset, unsigned size)
{
	if (s->low == s->high)
		s->low = offset;
	s->low = offset < s->low ? offset : s->low;
	s->high = offset + size > s->high ? offset + size : s->high;
}

/*
 * Notes a jump over more than half of what the spot's worst instruction has walked over
 * so far. Others of the same line may look at other places (a pivot row) in between.
 */
static void note_step(struct ml_prior_sweeps *s, uint64_t addr, uint64_t time,
		      uint64_t far)
{
	uint64_t jump = addr > s->previous ? addr - s->previous : s->previous - addr;

	if (!s->started) {
		s->first = s->last = s->previous = addr;
		s->started = true;
		return;
	}
	if (jump > far && 2 * jump > s->last - s->first && s->count < MAX_SWEEPS) {
		s->time = ml_grow(s->time, &s->cap, s->count + 1, sizeof(*s->time));
		s->jump = ml_grow(s->jump, &s->jump_cap, s->count + 1, sizeof(*s->jump));
		s->time[s->count] = time;
		s->jump[s->count++] = jump;
	}
	s->first = addr < s->first ? addr : s->first;
	s->last = addr > s->last ? addr : s->last;
	s->previous = addr;
}

static void see(struct ml_find *f, const struct ml_seen *s)
{
	struct ml_prior *p = f->prior;
	const struct ml_batch *b = s->refs;
	size_t known = f->tables->regions.count;
	uint64_t long_ago = away(f);
	uint64_t far = long_ago * f->line;
	const struct ml_spot *costly = f->spots + ml_find_costly(f);

	for (size_t i = 0; i < b->count; i++) {
		uint64_t user =
			f->user_lines.of_site[b->caller[i] ? b->caller[i] : b->site[i]];
		struct use *u = use_of(p, b->addr[i] >> f->line_bits);
		const struct ml_spot *spot = s->spot[i];
		uint64_t time = b->time + i;
		uint32_t distance = s->distance[i];
		bool write = ml_what_kind(b->what[i]) == ML_WRITE;
		if (u->block != (uint16_t)s->block[i])
			*u = (struct use){ .block = (uint16_t)s->block[i] };
		bool again = distance != ML_NEVER && distance >= long_ago && u->time;

		if (!user)
			continue;
		if (spot && spot < costly) {
			size_t k = (size_t)(spot - f->spots);

			p->missed[k] += s->served[i] > 1;
			p->returns[k] += again && s->served[i] == 1;
			if (again && s->served[i] > 1)
				note_miss(f, spot, u, time, distance, s->served[i]);
			note_range(&p->sweeps[k], s->offset[i], ml_what_size(b->what[i]));
			if (b->site[i] == spot->worst->site &&
			    b->caller[i] == spot->worst->caller)
				note_step(&p->sweeps[k], b->addr[i], time, far);
		}
		if (again || !u->time) {
			bool fills = !u->visits || (write && !u->was_read);

			u->visits = fills ? 1 : 2;
			u->wrote = false;
		}
		if (write && !u->wrote && u->visits > 1 && s->region[i] < known)
			p->rewrites[s->region[i]]++;
		u->wrote |= write;
		u->was_read |= !write;
		u->time = time + 1;
		u->user = (uint32_t)(user - 1);
		p->active[user - 1] = time + 1;
	}
}

/* Keeps jumps over more than half of all that the spot walks over. */
static void keep_sweeps(struct ml_prior_sweeps *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (2 * s->jump[i] > s->last - s->first)
			s->time[n++] = s->time[i];
	s->count = n;
}

static int by_saved(const void *a, const void *b)
{
	const struct ml_prior_pair *x = a, *y = b;

	if (x->saved[0] != y->saved[0])
		return x->saved[0] > y->saved[0] ? -1 : 1;
	if (x->spot != y->spot)
		return x->spot < y->spot ? -1 : 1;
	return x->user < y->user ? -1 : x->user > y->user;
}

static void end(struct ml_find *f)
{
	struct ml_prior *p = f->prior;

	for (size_t i = 0; i < p->count; i++) {
		struct ml_prior_pair *x = &p->pairs[i];
		double seen = (double)p->missed[x->spot];
		double scale = (double)ml_find_missed(f->spots[x->spot].served, 1) / seen;

		for (unsigned l = 0; l < ML_LEVELS; l++)
			x->saved[l] *= scale;
	}
	for (size_t i = 0; i < f->spot_count; i++)
		keep_sweeps(&p->sweeps[i]);
	if (p->count)
		qsort(p->pairs, p->count, sizeof(*p->pairs), by_saved);
}

static void release(struct ml_find *f)
{
	struct ml_prior *p = f->prior;

	for (size_t i = 0; i < f->spot_count; i++) {
		ml_free(p->sweeps[i].time);
		ml_free(p->sweeps[i].jump);
	}
	ml_free(p->pairs);
	ml_free(p->page);
	ml_map_release(&p->pages);
	ml_map_release(&p->pair_of);
}

const struct ml_find_observer ml_find_prior = {
	.watch = watch,
	.see = see,
	.end = end,
	.release = release,
};

bool ml_prior_same_loop(const struct ml_find *f, const struct ml_prior_pair *p)
{
	return f->spots[p->spot].line == p->user || p->apart < 0.1 * (double)p->count;
}

bool ml_prior_idle(const struct ml_find *f, const struct ml_prior_pair *p)
{
	return 2 * p->fills > p->count ||
	       f->prior->returns[p->spot] >= REUSED * f->prior->missed[p->spot];
}

/* Whether a line of code that is not the spot's writes the region. */
static bool others_write(const struct ml_find *f, const struct ml_spot *s,
			 uint32_t region)
{
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == region && f->spots[i].line != s->line &&
		    f->spots[i].kind[ML_WRITE])
			return true;
	return false;
}

/* Passes that were seen. Passes that go to and fro have no jumps back to the start. */
static uint64_t passes_over(const struct ml_find *f, const struct ml_spot *s)
{
	uint64_t jumps = f->prior->sweeps[s - f->spots].count;
	uint64_t size = ml_find_block_size(f, s->region, NULL);
	uint64_t missed = ml_find_missed(s->served, 1);

	if (jumps >= MIN_PASSES || !size || !missed)
		return jumps;
	return (uint64_t)((double)s->bytes / (double)size *
			  (double)f->prior->missed[s - f->spots] / (double)missed);
}

bool ml_prior_fed(const struct ml_find *f, const struct ml_spot *s)
{
	uint64_t passes = passes_over(f, s);

	for (size_t i = 0; i < f->spot_count && passes >= MIN_PASSES; i++) {
		const struct ml_spot *o = &f->spots[i];

		if (o->line != s->line || o->region == s->region || !o->kind[ML_READ] ||
		    o->region >= f->tables->regions.count)
			continue;
		uint64_t lines = ml_find_block_size(f, o->region, NULL) / f->line;

		if (lines && 2 * f->prior->rewrites[o->region] >= passes * lines &&
		    others_write(f, s, o->region))
			return true;
	}
	return false;
}

/* A second fill before the loop is no change yet: changes keep up with the misses. */
bool ml_prior_changes(const struct ml_find *f, const struct ml_spot *s)
{
	if (s->region >= f->tables->regions.count)
		return false;
	return f->prior->rewrites[s->region] * RARELY >= f->prior->missed[s - f->spots] ||
	       ml_prior_fed(f, s);
}
