/*
 * Inside the fast LRU simulator: what fast_lru.c and the loops of each instruction set
 * (fast_lru_plain.c, fast_lru_avx2.c, fast_lru_avx512.c, fast_lru_neon.c) share.
 *
 * Accesses are worked on in blocks. A block passes through stages, and each stage
 * runs over the whole block before the next one starts:
 *
 *	lines    accesses become keys, one for each line that an access overlaps
 *	keep     keys that cannot change anything are dropped: those whose line is
 *	         the last one that its set of the first level was asked for
 *	level    each level takes a stream of events and leaves one for the next
 *	         level: lines that it misses, and dirty lines that it evicts
 *
 * The levels can work one after another because a level learns from the levels
 * within only by that stream, and nothing from those outside: write-backs never
 * change what hits (machine.h). While a level works on one event, the sets of
 * events further on are already being fetched by the host.
 *
 * A key is a line number shifted left by one; the lowest bit says write (for the
 * first level), dirty (in a set) or write-back (between levels). In a narrow
 * simulation keys have 32 bits, so that 16 ways fit into one vector: lines are
 * numbered within windows of 4 GiB, and the windows that occur are numbered from 1.
 * When there are too many of them the simulation becomes wide: keys of 64 bits with
 * the highest set. Either way no key is 0, and 0 is an empty way.
 *
 * A set is an array of keys, the most recently used first. Empty ways are at its
 * end. There may be more lanes than ways, to fill vectors; they stay 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/access.h"
#include "lib/cache/machine.h"

enum {
	FAST_LRU_BLOCK = 512, /* accesses; all that a block needs fits the host's L1 */
	FAST_LRU_ROOM =
		2 * FAST_LRU_BLOCK, /* keys of a block; crossing lines makes more keys */
	FAST_LRU_SOME = 32,         /* accesses that become keys together, in plain C */
	FAST_LRU_BACK = 4,          /* earlier keys that `keep` looks at */
	FAST_LRU_SLOTS = 16,        /* of the table of windows */
	FAST_LRU_AHEAD = 24,        /* events between fetching a set and using it */
	FAST_LRU_PAD = 32,          /* elements behind a buffer that may be touched */
	FAST_LRU_WAYS = 1024,       /* the most */
	FAST_LRU_SIZE_MAX = 0x3fff, /* of an access, bytes */
};

#define FAST_LRU_WIDE ((uint64_t)1 << 63) /* set in every wide key */

struct fast_lru_level {
	void *sets;                     /* count * lanes keys, 64-byte aligned */
	uint32_t count;                 /* of sets */
	uint32_t ways, lanes;           /* lanes is 8, 16, 32 or a multiple of 32 */
	uint32_t mask;                  /* count - 1 if that is a power of two, else 0 */
	const uint32_t *turns;          /* how 8 or 16 lanes move (fast_lru.c), or NULL */
	uint64_t inverse;               /* 2^64 / count rounded up, for the remainder */
	uint32_t first[FAST_LRU_SLOTS]; /* set of the first line of each window, by number
					 */
	uint64_t missed[3];             /* demand, by kind */
	uint64_t write_backs;
};

/* Perfect hashing: all windows in use have different slots hi * factor >> 28. */
struct fast_lru_windows {
	uint32_t hi[FAST_LRU_SLOTS];   /* addr >> 32; of a free slot one that belongs
					* elsewhere
					*/
	uint32_t base[FAST_LRU_SLOTS]; /* first key; 0 is free */
	uint32_t factor;
	uint32_t used, limit;
	uint32_t of[FAST_LRU_SLOTS]; /* hi by number, from 1 */
};

/*
 * What one level hands to the next. Each event has a key and the access that it
 * belongs to: `at`, its place in the block and its kind, in such a form that 1 << at
 * counts one of this kind, for a shift looks at the lowest six bits only. Narrow
 * events have both in one word, the key in the lower half.
 */
struct fast_lru_events {
	uint64_t *key;
	uint32_t *at; /* of wide ones */
	size_t count;
	size_t backs; /* of them write-backs */
};

static inline uint32_t fast_lru_at(size_t place, unsigned kind)
{
	return (uint32_t)place << 6 | kind << 4;
}

struct ml_fast_lru {
	const struct fast_lru_ops *ops;
	struct ml_machine machine;
	unsigned levels;
	unsigned shift; /* line size is 1 << shift */
	bool wide;
	struct fast_lru_level level[ML_LEVELS];
	uint64_t asked[3]; /* of the first level */
	uint64_t accesses;
	struct fast_lru_windows windows;
	uint64_t same_set; /* bits of a key that say the set of the first level; 0:
			      unknown */

	/* The block: keys, FAST_LRU_BACK earlier ones before them, and their accesses. */
	uint32_t *narrow_key;
	uint64_t *wide_key;
	uint32_t *at;
	size_t keys;
	/* The accesses of the next block, or what lies behind the last one. */
	const uint64_t *next_addr;
	const uint16_t *next_what;
	struct fast_lru_events stream[2];
	/* Of the events of a level: where the set is, its last way, the lane that hit. */
	uint32_t *offset, *last;
	uint16_t *hit;
	struct ml_arena arena;
};

struct fast_lru_ops {
	/*
	 * Makes keys of accesses from *next on; stops at end, when the block is full,
	 * or at a window for which there is no room: false, and the rest must be wide.
	 */
	bool (*lines)(struct ml_fast_lru *q, const struct ml_accesses *a, size_t *next,
		      size_t end, size_t base);
	/* The keys that the first level must see, into stream[0]. */
	void (*keep)(struct ml_fast_lru *q);
	/*
	 * A level, from 0: takes in, leaves out. What it missed is counted, and written
	 * to served, that of the first access of the block, unless it is NULL.
	 */
	void (*level)(struct ml_fast_lru *q, unsigned level,
		      const struct fast_lru_events *in, struct fast_lru_events *out,
		      uint8_t *served);
};

extern const struct fast_lru_ops ml_fast_lru_ops_plain, ml_fast_lru_ops_avx2,
	ml_fast_lru_ops_avx512, ml_fast_lru_ops_neon;

/* The number of a new window, or false if there are too many. */
bool ml_fast_lru_window_add(struct ml_fast_lru *q, uint32_t hi);
