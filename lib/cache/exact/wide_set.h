/*
 * A set with very many ways, as a fully associative cache has: where a line is, which way
 * is empty and which line is the oldest, without looking at all ways. level.c uses this
 * for caches of one set; the way that a line gets is the same as without it.
 * Held by tests/cache/test_wide_set.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;

enum { ML_WIDE_SET = 4096 }; /* ways from which on a set has one of these */

struct ml_wide_set {
	uint32_t ways;
	const uint64_t *tags; /* of the cache: line + 1, 0: empty */
	uint32_t *slot;       /* way + 1 by hash of the line; 0: free */
	size_t mask;          /* slots - 1, a power of two and twice the ways at least */
	uint32_t lowest;      /* no way below is empty */
	/* Some ways with the least words when they were collected, the least first. */
	struct ml_wide_old {
		uint64_t word;
		uint32_t way;
	} * old;
	uint32_t old_at, old_count;
};

struct ml_wide_set *ml_wide_set_make(uint32_t ways, const uint64_t *tags,
				     struct ml_arena *a);
/* The way of a line, or UINT32_MAX. */
uint32_t ml_wide_set_find(const struct ml_wide_set *w, uint64_t line);
/* A line came into a way, or leaves it; the tag is that of the line. */
void ml_wide_set_put(struct ml_wide_set *w, uint64_t line, uint32_t way);
void ml_wide_set_drop(struct ml_wide_set *w, uint64_t line, uint32_t way);
/* The lowest empty way; there is one. */
uint32_t ml_wide_set_empty(struct ml_wide_set *w);
/*
 * The way with the least word, for policies whose words are times: a word only ever gets
 * larger. All ways hold lines.
 */
uint32_t ml_wide_set_oldest(struct ml_wide_set *w, const uint64_t *word);
/* Forgets everything. */
void ml_wide_set_clear(struct ml_wide_set *w);
