/*
 * Sums of the events of a simulator: misses by set and by pairs of owners, leaving lines
 * by level and owner. Millions of events a second go in, so both functions are inline and
 * find the row of an event by a hint.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"

struct ml_set_sum {
	uint64_t missed, conflict;
	uint64_t lines; /* lines that left */
};

/* Lines of one owner that left a level. Bytes are bits of use masks. */
struct ml_use_sum {
	uint32_t owner, pad;
	uint64_t lines, used, read, written;
	uint64_t write_first, never_read, in_vain; /* as in struct ml_profile_use */
};

/* Misses of `loser` in a level after `winner` had evicted its lines. */
struct ml_pair_sum {
	uint32_t loser, winner;
	uint64_t conflict, capacity;
};

enum { ML_SUM_HINTS = 64 };

/* The sums of one level. Rows are in the order in which they were met. */
struct ml_level_sums {
	struct ml_set_sum *set; /* by set; NULL: not wanted */
	bool use_wanted;
	struct ml_use_sum *uses;
	size_t use_count, use_cap;
	struct ml_pair_sum *pairs;
	size_t pair_count, pair_cap;
	uint32_t use_hint[ML_SUM_HINTS], pair_hint[ML_SUM_HINTS]; /* rows + 1 */
	struct ml_map use_row, pair_row;
};

/* Different threads may add the events of different levels. */
struct ml_event_sums {
	struct ml_level_sums level[ML_LEVELS + 1];
	bool open;
};

/* Zero bytes are closed. want: of the simulator (observer.h). Opens it once. */
void ml_event_sums_open(struct ml_event_sums *s, const struct ml_machine *m,
			unsigned want);
void ml_event_sums_release(struct ml_event_sums *s);

/* Finds or adds a row, and sets its hint. */
struct ml_use_sum *ml_level_sums_use(struct ml_level_sums *l, uint32_t owner);
struct ml_pair_sum *ml_level_sums_pair(struct ml_level_sums *l, uint32_t loser,
				       uint32_t winner);

static inline uint32_t ml_event_sums_pair_hint(uint32_t loser, uint32_t winner)
{
	return (loser * 5 + winner) % ML_SUM_HINTS;
}

/* Fetches what a miss in a set will need into the host's caches. */
static inline void ml_event_sums_fetch(const struct ml_event_sums *sums, unsigned level,
				       uint32_t set)
{
	if (sums->level[level].set)
		__builtin_prefetch(&sums->level[level].set[set], 1);
}

static inline void ml_event_sums_miss(struct ml_event_sums *sums, unsigned level,
				      uint32_t set, enum ml_cause cause, uint32_t owner,
				      uint32_t evictor)
{
	struct ml_level_sums *s = &sums->level[level];
	bool conflict = cause == ML_CAUSE_CONFLICT;

	if (s->set) {
		s->set[set].missed++;
		s->set[set].conflict += conflict;
	}
	if (evictor == ML_NO_OWNER || (!conflict && cause != ML_CAUSE_CAPACITY))
		return;
	uint32_t row = s->pair_hint[ml_event_sums_pair_hint(owner, evictor)];
	struct ml_pair_sum *p = row ? &s->pairs[row - 1] : NULL;

	if (!p || p->loser != owner || p->winner != evictor)
		p = ml_level_sums_pair(s, owner, evictor);
	p->conflict += conflict;
	p->capacity += !conflict;
}

static inline void ml_event_sums_leave(struct ml_event_sums *sums,
				       const struct ml_leave *l)
{
	struct ml_level_sums *s = &sums->level[l->level];

	if (s->set)
		s->set[l->set].lines++;
	if (!s->use_wanted)
		return;
	uint32_t row = s->use_hint[l->owner % ML_SUM_HINTS];
	struct ml_use_sum *u = row ? &s->uses[row - 1] : NULL;

	if (!u || u->owner != l->owner)
		u = ml_level_sums_use(s, l->owner);
	u->lines++;
	u->used += (uint64_t)__builtin_popcountll(l->read | l->written);
	u->read += (uint64_t)__builtin_popcountll(l->read);
	u->written += (uint64_t)__builtin_popcountll(l->written);
	u->write_first += l->write_first;
	u->never_read += l->write_first && !l->read;
	u->in_vain += !l->asked;
}
