/*
 * What if the data lay otherwise? This simulates the references of a trace again, with
 * the addresses of one region changed as a change of the program would change them, and
 * compares the outcomes. One pass tries any number of changes, each in a simulator of its
 * own, beside one without a change.
 *
 * Of a long trace only a part is tried, the slices that stand for it (slices.h). TLBs
 * take part if they are lru. Threads stay on their cores but run as recorded, without
 * interleaving, because this is about the layout of data and not about sharing.
 * Held by tests/analyse/test_whatif.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/trial/change.h"
#include "lib/analyse/trial/seen.h"
#include "lib/analyse/trial/slices.h"
#include "lib/analyse/passes/profile.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/cache/machine/machine.h"
#include "lib/trace/ref.h"
#include "lib/trace/regions/region_lookup.h"

struct ml_trace;

/* The result of one change. */
struct ml_trial {
	uint64_t served[ML_SERVED]; /* all references, with the change */
	uint64_t paged[ML_SERVED];  /* by TLB, as in struct ml_seen */
	/* references that the first of its changes concerns, without the change */
	uint64_t region_before[ML_SERVED];
	uint64_t region_after[ML_SERVED]; /* the same with the change */
};

struct ml_whatif {
	/* set by the caller */
	struct ml_trace *trace;
	struct ml_machine machine;
	struct ml_slices slices; /* the references to try; none: all */
	/* so many references at the start of each slice that stands for more only fill
	 * the caches: they are simulated, and not counted */
	uint64_t warm_up;
	/* The region that stands for each region of the tables; NULL: each for itself. */
	const uint32_t *same;
	const struct ml_change *changes;
	size_t count;
	/*
	 * Two functions that look on at the references without a change, or NULL. With
	 * them `count` is 0. Each of them is called with all references in order, on any
	 * thread, one call at a time. see_then is called with a reference after see,
	 * which may have gone on to later ones by then.
	 */
	void (*see)(void *arg, const struct ml_seen *s);
	void (*see_then)(void *arg, const struct ml_seen *s); /* only with see; or NULL */
	void *arg;
	bool distances;             /* see gets stack distances */
	bool no_fetches;            /* the trace is known to have no fetches */
	const struct ml_work *work; /* may be NULL */

	/* results */
	uint64_t refs; /* references that were tried */
	uint64_t served[ML_SERVED], paged[ML_SERVED];
	struct ml_trial *trials; /* [count]; owned by the caller */
	/*
	 * May be NULL: [slices.count][count + 1], owned by the caller; the trials of each
	 * slice alone, and behind them the references without a change
	 */
	struct ml_trial *parts;
};

/* Fails on a damaged trace, when cancelled, and for machines with opt or pes. */
bool ml_whatif_run(struct ml_whatif *w, struct ml_err *err);
