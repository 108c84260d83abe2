/*
 * The inside of the fast LRU simulator, which fast_lru.c and the loops of each
 * instruction set share (fast_lru_plain.c, fast_lru_avx2.c, fast_lru_avx512.c,
 * fast_lru_neon.c).
 *
 * Accesses are processed in blocks. A block passes through stages, and each stage runs
 * over the whole block before the next one starts:
 *
 *	lines    turns accesses into keys, one for each line that an access overlaps
 *	keep     drops keys that cannot change anything: those whose line is the one
 *	         that was last requested in its set of the first level
 *	level    each level takes a stream of events and leaves one for the next
 *	         level: the lines that it misses, and the dirty lines that it evicts
 *
 * The levels can run one after another, because a level learns of the levels within only
 * by that stream, and nothing of those outside: write-backs never change what hits
 * (machine.h). While a level processes one event, the host already fetches the sets of
 * later events.
 *
 * A key is a line number shifted left by one. The lowest bit means write (in the first
 * level), dirty (in a set) or write-back (between levels). In a narrow simulation keys
 * have 32 bits, so that 16 ways fit into one vector: lines are numbered within windows of
 * 4 GiB, and the windows that occur are numbered from 1. When there are too many windows
 * the simulation becomes wide: keys have 64 bits, the highest of which is set. Either way
 * no key is 0, and 0 is an empty way.
 *
 * A set is an array of keys, the most recently used first, empty ways last. There may be
 * more lanes than ways, to fill vectors; these lanes stay 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/lru/fast_lru_windows.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"

enum {
	FAST_LRU_BLOCK = 512, /* accesses; all data of a block fit the host's L1 */
	FAST_LRU_ROOM = 2 * FAST_LRU_BLOCK, /* keys of a block; an access that crosses
					       lines has several */
	FAST_LRU_SOME = 32,         /* accesses that become keys together, in plain C */
	FAST_LRU_BACK = 4,          /* earlier keys that `keep` compares with */
	FAST_LRU_AHEAD = 24,        /* events between prefetching a set and using it */
	FAST_LRU_PAD = 32,          /* elements behind a buffer that loops may touch */
	FAST_LRU_WAYS = 1024,       /* the most ways that a set may have */
	FAST_LRU_SIZE_MAX = 0x3fff, /* of an access, bytes */
};

#define FAST_LRU_WIDE ((uint64_t)1 << 63) /* this bit is set in every wide key */

struct fast_lru_level {
	void *sets;            /* [count * lanes] keys, 64-byte aligned */
	uint32_t count;        /* number of sets */
	uint32_t ways, lanes;  /* lanes is 8, 16, 32 or a multiple of 32 */
	uint32_t mask;         /* count - 1 if that is a power of two, else 0 */
	const uint32_t *turns; /* how 8 or 16 lanes move (table in fast_lru.c), or NULL */
	uint64_t inverse;      /* 2^64 / count, rounded up, to compute remainders */
	uint32_t first[FAST_LRU_SLOTS]; /* set of the first line of each window, by number
					   of the window */
	uint64_t missed[3];             /* demand misses, by kind */
	uint64_t write_backs;
	uint64_t past; /* write-backs from within that found no copy here */
};

/*
 * The stream from one level to the next. Each event has a key and the access that it
 * belongs to, called `at`: its place in the block and its kind, in such a form that 1 <<
 * at counts one access of this kind, as a shift looks at the lowest six bits only. A
 * narrow event has both in one word, the key in the lower half.
 */
struct fast_lru_events {
	uint64_t *key;
	uint32_t *at; /* of wide events only */
	size_t count;
	size_t backs; /* number of write-backs among them */
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
	uint64_t asked[3]; /* demand requests to the first level */
	uint64_t accesses;
	bool gap; /* for saved states; it tells no causes */
	struct fast_lru_windows windows;
	uint64_t same_set; /* the bits of a key that give the set of the first level; 0:
			      unknown */

	/*
	 * The block: keys, with FAST_LRU_BACK earlier ones before them, and their
	 * accesses.
	 */
	uint32_t *narrow_key;
	uint64_t *wide_key;
	uint32_t *at;
	size_t keys;
	/* The accesses of the next block, or the memory behind the last block. */
	const uint64_t *next_addr;
	const uint16_t *next_what;
	struct fast_lru_events stream[2];
	/*
	 * For each event of a level: offset of its set, its last way, and the lane that
	 * hit.
	 */
	uint32_t *offset, *last;
	uint16_t *hit;
	struct ml_arena arena;
};

struct fast_lru_ops {
	/*
	 * Turns accesses from *next on into keys. Stops at end, or when the block is
	 * full. Returns false at an access to a new window for which there is no room;
	 * the rest must be wide.
	 */
	bool (*lines)(struct ml_fast_lru *q, const struct ml_accesses *a, size_t *next,
		      size_t end, size_t base);
	/* Puts the keys that the first level must see into stream[0]. */
	void (*keep)(struct ml_fast_lru *q);
	/*
	 * Runs a level, from 0: takes `in`, fills `out`. Counts its misses, and writes
	 * them to served unless that is NULL; served belongs to the first access of the
	 * block.
	 */
	void (*level)(struct ml_fast_lru *q, unsigned level,
		      const struct fast_lru_events *in, struct fast_lru_events *out,
		      uint16_t *served);
};

extern const struct fast_lru_ops ml_fast_lru_ops_plain, ml_fast_lru_ops_avx2,
	ml_fast_lru_ops_avx512, ml_fast_lru_ops_neon;

/* Numbers a new window. False: there are too many windows. */
bool ml_fast_lru_window_add(struct ml_fast_lru *q, uint32_t hi);
