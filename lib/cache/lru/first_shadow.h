/*
 * The shadow (shadow.h) of a first-level cache. It sees every access, so it must be cheap
 * for hits: the time of the last request for a line that the cache holds stands beside
 * the line, where it is the order of the ways too. Only lines that the shadow holds and
 * the cache does not (ghosts) are kept here, in a hash table by number of the line.
 *
 * Times are small: when they run out, the caller numbers all of them anew
 * (ml_first_shadow_renumber).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

#define ML_NO_WAY UINT32_MAX /* the time of a lane that is no way */

struct ml_ghost {
	uint32_t number; /* of the line; 0: an empty slot */
	uint32_t time;   /* 0: no longer a ghost */
};

struct ml_first_shadow {
	uint8_t *live; /* by time: 1 if the request is the last one for its line */
	uint32_t room; /* number of times */
	uint32_t begin, clock; /* lines with times from begin on are in the shadow */
	uint32_t lines, listed;
	struct ml_ghost *ghosts; /* [ghost_mask + 1] */
	uint32_t ghost_mask, ghosts_used;
};

void ml_first_shadow_init(struct ml_first_shadow *s, size_t lines, struct ml_arena *a);
/*
 * Numbers all times anew, in the same order: those of ghosts, and `count` times of lines
 * in the cache. 0 and ML_NO_WAY stay.
 */
void ml_first_shadow_renumber(struct ml_first_shadow *s, uint32_t *times, size_t count);

/* An access takes at most this many times; renumber if there are fewer. */
static inline bool ml_first_shadow_full(const struct ml_first_shadow *s, uint32_t need)
{
	return s->room - s->clock <= need;
}

/*
 * Takes a demand. last is the time of the last request for the line, or 0. Sets *time to
 * that of this one, and returns whether the shadow held the line.
 */
static inline bool ml_first_shadow_ask(struct ml_first_shadow *s, uint32_t last,
				       uint32_t *time)
{
	uint32_t now = ++s->clock;

	*time = now;
	s->live[now] = 1;
	if (last >= s->begin) {
		s->live[last] = 0;
		return true;
	}
	if (s->listed < s->lines) {
		s->listed++;
		return false;
	}
	while (!s->live[s->begin])
		s->begin++;
	s->live[s->begin++] = 0;
	return false;
}

/* A time for a line that comes without a demand: it orders ways, and is in no shadow. */
static inline uint32_t ml_first_shadow_tick(struct ml_first_shadow *s)
{
	s->live[++s->clock] = 0;
	return s->clock;
}

/* A line of this time leaves the cache. */
void ml_first_shadow_leave(struct ml_first_shadow *s, uint32_t number, uint32_t time);

static inline uint32_t ml_ghost_hash(const struct ml_first_shadow *s, uint32_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 40) & s->ghost_mask;
}

/* The time of a line that the cache does not hold, or 0. It is a ghost no longer. */
static inline uint32_t ml_first_shadow_take(struct ml_first_shadow *s, uint32_t number)
{
	uint32_t i = ml_ghost_hash(s, number), time;

	while (s->ghosts[i].number && s->ghosts[i].number != number)
		i = (i + 1) & s->ghost_mask;
	if (!s->ghosts[i].number)
		return 0;
	time = s->ghosts[i].time;
	s->ghosts[i].time = 0;
	return time >= s->begin ? time : 0;
}
