/*
 * The input of a simulator, and its answer for each access. Accesses are passed in
 * columns, like the references that they come from; kind and size share 16 bits in the
 * same way as there (lib/trace/ref.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum ml_access_kind { ML_ACCESS_READ, ML_ACCESS_WRITE, ML_ACCESS_FETCH };

struct ml_accesses {
	size_t count;
	const uint64_t *addr;
	const uint16_t *what; /* kind << 14 | size in bytes; size 0 counts as 1 */
	const uint16_t *core; /* the core that makes the access; NULL: core 0 makes all */
	const uint32_t *site; /* for prefetchers; may be NULL */
	const uint32_t *owner; /* the region (or another owner) of the data, for
				  observers; may be NULL */
};

enum { ML_LEVELS = 4 }; /* levels of cache of a machine, at most */

/* Why a level missed a line. */
enum ml_cause {
	ML_CAUSE_NONE,     /* the level hit, or was not asked */
	ML_CAUSE_COLD,     /* compulsory: the first request for the line */
	ML_CAUSE_CAPACITY, /* a fully associative LRU cache of this size misses too */
	ML_CAUSE_CONFLICT, /* the fully associative LRU cache hits */
	ML_CAUSE_SHARING,  /* another core wrote bytes of the line that this access wants
			    */
	ML_CAUSE_FALSE_SHARING, /* another core wrote other bytes of the line */
	ML_CAUSE_UNKNOWN, /* the first request for the line, but after a gap in the trace
			   */
	ML_CAUSES
};

extern const char *const ml_cause_names[ML_CAUSES]; /* NULL, "cold", "capacity"... */

/*
 * The outcome of an access in 16 bits. The low four bits hold the level that served it: 1
 * is the first level, levels + 1 is memory. Above them each level has three bits for the
 * cause of its miss. An access that overlaps several lines is served by the farthest
 * level that serves one of them, and has the causes of the first line served from there.
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
