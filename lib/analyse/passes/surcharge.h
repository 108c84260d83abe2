/*
 * What references cost beyond the cycles of their serving levels: pages that the first
 * TLB does not know, lines that another core gives up, fetches that L1i serves. A
 * surcharge is a sum over references, like the counts by serving level that it belongs
 * to; machine.h has the prices.
 * Held by tests/analyse/test_surcharge.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/machine.h"

/* What one reference pays for: a page, or a line from another core. */
struct ml_charge {
	uint32_t ref;    /* index in its batch */
	uint8_t tlb;     /* as in struct ml_page */
	bool page, more; /* page false: a transfer, at most one for each reference */
};

struct ml_surcharge {
	/*
	 * Pages by the TLB that knew them, from 0; behind the last TLB: walks. [0] stays
	 * 0: it follows from the number of references.
	 */
	uint64_t pages[ML_TLBS + 1];
	uint64_t more;             /* pages of references beyond their first one */
	uint64_t fetches, fetched; /* fetches, and those that the first level served */
	uint64_t transfers; /* references that took a line from another core, or its copy
			     */
	uint64_t instead; /* cycles of their serving levels, which a transfer replaces */
};

/* Inline, as a TLB may miss a million pages a second. */
static inline void ml_surcharge_add(struct ml_surcharge *to, const struct ml_surcharge *s)
{
	for (unsigned k = 0; k <= ML_TLBS; k++)
		to->pages[k] += s->pages[k];
	to->more += s->more;
	to->fetches += s->fetches;
	to->fetched += s->fetched;
	to->transfers += s->transfers;
	to->instead += s->instead;
}

/* The other way round: s is part of what was added. */
void ml_surcharge_take(struct ml_surcharge *from, const struct ml_surcharge *s);
/* References whose page a TLB (from 0) was asked for and did not know. */
uint64_t ml_surcharge_missed(const struct ml_surcharge *s, const struct ml_machine *m,
			     unsigned tlb);
/* Cycles of translation; refs: all references that s is a sum over. */
double ml_surcharge_translation(const struct ml_surcharge *s, const struct ml_machine *m,
				uint64_t refs);
/* Cycles of transfers beyond those of the serving levels. */
double ml_surcharge_transfer(const struct ml_surcharge *s, const struct ml_machine *m);
/* All cycles beyond those of the serving levels; negative if L1i is faster than L1. */
double ml_surcharge_cycles(const struct ml_surcharge *s, const struct ml_machine *m,
			   uint64_t refs);

/* Whether references to this machine can pay for anything. */
bool ml_surcharged(const struct ml_machine *m);
/*
 * The same cycles reference by reference, whole numbers: those that each one pays, by its
 * `what` and outcome, and those of each charge beyond.
 */
int64_t ml_surcharge_base(const struct ml_machine *m, uint16_t what, uint16_t outcome);
int64_t ml_charge_cycles(const struct ml_machine *m, const struct ml_charge *c,
			 uint16_t outcome);
