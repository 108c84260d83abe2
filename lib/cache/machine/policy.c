#include "lib/cache/machine/policy.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

static inline uint64_t *word_of(const struct ml_order *o, uint32_t set, uint32_t way)
{
	return &o->word[(uint64_t)set * o->ways + way];
}

/*
 * Words that are times. lru evicts the line that was used the longest ago, mru the one
 * that was used last, fifo the one that was filled the longest ago. Each use advances the
 * clock, so times are distinct.
 */
static void stamp(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	(void)hint;
	*word_of(o, set, way) = ++o->clock;
}

static void keep(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	(void)o, (void)set, (void)way, (void)hint;
}

static uint64_t low_first(const struct ml_order *o, uint32_t set, uint32_t way)
{
	return ~*word_of(o, set, way);
}

static uint64_t high_first(const struct ml_order *o, uint32_t set, uint32_t way)
{
	return *word_of(o, set, way);
}

enum { MANY = 32 }; /* ways */

/*
 * Finds the minimum in four lanes, because each comparison waits for the one before; then
 * the first way that has it.
 */
static uint32_t lowest_of_many(const uint64_t *w, uint32_t ways)
{
	uint64_t min[4] = { w[0], w[0], w[0], w[0] };
	uint32_t i = 0;

	for (; i + 4 <= ways; i += 4)
		for (uint32_t k = 0; k < 4; k++)
			min[k] = w[i + k] < min[k] ? w[i + k] : min[k];
	for (; i < ways; i++)
		min[0] = w[i] < min[0] ? w[i] : min[0];
	for (uint32_t k = 1; k < 4; k++)
		min[0] = min[k] < min[0] ? min[k] : min[0];
	for (i = 0; w[i] != min[0];)
		i++;
	return i;
}

static uint32_t lowest(struct ml_order *o, uint32_t set)
{
	const uint64_t *w = word_of(o, set, 0);
	uint64_t min = w[0];
	uint32_t victim = 0;

	if (o->ways > MANY)
		return lowest_of_many(w, o->ways);
	/* Without branches, as they would be unpredictable. */
	for (uint32_t i = 1; i < o->ways; i++) {
		victim = w[i] < min ? i : victim;
		min = w[i] < min ? w[i] : min;
	}
	return victim;
}

static uint32_t highest(struct ml_order *o, uint32_t set)
{
	const uint64_t *w = word_of(o, set, 0);
	uint64_t max = w[0];
	uint32_t victim = 0;

	for (uint32_t i = 1; i < o->ways; i++) {
		victim = w[i] > max ? i : victim;
		max = w[i] > max ? w[i] : max;
	}
	return victim;
}

/*
 * lfu: a word counts the uses of a line since its fill. Of lines with equal counts the
 * least recently used one is evicted. The count stops at its maximum.
 */
enum { LFU_TIME_BITS = 44 };
#define LFU_MAX (((uint64_t)1 << (64 - LFU_TIME_BITS)) - 1)

static void count_first(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	(void)hint;
	*word_of(o, set, way) = (uint64_t)1 << LFU_TIME_BITS | ++o->clock;
}

static void count_more(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	uint64_t times = *word_of(o, set, way) >> LFU_TIME_BITS;

	(void)hint;
	times += times < LFU_MAX;
	*word_of(o, set, way) = times << LFU_TIME_BITS | ++o->clock;
}

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
 */
uint64_t ml_order_random(struct ml_order *o)
{
	uint64_t z = o->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint32_t any(struct ml_order *o, uint32_t set)
{
	(void)set;
	return (uint32_t)((ml_order_random(o) >> 32) * o->ways >> 32);
}

static uint64_t by_number(const struct ml_order *o, uint32_t set, uint32_t way)
{
	(void)o, (void)set;
	return way;
}

/*
 * plru: a binary tree over the ways; each node points to the half that was used less
 * recently. A use turns all nodes above the way to the other half; the victim is the way
 * that the nodes point to. The node that splits the ways lo..hi-1 in the middle stores
 * its bit in the word of the first way of its upper half: each way but 0 is that for
 * exactly one node. If the number of ways is no power of two, the lower half is the
 * larger one.
 */
static uint32_t middle(uint32_t lo, uint32_t hi)
{
	return lo + (hi - lo + 1) / 2;
}

static void turn_away(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	uint32_t lo = 0, hi = o->ways;

	(void)hint;
	while (hi - lo > 1) {
		uint32_t mid = middle(lo, hi);

		*word_of(o, set, mid) = way < mid; /* 1 points to the upper half */
		if (way < mid)
			hi = mid;
		else
			lo = mid;
	}
}

static uint32_t where_it_points(struct ml_order *o, uint32_t set)
{
	uint32_t lo = 0, hi = o->ways;

	while (hi - lo > 1) {
		uint32_t mid = middle(lo, hi);

		if (*word_of(o, set, mid))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* A bit for each node above the way that points to it. The victim has all bits set. */
static uint64_t nodes_pointing(const struct ml_order *o, uint32_t set, uint32_t way)
{
	uint32_t lo = 0, hi = o->ways;
	uint64_t key = 0, bit = (uint64_t)1 << 63;

	for (; hi - lo > 1; bit >>= 1) {
		uint32_t mid = middle(lo, hi);

		if ((*word_of(o, set, mid) != 0) == (way >= mid))
			key |= bit;
		if (way < mid)
			hi = mid;
		else
			lo = mid;
	}
	return key | (bit - 1) << 1 | 1;
}

/*
 * nru (also bit-PLRU): one bit for each way, set by a use. When all bits would be set,
 * the others are cleared. The victim is the lowest way with a clear bit.
 */
static void mark(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	uint64_t *w = word_of(o, set, 0), all = 1;

	(void)hint;
	w[way] = 1;
	for (uint32_t i = 0; i < o->ways; i++)
		all &= w[i];
	for (uint32_t i = 0; all && i < o->ways; i++)
		w[i] = i == way;
}

/*
 * Re-reference interval prediction, 2 bits (Jaleel, Theobald, Steely, Emer: High
 * performance cache replacement using RRIP, ISCA 2010; hit priority). A word predicts how
 * far away the next use is, 0 to 3. A hit sets 0. The victim is the lowest way with 3; if
 * there is none, all words are raised until there is.
 *
 * srrip fills lines with 2. brrip does so once in 32 times at random, and fills with 3
 * otherwise. drrip duels sets: some always fill as srrip, some always as brrip. A counter
 * compares the fills of both groups, and all other sets do what fills less.
 */
enum { FAR = 3, LONG = 2, BRRIP_ONE_IN = 32, DUEL_START = ML_DUEL_MAX / 2 };

static void now_near(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	(void)hint;
	*word_of(o, set, way) = 0;
}

static void come_long(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	(void)hint;
	*word_of(o, set, way) = LONG;
}

static void come_far(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	(void)hint;
	*word_of(o, set, way) = ml_order_random(o) % BRRIP_ONE_IN ? FAR : LONG;
}

static void come_as_duel_says(struct ml_order *o, uint32_t set, uint32_t way,
			      uint64_t hint)
{
	/*
	 * Of every 32 sets one leads for srrip and one for brrip; in small caches, of
	 * every four.
	 */
	uint32_t half = o->sets / 2;
	uint32_t period = half < 4 ? 4 : half > 32 ? 32 : half;
	bool bimodal = o->duel > DUEL_START;

	if (set % period == 0) {
		o->duel += o->duel < ML_DUEL_MAX;
		bimodal = false;
	} else if (set % period == period / 2) {
		o->duel -= o->duel > 0;
		bimodal = true;
	}
	(bimodal ? come_far : come_long)(o, set, way, hint);
}

static uint32_t farthest(struct ml_order *o, uint32_t set)
{
	uint64_t *w = word_of(o, set, 0);
	uint32_t victim = highest(o, set);
	uint64_t raise = FAR - w[victim];
	for (uint32_t i = 0; raise && i < o->ways; i++)
		w[i] += raise;
	return victim;
}

/*
 * opt evicts the line whose next use is the farthest (Belady: A study of replacement
 * algorithms for a virtual-storage computer, 1966); pes evicts the line that is used the
 * soonest. Of lines that are never used again both evict the lowest way.
 */
static void note(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint)
{
	*word_of(o, set, way) = hint;
}

const struct ml_policy ml_policies[] = {
	{ .name = "lru",
	  .what = "evicts the line that was used longest ago",
	  .recency = true,
	  .oldest = true,
	  .time_bits = 64,
	  .stamps_hit = true,
	  .hit = stamp,
	  .stamps_fill = true,
	  .fill = stamp,
	  .victim = lowest,
	  .key = low_first },
	{ .name = "fifo",
	  .what = "evicts the line that came in first",
	  .oldest = true,
	  .time_bits = 64,
	  .hit = keep,
	  .stamps_fill = true,
	  .fill = stamp,
	  .victim = lowest,
	  .key = low_first },
	{ .name = "mru",
	  .what = "evicts the line that was used last",
	  .time_bits = 64,
	  .stamps_hit = true,
	  .hit = stamp,
	  .stamps_fill = true,
	  .fill = stamp,
	  .victim = highest,
	  .key = high_first },
	{ .name = "random",
	  .what = "evicts any line",
	  .seeded = true,
	  .hit = keep,
	  .fill = keep,
	  .victim = any,
	  .key = by_number },
	{ .name = "plru",
	  .what = "evicts the line that a tree of bits points to",
	  .max = 1,
	  .tree = true,
	  .hit = turn_away,
	  .fill = turn_away,
	  .victim = where_it_points,
	  .key = nodes_pointing },
	{ .name = "nru",
	  .what = "evicts a line that was not used lately",
	  .max = 1,
	  .hit = mark,
	  .fill = mark,
	  .victim = lowest,
	  .key = low_first },
	{ .name = "srrip",
	  .what = "evicts the line whose next use is predicted to be farthest",
	  .max = FAR,
	  .hit = now_near,
	  .fill = come_long,
	  .victim = farthest,
	  .key = high_first },
	{ .name = "brrip",
	  .what = "evicts as srrip, but most new lines are expected to be used late",
	  .max = FAR,
	  .seeded = true,
	  .hit = now_near,
	  .fill = come_far,
	  .victim = farthest,
	  .key = high_first },
	{ .name = "drrip",
	  .what = "evicts as srrip or brrip, whichever of the two misses less",
	  .max = FAR,
	  .seeded = true,
	  .hit = now_near,
	  .fill = come_as_duel_says,
	  .victim = farthest,
	  .key = high_first },
	{ .name = "lfu",
	  .what = "evicts the line that was used least often",
	  .time_bits = LFU_TIME_BITS,
	  .max = LFU_MAX,
	  .hit = count_more,
	  .fill = count_first,
	  .victim = lowest,
	  .key = low_first },
	{ .name = "opt",
	  .what = "evicts the line whose next use is farthest in the future",
	  .future = true,
	  .max = UINT64_MAX,
	  .hit = note,
	  .fill = note,
	  .victim = highest,
	  .key = high_first },
	{ .name = "pes",
	  .what = "evicts the line whose next use is nearest in the future",
	  .future = true,
	  .max = UINT64_MAX,
	  .hit = note,
	  .fill = note,
	  .victim = lowest,
	  .key = low_first },
	{ 0 },
};

const struct ml_policy *ml_policy_find(const char *name)
{
	for (const struct ml_policy *p = ml_policies; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

void ml_order_init(struct ml_order *o, uint32_t sets, uint32_t ways, uint64_t *words,
		   uint64_t seed)
{
	*o = (struct ml_order){ .sets = sets, .ways = ways, .word = words };
	o->random = seed;
	o->duel = DUEL_START;
}

struct ranked {
	uint64_t key;
	uint32_t way;
	bool held;
};

/* The one that leaves last first. */
static int by_leaving(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->held != y->held)
		return x->held ? -1 : 1;
	if (x->held && x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->way > y->way ? -1 : x->way < y->way;
}

void ml_policy_ranks(const struct ml_policy *p, const struct ml_order *o, uint32_t set,
		     const bool *held, uint32_t *rank)
{
	struct ranked *r = ml_resize(NULL, o->ways * sizeof(*r));

	for (uint32_t way = 0; way < o->ways; way++)
		r[way] = (struct ranked){ p->key(o, set, way), way, held[way] };
	qsort(r, o->ways, sizeof(*r), by_leaving);
	for (uint32_t i = 0; i < o->ways; i++)
		rank[r[i].way] = i;
	ml_free(r);
}
