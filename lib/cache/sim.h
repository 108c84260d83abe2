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
#include "lib/cache/level_counts.h"
#include "lib/cache/machine.h"
#include "lib/cache/observer.h"
#include "lib/cache/policy.h"

struct ml_buf;
struct ml_bytes;
struct ml_sim;

/* Fails where the machine asks for something impossible, such as OPT without hints. */
struct ml_sim *ml_sim_open(const struct ml_machine *m, unsigned want, struct ml_err *err);
void ml_sim_close(struct ml_sim *s);
void ml_sim_observe(struct ml_sim *s, const struct ml_observer *o);

/* The hints of a level whose policy wants them; policy.h. */
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
