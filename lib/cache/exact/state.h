/*
 * The saved form of an engine, which the exact one writes and reads; others show theirs to
 * an exact one (mirror.h). All words are little-endian. The machine and the columns alone
 * determine the place of each value:
 *
 *	u32 magic, u32 columns, u64 hash of the machine, u64 accesses, u64 gap (0 or 1)
 *	counts of level 0 (L1i), 1 .. levels, TLB 0 ..: struct ml_level_counts as u64s
 *	caches: L1i if the machine is split, levels, TLBs; of each all instances;
 *	    of each instance
 *		u64 state of the random generator, u64 state of the duel
 *		u64 tag of each way of each set: line number + 1, 0 if empty
 *		order of each way: one byte, or eight if the policy needs more
 *		u8 flags of each way (enum ml_cache_flag)
 *		with ML_STATE_OWNERS (not of TLBs): u32 owner, then u64 since, of each way
 *		with ML_STATE_USE (not of TLBs): u64 read, then u64 written, of each way
 *		if it has a prefetcher: its table
 *
 * Where the words of a policy are times, the order of a way is the rank of its time in
 * the set, from 1 for the oldest, so that equal orders are equal bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/machine.h"

enum ml_state_column { ML_STATE_OWNERS = 1, ML_STATE_USE = 2 };

/* The seed of the random generator of an instance. */
uint64_t ml_state_seed(const struct ml_machine *m, unsigned level, uint32_t instance);
