/*
 * What a simulator tells besides counters and serving levels: the movements of lines,
 * for views, and an observer's events, for passes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/access.h"

/* What is wanted besides counters and serving levels; each costs time. */
enum {
	ML_SIM_CAUSES = 1, /* causes of misses (needs memory for every line touched) */
	ML_SIM_USE =
		2, /* which bytes of a line were read and written while it was there */
	ML_SIM_MOVES = 4, /* the list of movements of each run */
};

enum ml_move_kind {
	ML_MOVE_FILL,       /* a copy of the line came from `from` to `to` */
	ML_MOVE_HIT,        /* it was in `to` and moved in the order of its set */
	ML_MOVE_EVICT,      /* it left `from`: to make room; clean data are dropped */
	ML_MOVE_WRITE_BACK, /* it left `from` dirty; `to` took the data */
	ML_MOVE_THROUGH,    /* a write passed from `from` to `to` */
	ML_MOVE_INVALIDATE, /* it left `from` because of another core or an inclusive
			       level */
	ML_MOVE_TRANSFER,   /* core `other` gave the data up to level `to` */
	ML_MOVE_PREFETCH,   /* a fill that nobody asked for */
};

struct ml_move {
	uint64_t line;   /* address of its first byte */
	uint32_t access; /* index in the batch */
	uint32_t set;    /* of the level that is concerned: `to` of what comes, `from` of
			    what leaves */
	uint16_t way;    /* there */
	uint8_t kind;
	uint8_t from, to; /* levels from 1, levels + 1 is memory, 0 is L1i */
	uint8_t core;     /* whose cache it is (the first of those who share it); of a
			     TRANSFER the core that asked */
	uint8_t other;    /* the core whose access did it; of a TRANSFER who gave up */
};

/* One line asked for at one level, and not there. */
struct ml_miss {
	unsigned level; /* from 1; 0 is L1i */
	unsigned core;
	uint32_t access, set;
	uint64_t line;
	enum ml_access_kind kind;
	enum ml_cause cause; /* with ML_SIM_CAUSES */
	uint32_t owner;      /* of the access */
	uint32_t evictor;    /* owner of the line that drove it out the last time, or
				ML_NO_OWNER; with ML_SIM_CAUSES */
};

#define ML_NO_OWNER UINT32_MAX

/* One line that leaves a level for whatever reason (also at ml_sim_flush). */
struct ml_leave {
	unsigned level, core; /* 0 is L1i; the first of the cores that share it */
	uint32_t set;
	uint64_t line;
	uint32_t owner;    /* of the access that brought it in; if anything is wanted */
	bool dirty, asked; /* asked: a demand touched it; false: prefetched in vain */
	bool write_first;  /* the access that brought it in was a write */
	/*
	 * Bytes of it that were read and written while it was there, one bit for each
	 * line/64 bytes (or byte, where lines are shorter). Leaving an inner level adds
	 * them to the copy further out, so those of the last level tell what was used
	 * of what memory gave. With ML_SIM_USE.
	 */
	uint64_t read, written;
};

/* A line that one core took from another, by writing or by reading what it wrote. */
struct ml_bounce {
	uint64_t line;
	unsigned from, to; /* cores */
	uint32_t access;
	bool write;
	enum ml_cause
		cause; /* SHARING or FALSE_SHARING when `to` had it before, else NONE */
};

struct ml_observer {
	void *arg;
	void (*miss)(void *arg, const struct ml_miss *m); /* any may be NULL */
	void (*leave)(void *arg, const struct ml_leave *l);
	void (*bounce)(void *arg, const struct ml_bounce *b);
};
