/*
 * What a simulator can report besides counters and serving levels: the movements of
 * lines, for views, and the events of an observer, for passes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/access.h"

/* Options of a simulator, beyond counters and serving levels. Each costs time. */
enum {
	ML_SIM_CAUSES = 1, /* causes of misses; takes memory for every line touched */
	ML_SIM_USE = 2, /* the bytes of each line that are read and written while a level
			   holds it */
	ML_SIM_MOVES = 4, /* the list of movements of each run */
};

enum ml_move_kind {
	ML_MOVE_FILL, /* a copy of the line came from level `from` to level `to` */
	ML_MOVE_HIT, /* level `to` holds the line; the policy moved it in the order of its
			set */
	ML_MOVE_EVICT, /* the line left `from` to make room; it was clean, so its data are
			  dropped */
	ML_MOVE_WRITE_BACK, /* the line left `from` dirty; `to` took its data */
	ML_MOVE_THROUGH,    /* a write passed from `from` to `to` */
	ML_MOVE_INVALIDATE, /* the line left `from` because of another core or of an
			       inclusive level */
	ML_MOVE_TRANSFER,   /* core `other` gave the data up to level `to` */
	ML_MOVE_PREFETCH,   /* a fill that a prefetcher asked for */
};

struct ml_move {
	uint64_t line;   /* address of its first byte */
	uint32_t access; /* index in the batch */
	uint32_t set;    /* the set in `to` of a line that comes, in `from` of a line that
			    leaves */
	uint32_t way;    /* its way in that set */
	uint8_t kind;
	uint8_t from, to; /* levels from 1, levels + 1 is memory, 0 is L1i */
	uint8_t core;  /* the core of that cache (the first of those that share it); of a
			  TRANSFER the core that asks */
	uint8_t other; /* the core whose access caused the movement; of a TRANSFER the
			  core that gives the data up */
};

/* A request for a line that one level missed. */
struct ml_miss {
	unsigned level; /* from 1; 0 is L1i */
	unsigned core;
	uint32_t access, set;
	uint64_t line;
	enum ml_access_kind kind;
	enum ml_cause cause; /* with ML_SIM_CAUSES */
	uint32_t owner;      /* of the access */
	uint32_t evictor; /* owner of the line that last evicted this one, or ML_NO_OWNER;
			     with ML_SIM_CAUSES */
};

#define ML_NO_OWNER UINT32_MAX

/* A line that leaves a level, for any reason (also in ml_sim_flush). */
struct ml_leave {
	unsigned level, core; /* level 0 is L1i; core is the first of those that share the
				 cache */
	uint32_t set;
	uint64_t line;
	uint32_t owner;    /* of the access that filled the line; needs any option */
	bool dirty, asked; /* asked is false for a prefetched line that no demand used */
	bool write_first;  /* the access that filled the line was a write */
	/*
	 * The bytes of the line that were read and written while the level held it, one
	 * bit for each line/64 bytes (or each byte of a shorter line). When an inner
	 * level drops a line, it adds its bits to the copy further out. So the bits of
	 * the last level tell which of the bytes that memory delivered were used, but for
	 * those that a level within has used and holds still: where a level that is not
	 * inclusive drops a line first, no copy is left to which they could be added.
	 * With ML_SIM_USE.
	 */
	uint64_t read, written;
};

/*
 * A line that one core took from another, by writing it or by reading data that the other
 * core wrote.
 */
struct ml_bounce {
	uint64_t line;
	unsigned from, to; /* cores */
	uint32_t access;
	bool write;
	enum ml_cause cause; /* SHARING or FALSE_SHARING if `to` held the line before,
				else NONE */
};

/*
 * A page of an access that the first TLB does not know, or that is not the first page of
 * the access. All other accesses are found in the first TLB.
 */
struct ml_page {
	uint32_t access;
	unsigned core;
	unsigned tlb; /* the TLB that knows the page, from 0; behind the last: a walk */
	bool more;    /* not the first page of its access */
};

struct ml_observer {
	void *arg;
	void (*miss)(void *arg, const struct ml_miss *m); /* each function may be NULL */
	void (*leave)(void *arg, const struct ml_leave *l);
	void (*bounce)(void *arg, const struct ml_bounce *b);
	void (*page)(void *arg, const struct ml_page *p);
};

/* One way of a set, for views. */
struct ml_cached_way {
	uint64_t line; /* address, or ML_NO_LINE */
	uint32_t rank; /* 0 is evicted last; the highest rank is the next victim */
	uint32_t owner;
	uint64_t since; /* the access that filled the line; needs any option */
	bool dirty, prefetched;
	char state; /* M, E, S or I where cores are coherent, else 0 */
};
#define ML_NO_LINE UINT64_MAX
