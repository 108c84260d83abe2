/*
 * What if the data lay otherwise? The references of a trace are simulated again,
 * with the addresses of one region changed as a change of the program would change
 * them, and the two outcomes are compared. Any number of changes is tried in one
 * pass, each in a simulator of its own beside one without a change.
 *
 * Long traces are tried in part: slices spread evenly over the trace, of `window`
 * references together. Threads keep to their cores but run as recorded, without
 * interleaving: this is about where data lie, not about who shares them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/profile.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/cache/machine.h"
#include "lib/trace/ref.h"
#include "lib/trace/region_lookup.h"

struct ml_trace;

enum ml_change_kind {
	ML_CHANGE_NONE,
	ML_CHANGE_PAD,   /* rows of `pitch` bytes are followed by `pad` unused ones */
	ML_CHANGE_SHIFT, /* the region lies `pad` bytes further on */
	ML_CHANGE_TURN, /* rows of `pitch` bytes and columns of `unit` bytes change places
			 */
	ML_CHANGE_SPLIT, /* elements of `pitch` bytes become two, in arrays of their own
			  */
};

struct ml_change {
	enum ml_change_kind kind;
	uint32_t region; /* of the trace's tables */
	uint64_t pitch, unit, pad;
	/*
	 * SPLIT: where each byte of an element goes. Offsets below `unit` are those of
	 * the first part, which has `unit` bytes an element; the others, less `unit`,
	 * those of the second, which has `pad`.
	 */
	const uint32_t *to;
	const bool
		*by; /* only references of these sites, callers going first; NULL: all */
};

/* The block that a reference goes to; size 0 is unknown. */
struct ml_change_block {
	uint64_t base, size, number;
};

/* Where the byte at addr lies after the change. */
uint64_t ml_change_address(const struct ml_change *c, uint64_t addr,
			   const struct ml_change_block *b);

/* What came of one change. */
struct ml_trial {
	uint64_t served[ML_SERVED];        /* all references, changed */
	uint64_t region_before[ML_SERVED]; /* those of the region (and of `by`), as they
					      are */
	uint64_t region_after[ML_SERVED];  /* and changed */
};

/* References as they are, with what became of them: columns, as of a batch. */
struct ml_seen {
	const struct ml_batch *refs;
	const uint32_t *region; /* the one that stands for it */
	const uint64_t *offset; /* within the block or region */
	const uint64_t *block;  /* as of struct ml_place */
	const uint8_t *served;
	const uint32_t
		*distance; /* stack distance of the first line; NULL: not asked for */
};

struct ml_whatif {
	/* set by the caller */
	struct ml_trace *trace;
	struct ml_machine machine;
	uint64_t from, to; /* times; to 0 is the end */
	uint64_t window;   /* references at most; 0: all */
	/* The region that stands for each one of the tables; NULL: each for itself. */
	const uint32_t *same;
	const struct ml_change *changes;
	size_t count;
	void (*see)(void *arg, const struct ml_seen *s); /* may be NULL */
	void *arg;
	bool distances;             /* for see */
	bool no_fetches;            /* the trace has none, that is known */
	const struct ml_work *work; /* may be NULL */

	/* results */
	uint64_t refs; /* that were tried */
	uint64_t served[ML_SERVED];
	struct ml_trial *trials; /* [count]; belongs to the caller */
};

/* Fails on a damaged trace, when stopped, and for machines that need to know the
 * future (opt, pes). */
bool ml_whatif_run(struct ml_whatif *w, struct ml_err *err);
