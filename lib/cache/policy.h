/*
 * Replacement policies: which line of a set leaves when another must come in. A
 * policy sees sets, ways and one hint (when the line is asked for next); it owns a
 * word for each way and a few for the level, and never sees addresses. It is asked
 * for a victim only when all ways of a set hold lines.
 *
 * A policy is a line of the table in policy.c: what a hit and a fill write into the
 * word of a way, and which way leaves. When a line leaves and none takes its place,
 * the cache sets the word of that way to 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The words that a policy owns of one cache. */
struct ml_order {
	uint32_t sets, ways;
	uint64_t *word;  /* sets * ways */
	uint64_t clock;  /* of the policies whose words are times */
	uint64_t random; /* state of the generator */
	uint64_t duel;   /* of drrip: above the middle, brrip is winning */
};

enum { ML_DUEL_MOST = 1023 };

struct ml_policy {
	const char *name;
	const char *what; /* for people: "evicts the line that came in first" */
	bool future;      /* wants hints: knows when a line is asked for next */
	bool seeded;      /* draws random numbers */
	bool stamps_hit, stamps_fill; /* hit, fill: the word becomes the time */
	bool tree;          /* words belong to the set: a way that is emptied keeps its */
	unsigned time_bits; /* low bits of a word that are a time: only their order counts
			     */
	uint64_t most;      /* the highest value of a word above its time */
	void (*hit)(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint);
	void (*fill)(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint);
	uint32_t (*victim)(struct ml_order *o, uint32_t set);
	/* How soon a way leaves: the highest is the victim, the lowest way of several. */
	uint64_t (*key)(const struct ml_order *o, uint32_t set, uint32_t way);
};

extern const struct ml_policy ml_policies[]; /* ends with a zero one */

/* NULL if there is none of this name. */
const struct ml_policy *ml_policy_find(const char *name);

/* The words are the caller's and are all zero. */
void ml_order_init(struct ml_order *o, uint32_t sets, uint32_t ways, uint64_t *words,
		   uint64_t seed);
/*
 * The order in which the ways of a set leave: rank 0 is the last, the highest the
 * next victim (of random: by number of way, as nobody knows). held[way] says which
 * hold lines; empty ways have the highest ranks, as they are used first.
 */
void ml_policy_ranks(const struct ml_policy *p, const struct ml_order *o, uint32_t set,
		     const bool *held, uint32_t *rank);

/*
 * What a policy does at a hit and at a fill. Most write the time, and do it here: a
 * call that cannot be foreseen would cost more than all the rest.
 */
static inline void ml_policy_hit(const struct ml_policy *p, struct ml_order *o,
				 uint32_t set, uint32_t way, uint64_t hint)
{
	if (p->stamps_hit)
		o->word[(uint64_t)set * o->ways + way] = ++o->clock;
	else
		p->hit(o, set, way, hint);
}

static inline void ml_policy_fill(const struct ml_policy *p, struct ml_order *o,
				  uint32_t set, uint32_t way, uint64_t hint)
{
	if (p->stamps_fill)
		o->word[(uint64_t)set * o->ways + way] = ++o->clock;
	else
		p->fill(o, set, way, hint);
}

/* The generator: the same numbers on every platform (splitmix64). */
uint64_t ml_order_random(struct ml_order *o);
