/*
 * The TLBs of each core, all lru: which of them knows the pages of each data access. It
 * agrees with the TLBs of sim.h and is much faster, as a large set is a list
 * (lru_list.h); tests/cache/test_engine.c compares them. Fetches are not translated.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/access.h"
#include "lib/cache/machine/level_counts.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/observer.h"

struct ml_sim;
struct ml_tlb_lru;

/* NULL, or the reason why these TLBs need ml_sim ("a TLB is not lru"). */
const char *ml_tlb_lru_refuses(const struct ml_machine *m);
/* The machine has TLBs and they are not refused. causes: counts have those of misses. */
struct ml_tlb_lru *ml_tlb_lru_open(const struct ml_machine *m, bool causes);
void ml_tlb_lru_close(struct ml_tlb_lru *t);
/*
 * paged, unless NULL, receives the farthest TLB that knows a page of each access, from 1,
 * behind the last for a walk, and 0 for fetches. The observer, unless NULL, hears of
 * pages.
 */
void ml_tlb_lru_run(struct ml_tlb_lru *t, const struct ml_accesses *a, uint8_t *paged,
		    const struct ml_observer *o);
/* Accesses are missing here: a first request is no longer known to be a cold miss. */
void ml_tlb_lru_gap(struct ml_tlb_lru *t);
/* Shows the pages, their order and the counters to a mirror (mirror.h). */
void ml_tlb_lru_show(const struct ml_tlb_lru *t, struct ml_sim *to);
/* Takes them from a mirror. Not with causes. */
void ml_tlb_lru_look(struct ml_tlb_lru *t, const struct ml_sim *from);
const struct ml_level_counts *ml_tlb_lru_counts(const struct ml_tlb_lru *t, unsigned tlb);
