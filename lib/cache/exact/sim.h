/*
 * The exact simulator of any machine: every policy, write mode and inclusion, a split
 * first level, TLBs, prefetchers, coherent cores. It returns for each access the level
 * that served it and the causes of the misses, and reports movements to an observer. The
 * rules are those of machine.h. Other engines (engine.h) simulate some machines several
 * times as fast.
 *
 *	struct ml_sim *s = ml_sim_open(&machine, ML_SIM_CAUSES, &err);
 *
 *	while (more)
 *		ml_sim_run(s, &accesses, outcomes, &err);
 *	use(ml_sim_counts(s, 1)->missed[ML_ACCESS_READ]);
 *	ml_sim_close(s);
 *
 * Held by tests/cache/test_sim.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"
#include "lib/cache/machine/policy.h"

struct ml_buf;
struct ml_bytes;
struct ml_sim;

/*
 * Fails on a machine that cannot be simulated. want is a sum of ML_SIM_CAUSES and so on
 * (observer.h).
 */
struct ml_sim *ml_sim_open(const struct ml_machine *m, unsigned want, struct ml_err *err);
void ml_sim_close(struct ml_sim *s);
void ml_sim_observe(struct ml_sim *s, const struct ml_observer *o);

/*
 * Gives a level with opt or pes its hints (policy.h). The caller keeps what h->arg points
 * to.
 */
void ml_sim_hints(struct ml_sim *s, unsigned level, const struct ml_hints *h);

/* outcome may be NULL. Fails only if the hints do. */
bool ml_sim_run(struct ml_sim *s, const struct ml_accesses *a, uint16_t *outcome,
		struct ml_err *err);
/*
 * Accesses are missing here: after this the first request for a line is no longer known
 * to be a cold miss.
 */
void ml_sim_gap(struct ml_sim *s);
/*
 * Reports all lines that the caches still hold to the observer, as if they left. The
 * state stays as it is.
 */
void ml_sim_flush(struct ml_sim *s);

/* The counters of all instances of a level together; level 0 is L1i. */
const struct ml_level_counts *ml_sim_counts(const struct ml_sim *s, unsigned level);
const struct ml_level_counts *ml_sim_tlb_counts(const struct ml_sim *s, unsigned tlb);

/* The movements of the last run, in order; with ML_SIM_MOVES. */
const struct ml_move *ml_sim_moves(const struct ml_sim *s, size_t *count);

void ml_sim_set(const struct ml_sim *s, unsigned level, unsigned core, uint32_t set,
		struct ml_cached_way *slots);

/*
 * Saves the whole state: contents, order, dirty bits, policy words, counters. Equal
 * states give equal bytes, at fixed places, so that two saved states differ only where
 * the states do (checkpoints are stored as differences). What ML_SIM_CAUSES remembers of
 * every line is not saved: after a restore, the misses of lines that the state does not
 * hold have the cause UNKNOWN. Result files keep the causes (result.h). state.h describes
 * the bytes.
 */
void ml_sim_save(const struct ml_sim *s, struct ml_buf *out);
/*
 * Restores a state of the same machine, saved with any options. Fails on bytes that no
 * simulator wrote; s is empty then.
 */
bool ml_sim_restore(struct ml_sim *s, struct ml_bytes *in, struct ml_err *err);
/*
 * Gives a simulator the state of another one of the same machine and the same options,
 * several times as fast as saving and restoring. Not with ML_SIM_CAUSES.
 */
void ml_sim_copy(struct ml_sim *to, const struct ml_sim *from);
