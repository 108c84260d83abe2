/*
 * One simulation of a what-if (whatif.h): an engine, and TLBs beside it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"
#include "lib/trace/trace.h"

enum { ML_LANE_CHANGES = 16 };

struct ml_lane {
	struct ml_engine *engine;
	struct ml_tlb_lru *tlbs;    /* NULL: no translation */
	uint8_t served[ML_BATCH];   /* 0: the reference was not made */
	uint8_t paged[ML_BATCH];    /* of the references that were made */
	size_t run;                 /* their number in the last batch */
	size_t at[ML_LANE_CHANGES]; /* states of its changes */
};

/*
 * m has no TLBs; those of `tlbs` are simulated if they are lru. Fails on a machine that
 * cannot be simulated.
 */
bool ml_lane_open(struct ml_lane *l, const struct ml_machine *m,
		  const struct ml_machine *tlbs, struct ml_err *err);
/* TLBs alone, for ml_lane_translate; those that are not lru are left out. */
void ml_lane_open_tlbs(struct ml_lane *l, const struct ml_machine *m);
void ml_lane_close(struct ml_lane *l);
/* Runs accesses; served receives their levels. outcome has room for them. */
bool ml_lane_run(struct ml_lane *l, const struct ml_accesses *a, uint8_t *served,
		 uint16_t *outcome, struct ml_err *err);
/* Translates the data references only, each on its core, as addresses of `addr`. */
void ml_lane_translate(struct ml_lane *l, const struct ml_accesses *a,
		       const uint64_t *addr);
