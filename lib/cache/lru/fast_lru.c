/*
 * The fast LRU engine: counts and serving levels for one core, LRU in all levels,
 * write-back and write-allocate, one line size, neither inclusive nor exclusive, no
 * prefetching, no TLB. A set is an array in order of recency, so that a SIMD comparison
 * finds a line and a SIMD shuffle moves it to the front.
 */
#include <assert.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/engine.h"
#include "lib/cache/exact/mirror.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/lru/fast_lru_parts.h"

static const void *const loops[ML_VECTORS] = {
	[ML_VECTORS_PLAIN] = &ml_fast_lru_ops_plain,
#if defined(__x86_64__)
	[ML_VECTORS_AVX2] = &ml_fast_lru_ops_avx2,
	[ML_VECTORS_AVX512] = &ml_fast_lru_ops_avx512,
#elif defined(__aarch64__)
	[ML_VECTORS_NEON] = &ml_fast_lru_ops_neon,
#endif
};

static const char *level_refuses(const struct ml_level_spec *l)
{
	if (l->line < 4)
		return "lines are shorter than 4 bytes";
	if (l->ways > FAST_LRU_WAYS)
		return "a level has more than 1024 ways";
	if (l->sets > INT32_MAX)
		return "a level has more than 2147483647 sets";
	return NULL;
}

static const char *refuses(const struct ml_machine *whole, const struct ml_engine_job *j)
{
	struct ml_machine m = ml_machine_alone(whole, j->threads);
	const char *why = ml_machine_not_lru(&m);

	if (j->want || j->observes || j->restores || j->looks)
		return "it counts, and does no more";
	if (!ml_vectors_choose(j->vectors, loops))
		return "it has not these instructions";
	if (!why && !ml_machine_plain(&m))
		return "the machine is not plain";
	if (m.tlbs)
		return "there is a TLB";
	for (unsigned i = 0; i < m.levels && !why; i++)
		why = level_refuses(&m.level[i]);
	return why;
}

static void *aligned(struct ml_arena *a, size_t size)
{
	uintptr_t at = (uintptr_t)ml_arena_alloc(a, size + 63);

	return (void *)((at + 63) & ~(uintptr_t)63);
}

/*
 * Windows are hashed perfectly: factors are tried until no two windows share a slot. With
 * 15 windows in 16 slots one factor in 60,000 works; a trace needs few such searches.
 */
static bool windows_fill(struct fast_lru_windows *w)
{
	uint32_t factor = w->factor;

	for (int tries = 0; tries < 2000000; tries++) {
		uint32_t taken = 0;

		for (uint32_t n = 1; n <= w->used; n++)
			taken |= 1u << (w->of[n] * factor >> 28);
		if ((uint32_t)__builtin_popcount(taken) == w->used) {
			w->factor = factor;
			return true;
		}
		factor = factor * 747796405u + 2891336453u;
		factor |= 1;
	}
	return false;
}

bool ml_fast_lru_window_add(struct ml_fast_lru *q, uint32_t hi)
{
	struct fast_lru_windows *w = &q->windows;
	unsigned bits = 32 - q->shift;

	if (w->used == w->limit)
		return false;
	w->of[++w->used] = hi;
	if (!windows_fill(w)) {
		w->used--;
		return false;
	}
	/* A free slot holds a value that hashes to another slot. */
	for (uint32_t slot = 0; slot < FAST_LRU_SLOTS; slot++) {
		uint32_t other = 0;

		while (other * w->factor >> 28 == slot)
			other++;
		w->hi[slot] = other;
		w->base[slot] = 0;
	}
	for (uint32_t n = 1; n <= w->used; n++) {
		uint32_t slot = w->of[n] * w->factor >> 28;

		w->hi[slot] = w->of[n];
		w->base[slot] = n << (bits + 1);
	}
	for (unsigned i = 0; i < q->levels; i++)
		q->level[i].first[w->used] =
			(uint32_t)(((uint64_t)hi << bits) % q->level[i].count);
	return true;
}

/* The line number of a key in a set. */
static uint64_t line_of(const struct ml_fast_lru *q, uint64_t key)
{
	unsigned bits = 32 - q->shift;
	uint64_t line = (key & ~FAST_LRU_WIDE) >> 1;

	if (q->wide)
		return line;
	return (uint64_t)q->windows.of[line >> bits] << bits |
	       (line & (((uint64_t)1 << bits) - 1));
}

static void *level_sets(struct ml_fast_lru *q, const struct fast_lru_level *l)
{
	return aligned(&q->arena, (size_t)l->count * l->lanes * (q->wide ? 8 : 4));
}

/* Continues with keys of 64 bits. The old sets stay in the arena until the end. */
static void widen(struct ml_fast_lru *q)
{
	for (unsigned i = 0; i < q->levels; i++) {
		struct fast_lru_level *l = &q->level[i];
		const uint32_t *old = l->sets;
		size_t count = (size_t)l->count * l->lanes;

		q->wide = true;
		uint64_t *new = level_sets(q, l);

		q->wide = false;
		for (size_t k = 0; k < count; k++)
			if (old[k])
				new[k] = FAST_LRU_WIDE | line_of(q, old[k]) << 1 |
					 (old[k] & 1);
		l->sets = new;
	}
	q->wide = true;
}

/*
 * How lanes move when a line becomes the first of its set: row i tells from which lane
 * each lane takes its key if the line was in lane i. Row 32 is for misses, because tzcnt
 * of 0 is 32; lane `lanes` holds 0.
 */
static const uint32_t *make_turns(struct ml_fast_lru *q, uint32_t lanes, uint32_t ways)
{
	uint32_t *turns = aligned(&q->arena, 33 * lanes * sizeof(*turns));

	for (uint32_t row = 0; row <= 32; row++) {
		uint32_t last = row < ways ? row : ways - 1;

		turns[row * lanes] = row < ways ? row : lanes;
		for (uint32_t i = 1; i < lanes; i++)
			turns[row * lanes + i] = i <= last ? i - 1 : i;
	}
	return turns;
}

static void *open(const struct ml_machine *m, const struct ml_engine_job *j,
		  struct ml_err *err)
{
	struct ml_fast_lru *q = ml_resize(NULL, sizeof(*q));

	(void)err;
	*q = (struct ml_fast_lru){ .ops = ml_vectors_choose(j->vectors, loops),
				   .machine = *m,
				   .levels = m->levels };

	q->shift = (unsigned)__builtin_ctz(m->level[0].line);
	/*
	 * A key has 32 - shift bits more than the number of a window, and number 0 is not
	 * used.
	 */
	q->windows.limit = (1u << (q->shift - 1)) - 1;
	if (q->windows.limit > FAST_LRU_SLOTS - 1)
		q->windows.limit = FAST_LRU_SLOTS - 1;
	q->windows.factor = 0x9e3779b1;
	q->windows.hi[0] =
		UINT32_MAX; /* belongs to slot 9; 0, of the others, to slot 0 */
	for (unsigned i = 0; i < q->levels; i++) {
		const struct ml_level_spec *s = &m->level[i];
		struct fast_lru_level *l = &q->level[i];
		bool power = !(s->sets & (s->sets - 1));

		l->count = s->sets;
		l->ways = s->ways;
		l->lanes = s->ways <= 8    ? 8
			   : s->ways <= 16 ? 16
					   : (s->ways + 31) / 32 * 32;
		l->mask = power ? s->sets - 1 : 0;
		/* then the offset of a set must fit 32 bits */
		if (l->lanes <= 16 && (uint64_t)l->count * l->lanes <= UINT32_MAX / 4)
			l->turns = make_turns(q, l->lanes, l->ways);
		l->inverse = UINT64_MAX / s->sets + 1;
		if (s->sets > (uint64_t)1 << (32 - q->shift))
			q->wide = true;
	}
	for (unsigned i = 0; i < q->levels; i++)
		q->level[i].sets = level_sets(q, &q->level[i]);
	q->same_set = (uint64_t)q->level[0].mask << 1;

	size_t room = FAST_LRU_ROOM + ((size_t)FAST_LRU_SIZE_MAX >> q->shift) + 2 +
		      FAST_LRU_PAD;
	q->narrow_key = (uint32_t *)aligned(&q->arena, (room + FAST_LRU_PAD) * 4) +
			FAST_LRU_PAD;
	q->wide_key = (uint64_t *)aligned(&q->arena, (room + FAST_LRU_PAD) * 8) +
		      FAST_LRU_PAD;
	q->at = aligned(&q->arena, room * 4);
	/* A level adds at most one event, a victim, to each request. */
	size_t events = room * (1 + ML_LEVELS);
	q->offset = aligned(&q->arena, events * sizeof(*q->offset));
	q->last = aligned(&q->arena, events * sizeof(*q->last));
	q->hit = aligned(&q->arena, events * sizeof(*q->hit));
	for (int i = 0; i < 2; i++) {
		q->stream[i].key = aligned(&q->arena, events * 8);
		q->stream[i].at = aligned(&q->arena, events * 4);
	}
	return q;
}

static void close(void *e)
{
	struct ml_fast_lru *q = e;

	ml_arena_release(&q->arena);
	ml_free(q);
}

/* Runs the block through all levels; served belongs to its first access. */
static void block_run(struct ml_fast_lru *q, uint16_t *served)
{
	struct fast_lru_events *in = &q->stream[0], *out = &q->stream[1];

	q->ops->keep(q);
	memmove(q->narrow_key - FAST_LRU_BACK, q->narrow_key + q->keys - FAST_LRU_BACK,
		FAST_LRU_BACK * sizeof(*q->narrow_key));
	memmove(q->wide_key - FAST_LRU_BACK, q->wide_key + q->keys - FAST_LRU_BACK,
		FAST_LRU_BACK * sizeof(*q->wide_key));
	q->keys = 0;
	for (unsigned i = 0; i < q->levels && in->count; i++) {
		struct fast_lru_events *spare = in;

		q->ops->level(q, i, in, out, served);
		in = out;
		out = spare;
	}
}

static bool run(void *e, unsigned stage, const struct ml_accesses *a, void *carry,
		uint16_t *served, struct ml_err *err)
{
	struct ml_fast_lru *q = e;

	(void)carry;
	(void)err;
	if (stage) /* it tells no observer of anything */
		return true;
	for (size_t i = 0; served && i < a->count; i++)
		served[i] = 1;
	for (size_t i = 0; i < a->count;) {
		size_t start = i, end = a->count;
		bool fits;

		if (end - i > FAST_LRU_BLOCK)
			end = i + FAST_LRU_BLOCK;
		q->next_addr = a->addr + end;
		q->next_what = a->what + end;
		fits = q->ops->lines(q, a, &i, end, start);
		if (q->keys)
			block_run(q, served ? served + start : NULL);
		if (!fits)
			widen(q);
	}
	q->accesses += a->count;
	return true;
}

static unsigned stages(void *e)
{
	(void)e;
	return 2;
}

static uint64_t key_at(const struct ml_fast_lru *q, const struct fast_lru_level *l,
		       size_t i)
{
	return q->wide ? ((const uint64_t *)l->sets)[i] : ((const uint32_t *)l->sets)[i];
}

/* Lines leave only by eviction, so fills minus the lines held are the evictions. */
static uint64_t resident(const struct ml_fast_lru *q, const struct fast_lru_level *l)
{
	uint64_t held = 0;

	for (size_t i = 0; i < (size_t)l->count * l->lanes; i++)
		held += key_at(q, l, i) != 0;
	return held;
}

static void counts(void *e, unsigned level, struct ml_level_counts *c)
{
	const struct ml_fast_lru *q = e;

	*c = (struct ml_level_counts){ 0 };
	if (!level)
		return;

	const struct fast_lru_level *l = &q->level[level - 1];
	const uint64_t *asked = level == 1 ? q->asked : q->level[level - 2].missed;

	for (unsigned k = 0; k < 3; k++) {
		c->asked[k] = asked[k];
		c->missed[k] = l->missed[k];
		c->fills += l->missed[k];
	}
	c->evictions = c->fills - resident(q, l);
	c->write_backs = l->write_backs;
	c->past_bytes = l->past * q->machine.level[level - 1].line;
}

static void gap(void *e)
{
	((struct ml_fast_lru *)e)->gap = true;
}

static void show_level(const struct ml_fast_lru *q, const struct fast_lru_level *l,
		       struct ml_cache *to)
{
	uint64_t row[FAST_LRU_WAYS];
	uint8_t flags[FAST_LRU_WAYS];

	for (uint32_t set = 0; set < l->count; set++) {
		for (uint32_t way = 0; way < l->ways; way++) {
			uint64_t key = key_at(q, l, (size_t)set * l->lanes + way);

			row[way] = key ? line_of(q, key) + 1 : 0;
			flags[way] = key & 1 ? ML_DIRTY : 0;
		}
		ml_mirror_show(to, set, row, flags);
	}
}

static void save(void *e, struct ml_buf *out)
{
	const struct ml_fast_lru *q = e;
	struct ml_err err;
	struct ml_sim *mirror = ml_sim_open(&q->machine, 0, &err);

	assert(mirror);
	mirror->accesses = q->accesses;
	mirror->gap = q->gap;
	for (unsigned i = 0; i < q->levels; i++) {
		counts(e, i + 1, &mirror->counts[i + 1]);
		show_level(q, &q->level[i], &mirror->caches[i][0]);
	}
	ml_sim_save(mirror, out);
	ml_sim_close(mirror);
}

const struct ml_engine_kind ml_engine_fast_lru = {
	.name = "fast_lru",
	.refuses = refuses,
	.open = open,
	.close = close,
	.stages = stages,
	.run = run,
	.gap = gap,
	.counts = counts,
	.save = save,
};
