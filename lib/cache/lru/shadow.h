/*
 * A fully associative LRU cache that sees the demands of one simulated cache, to tell the
 * causes of its misses: a miss of a line that the shadow holds is a conflict, any other
 * is cold or capacity.
 *
 * A shadow is a log of requests with a time each. The caller keeps the time of the last
 * request for each line (line_book.h); a line is in the shadow if that time is at least
 * `begin`. The log has the number of the line at the time of its last request, and 0 at
 * earlier ones, so the oldest line is found by reading the log in order. No request
 * touches the record of any line but its own.
 *
 * The log is a ring. When the window from begin to end fills it, all lines in the shadow
 * are written again behind the end, with new times in the same order. Times that others
 * keep of lines no longer in the shadow stay below begin. When times become too large,
 * all of them are lowered.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cache/lru/line_book.h"
#include "lib/cache/lru/line_records.h"

enum { ML_SHADOW_NEVER, ML_SHADOW_LOST, ML_SHADOW_FIRST };

#define ML_SHADOW_SEEN (1u << 31) /* a bit of the caller's in each stored time */

enum ml_shadow_answer { ML_SHADOW_NEW, ML_SHADOW_HAS, ML_SHADOW_GONE };

struct ml_shadow {
	uint32_t *log; /* [mask + 1] */
	uint32_t mask, begin, end;
	uint32_t lines, listed; /* lines that it holds at most, and now */
	uint32_t limit;         /* times stay below */
	struct ml_line_records *records;
	unsigned k; /* which time of a record is that of this shadow */
};

void ml_shadow_init(struct ml_shadow *s, size_t lines, struct ml_line_records *records,
		    unsigned k, struct ml_arena *a);
/* The log is full: makes room. */
void ml_shadow_tidy(struct ml_shadow *s);

/* Fetches what ml_shadow_ask will need into the host's caches. */
static inline void ml_shadow_fetch(const struct ml_shadow *s, const uint8_t *record)
{
	__builtin_prefetch(&s->log[ml_line_time(record, s->k) & s->mask], 1);
}

/* Takes a demand for the line with this number and record. It is the newest then. */
static inline enum ml_shadow_answer ml_shadow_ask(struct ml_shadow *s, uint32_t number,
						  uint8_t *record)
{
	uint32_t stored = ml_line_time(record, s->k), last = stored & ~ML_SHADOW_SEEN;

	if (last == s->end - 1 && last >= ML_SHADOW_FIRST)
		return ML_SHADOW_HAS;
	if (s->end - s->begin > s->mask) {
		ml_shadow_tidy(s);
		stored = ml_line_time(record, s->k);
		last = stored & ~ML_SHADOW_SEEN;
	}
	s->log[s->end & s->mask] = number;
	ml_line_set_time(record, s->k, s->end++ | (stored & ML_SHADOW_SEEN));
	if (last >= s->begin) {
		s->log[last & s->mask] = 0;
		return ML_SHADOW_HAS;
	}
	if (s->listed < s->lines) {
		s->listed++;
	} else {
		while (!s->log[s->begin & s->mask])
			s->begin++;
		s->begin++;
	}
	return last == ML_SHADOW_NEVER ? ML_SHADOW_NEW : ML_SHADOW_GONE;
}
