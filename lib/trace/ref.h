/*
 * The reference: one access of one thread to memory. References travel in
 * batches, which are columns of equal length; a batch never spans a gap, so a
 * pass may treat its references as consecutive.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum ml_kind { ML_READ, ML_WRITE, ML_FETCH };

/* Kind and size share 16 bits. Recorders split a larger access into several. */
enum { ML_SIZE_MAX = (1 << 14) - 1 };

static inline uint16_t ml_what(enum ml_kind kind, unsigned size)
{
	return (uint16_t)((unsigned)kind << 14 | size);
}

static inline enum ml_kind ml_what_kind(uint16_t what)
{
	return (enum ml_kind)(what >> 14);
}

static inline unsigned ml_what_size(uint16_t what)
{
	return what & ML_SIZE_MAX;
}

enum { ML_NO_SITE = 0 }; /* site 0 is "unknown" in every trace */

struct ml_ref {
	uint64_t time; /* position in the trace, from 0 */
	uint64_t addr;
	uint32_t site;   /* index into the trace's sites */
	uint32_t caller; /* when the site is not in the user's code: the site in the
			    user's code that led to it; else 0 */
	uint16_t thread; /* from 1 */
	uint16_t what;
};

struct ml_batch {
	uint64_t time; /* of the first reference */
	size_t count;
	const uint64_t *addr;
	const uint32_t *site, *caller;
	const uint16_t *thread, *what;
};

static inline struct ml_ref ml_batch_ref(const struct ml_batch *b, size_t i)
{
	return (struct ml_ref){ b->time + i,  b->addr[i],   b->site[i],
				b->caller[i], b->thread[i], b->what[i] };
}
