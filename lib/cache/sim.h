/*
 * The exact simulator of any machine: every policy, write mode, inclusion, split
 * first level, TLBs, prefetchers, coherent cores. It says for each access which
 * level served it and why the others did not, and tells observers what moved.
 * The rules are those of machine.h. fast_lru.h does a part of this several times as
 * fast; both agree, and their saved states are the same.
 *
 *	struct ml_sim *s = ml_sim_open(&machine, ML_SIM_CAUSES, &err);
 *
 *	while (more)
 *		ml_sim_run(s, &accesses, outcomes);
 *	use(ml_sim_counts(s, 1)->misses);
 *	ml_sim_close(s);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/access.h"
#include "lib/cache/machine.h"

struct ml_buf;
struct ml_bytes;
struct ml_sim;

/* What is wanted besides counters and serving levels; each costs time. */
enum {
	ML_SIM_CAUSES = 1, /* causes of misses (needs memory for every line touched) */
	ML_SIM_USE =
		2, /* which bytes of a line were read and written while it was there */
	ML_SIM_MOVES = 4, /* the list of movements of each run */
};

struct ml_level_counts {
	uint64_t asked[3],
		missed[3];         /* by enum ml_access_kind: demand, one for each line */
	uint64_t cause[ML_CAUSES]; /* of those missed */
	uint64_t fills;            /* lines that came in, for whatever reason */
	uint64_t evictions;        /* lines that left to make room */
	uint64_t invalidations;    /* lines taken by another core or an inclusive level */
	uint64_t write_backs;      /* dirty lines that left, or that another core read */
	uint64_t through; /* writes passed on by a write-through or no-allocate level */
	uint64_t through_bytes;
	uint64_t upgrades; /* writes to a line that other cores held too */
	uint64_t prefetched, useful,
		useless; /* lines brought in unasked; used; left unused */
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

/* Fails where the machine asks for something impossible, such as OPT without hints. */
struct ml_sim *ml_sim_open(const struct ml_machine *m, unsigned want, struct ml_err *err);
void ml_sim_close(struct ml_sim *s);
void ml_sim_observe(struct ml_sim *s, const struct ml_observer *o);

/*
 * The hints of one level whose policy wants the next use (opt, pes): for each line
 * asked for at this level, in order, the position in that level's requests at which
 * the same line is asked for next, UINT64_MAX for never. fill yields the next ones.
 */
struct ml_hints {
	void *arg;
	bool (*fill)(void *arg, const uint64_t **hints, size_t *count,
		     struct ml_err *err);
};
void ml_sim_hints(struct ml_sim *s, unsigned level, const struct ml_hints *h);

/* outcome may be NULL. Fails only when hints do. */
bool ml_sim_run(struct ml_sim *s, const struct ml_accesses *a, uint16_t *outcome,
		struct ml_err *err);
/* References are missing here: what is first seen from now on may have been there. */
void ml_sim_gap(struct ml_sim *s);
/* Tells the observer of all lines that are still there, as if they left; changes nothing.
 */
void ml_sim_flush(struct ml_sim *s);

/* Of all instances of a level together; level 0 is L1i. */
const struct ml_level_counts *ml_sim_counts(const struct ml_sim *s, unsigned level);
const struct ml_level_counts *ml_sim_tlb_counts(const struct ml_sim *s, unsigned tlb);
uint64_t ml_sim_accesses(const struct ml_sim *s); /* so far */
uint64_t ml_sim_requests(const struct ml_sim *s,
			 unsigned level); /* lines asked for so far */

/* The movements of the last run, in order; with ML_SIM_MOVES. */
const struct ml_move *ml_sim_moves(const struct ml_sim *s, size_t *count);

/* What a level holds now, for views: one entry for each way of one set. */
struct ml_sim_slot {
	uint64_t line; /* address, or ML_NO_LINE */
	uint32_t rank; /* 0 leaves last; the highest is the next victim */
	uint32_t owner;
	uint64_t since; /* access that brought it in; if anything is wanted */
	bool dirty, prefetched;
	char state; /* M, E, S or I where cores are coherent, else 0 */
};
#define ML_NO_LINE UINT64_MAX
void ml_sim_set(const struct ml_sim *s, unsigned level, unsigned core, uint32_t set,
		struct ml_sim_slot *slots);

/*
 * The whole state: contents, order, dirty bits, policy bytes, counters. Saving is
 * deterministic: equal states give equal bytes, at fixed places, so that two saved
 * states differ where the states do (checkpoints are stored as differences).
 * What ML_SIM_CAUSES remembers of every line is not in it: after a restore causes
 * are UNKNOWN for lines that the state does not hold; results keep them (result.h).
 * state.h describes the bytes.
 */
void ml_sim_save(const struct ml_sim *s, struct ml_buf *out);
/*
 * Goes on from a state of the same machine, saved with whatever wants. Fails on bytes
 * that no simulator wrote; s is empty then.
 */
bool ml_sim_restore(struct ml_sim *s, struct ml_bytes *in, struct ml_err *err);
