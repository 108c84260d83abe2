/*
 * What a simulator is fed and what it says of each access. Accesses travel in
 * columns, like the references that they come from: kind and size share 16 bits
 * in the same way (lib/trace/ref.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum ml_access_kind { ML_ACCESS_READ, ML_ACCESS_WRITE, ML_ACCESS_FETCH };

struct ml_accesses {
	size_t count;
	const uint64_t *addr;
	const uint16_t *what;  /* kind << 14 | size in bytes; size 0 counts as 1 */
	const uint16_t *core;  /* who; NULL: core 0 makes all of them */
	const uint32_t *site;  /* for prefetchers; may be NULL */
	const uint32_t *owner; /* whose data, for observers (a region); may be NULL */
};

enum { ML_LEVELS = 4 }; /* of caches, at the most */

/* Why a level did not have a line. */
enum ml_cause {
	ML_CAUSE_NONE,          /* it had it, or was not asked */
	ML_CAUSE_COLD,          /* asked for the first time */
	ML_CAUSE_CAPACITY,      /* a fully associative LRU of this size would not have it
				   either */
	ML_CAUSE_CONFLICT,      /* that one would have it */
	ML_CAUSE_SHARING,       /* another core wrote bytes of it that are wanted here */
	ML_CAUSE_FALSE_SHARING, /* another core wrote other bytes of it */
	ML_CAUSE_UNKNOWN,       /* first seen, but after a gap in the trace */
	ML_CAUSES
};

extern const char *const ml_cause_names[ML_CAUSES]; /* NULL, "cold", "capacity"... */

/*
 * The outcome of an access in 16 bits: the level that served it in the low four
 * (1 is the first, levels + 1 is memory), above it three bits a level for the
 * cause of its miss. An access that overlaps several lines is served by the
 * farthest, and has the causes of the first line that was served from there.
 */
static inline unsigned ml_outcome_served(uint16_t outcome)
{
	return outcome & 15;
}

/* Level counts from 1. */
static inline enum ml_cause ml_outcome_cause(uint16_t outcome, unsigned level)
{
	return (enum ml_cause)(outcome >> (1 + 3 * level) & 7);
}

static inline uint16_t ml_outcome_with(uint16_t outcome, unsigned level,
				       enum ml_cause cause)
{
	return (uint16_t)(outcome | (unsigned)cause << (1 + 3 * level));
}
