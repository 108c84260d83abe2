/*
 * The LRU simulator that explains (explain_lru.c), for plain machines: no level knows
 * what happens in the levels behind it, so levels are simulated one after the other, each
 * for a whole run of accesses. A level reads a list of events from the level within: the
 * lines that are requested there, and the lines that leave it. It writes such a list for
 * the next level outwards. Each level is one tight loop that knows its events ahead of
 * time.
 *
 * Only explain_lru.c uses this module. It adds up events (event_sums.h) and tells no
 * observer of single ones, because events of different levels come out of order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"

struct chain_events;
struct chain_lru_ops;
struct ml_chain_lru;
struct ml_event_sums;
struct ml_sim;

/* Whether the machine, which explain_lru.c takes, is a plain one. */
bool ml_chain_lru_takes(const struct ml_machine *m);
/*
 * The machine outlives the simulator. Misses and leaving lines are added to sums.
 * hurried: as in struct ml_engine_job.
 */
struct ml_chain_lru *ml_chain_lru_open(const struct ml_machine *m,
				       const struct chain_lru_ops *ops,
				       struct ml_event_sums *sums, bool hurried);
void ml_chain_lru_close(struct ml_chain_lru *x);
/*
 * A run of accesses goes through stages (engine.h): the first level; its causes; and
 * each further level.
 */
unsigned ml_chain_lru_stages(const struct ml_chain_lru *x);
void ml_chain_lru_stage(struct ml_chain_lru *x, unsigned stage,
			const struct ml_accesses *a, struct chain_events *events,
			uint16_t *outcome);
void ml_chain_events_release(struct chain_events *e);
void ml_chain_lru_gap(struct ml_chain_lru *x);
/* Adds all lines that are still cached to the sums. */
void ml_chain_lru_flush(struct ml_chain_lru *x);
/* Sets *to to the counters of a level, from 1. */
void ml_chain_lru_counts(const struct ml_chain_lru *x, unsigned level,
			 struct ml_level_counts *to);
/* Puts the lines and their order into a simulator of the same machine. */
void ml_chain_lru_show(const struct ml_chain_lru *x, struct ml_sim *to);
