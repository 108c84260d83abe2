/*
 * The options of a replay (replay.h): what is simulated of a trace, and how. The
 * preparation of hints (future.h) and the description of a result (result.h) read some of
 * them too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/work.h"
#include "lib/cache/machine/machine.h"

/* The core that a thread runs on, if the caller gives it. */
struct ml_replay_core {
	uint16_t thread, core;
};

/* A part of the trace: times. */
struct ml_replay_part {
	uint64_t from, to;
};

struct ml_replay_options {
	struct ml_machine machine;
	uint64_t from, to; /* times; to 0: the end. Caches are empty at `from`; if that is
			      not 0, first touches have an unknown cause */
	uint64_t interleave; /* references of a thread in turn; ML_INTERLEAVE_AUTO; 0: as
				recorded */
	const struct ml_replay_core *cores; /* for some of the threads; may be NULL */
	size_t core_count;
	unsigned want; /* ML_SIM_CAUSES, ML_SIM_USE */
	bool slow;     /* the exact engine simulates (engine.h); for tests */
	/* run these parts of the window only, in order of time; the caches keep what they
	 * have from one to the next; NULL: all of the window */
	const struct ml_replay_part *parts;
	size_t part_count;
	bool places; /* passes get regions, blocks and offsets, and no cells */
	/* with places, by region of the tables: the region that passes get instead; may
	 * be NULL */
	const uint32_t *same;
	size_t along;               /* bytes that a piece carries from pass to pass */
	const char *doing;          /* of the progress; NULL: "simulating" */
	const struct ml_work *work; /* may be NULL */
};
#define ML_INTERLEAVE_AUTO UINT64_MAX
