/*
 * Replacement policies: which line of a set is evicted for a new one. A policy sees sets,
 * ways and one hint (when the line is used next). It owns one word for each way and a few
 * words for the level, and never sees addresses. It is asked for a victim only when all
 * ways of a set hold lines.
 *
 * A policy is an entry of the table in policy.c: what a hit and a fill write into the
 * word of a way, and which way is the victim. When a line is removed and none takes its
 * place, the cache sets the word of that way to 0.
 * Held by tests/cache/test_policy.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;

/* The state of a policy for one cache. */
struct ml_order {
	uint32_t sets, ways;
	uint64_t *word;  /* sets * ways */
	uint64_t clock;  /* for policies whose words are times */
	uint64_t random; /* state of the random generator */
	uint64_t duel;   /* for drrip, set dueling: above the middle brrip is winning */
};

enum { ML_DUEL_MAX = 1023 };

struct ml_policy {
	const char *name;
	const char *what; /* for people: "evicts the line that came in first" */
	bool recency;     /* the line that was used longest ago leaves */
	bool oldest;      /* words are times, and the way with the lowest one leaves */
	bool future;      /* needs hints: the next use of each line */
	bool seeded;      /* draws random numbers */
	bool stamps_hit, stamps_fill; /* a hit (a fill) writes the time into the word */
	bool tree;          /* words belong to the set: an emptied way keeps its word */
	unsigned time_bits; /* the low bits of a word that are a time; only their order
			       counts */
	uint64_t max;       /* the highest value of the bits above the time */
	void (*hit)(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint);
	void (*fill)(struct ml_order *o, uint32_t set, uint32_t way, uint64_t hint);
	uint32_t (*victim)(struct ml_order *o, uint32_t set);
	/*
	 * How soon a way is evicted: the way with the highest key is the victim, the
	 * lowest such way if there are several.
	 */
	uint64_t (*key)(const struct ml_order *o, uint32_t set, uint32_t way);
};

extern const struct ml_policy ml_policies[]; /* the last entry is zero */

/* NULL: no policy has this name. */
const struct ml_policy *ml_policy_find(const char *name);

/* The caller owns the words, which are all zero. */
void ml_order_init(struct ml_order *o, uint32_t sets, uint32_t ways, uint64_t *words,
		   uint64_t seed);
/*
 * The order in which the ways of a set would be evicted: rank 0 is the last, the highest
 * rank the next victim (for random: by number of the way, as the victim is not known).
 * held[way] says which ways hold lines; empty ways have the highest ranks, as they are
 * filled first.
 */
void ml_policy_ranks(const struct ml_policy *p, const struct ml_order *o, uint32_t set,
		     const bool *held, uint32_t *rank);

/*
 * Applies a hit and a fill. Most policies write the time, and these do it inline: an
 * indirect call that the processor cannot predict would cost more than all the rest.
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

/* The random generator: the same numbers on every platform (splitmix64). */
uint64_t ml_order_random(struct ml_order *o);

/*
 * The hints of one level whose policy is opt or pes. For each line requested at this
 * level, in order, a hint is the number of the next request of that level for the same
 * line; UINT64_MAX: never again. fill returns the next hints.
 */
struct ml_hints {
	void *arg;
	bool (*fill)(void *arg, const uint64_t **hints, size_t *count,
		     struct ml_err *err);
};
