/* The inside of the replay (replay.h), which its sources share. */
#pragma once

#include "lib/analyse/passes/interleave.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/passes/thread_cores.h"
#include "lib/base/arena.h"
#include "lib/base/relay.h"
#include "lib/cache/engine.h"
#include "lib/trace/trace.h"

struct ml_future;

enum {
	SLOTS = 8, /* pieces under way */
	SHORT = 1
		<< 20, /* references of a part, below which decoding ahead does not pay */
};

/*
 * A piece of a batch on its way. The caller finds its cells. Then the piece goes through
 * stages, with several processors on several threads (relay.h): those of the simulator;
 * one for the passes that observe single events of the simulator, in which these events
 * come, too; and those of all other passes.
 */
struct ml_replay_slot {
	struct ml_batch refs;
	const uint64_t *time;
	struct ml_interleaved merged; /* the block of these references, if interleaved */
	uint64_t position;
	bool ends_batch;
	bool failed; /* a pass has, at this piece or before */
	size_t cells;
	const uint32_t *cell;
	void *carry; /* between the stages of the engine */
	uint32_t own_cell[ML_BATCH], region[ML_BATCH];
	uint64_t *block, *offset; /* [ML_BATCH], with places */
	void *along;
	uint16_t core[ML_BATCH], outcome[ML_BATCH];
	struct ml_charge *charges;
	size_t charge_count, charge_cap;
	uint32_t moved; /* the last reference with a transfer, + 1 */
};

struct ml_replay {
	struct ml_trace *trace;
	struct ml_replay_options o; /* `to` and interleave are resolved */
	struct ml_region_lookup *lookup;
	struct ml_engine *engine;
	struct ml_future *future;         /* NULL: no level needs hints */
	struct ml_interleave *interleave; /* NULL: as recorded */
	struct ml_thread_cores cores;     /* cores.core is NULL: one core */
	size_t next_gap;
	uint64_t done;

	const struct ml_pass *passes;
	size_t pass_count;
	struct ml_event_sums *sums; /* those that the simulator fills */
	bool regions;               /* a pass needs them */
	bool charges;               /* the same */
	bool bounces;               /* lines may go from core to core */
	unsigned stages;      /* of the engine, without the one that calls observers */
	unsigned pass_stages; /* the first one is of passes that observe events */
	uint64_t count;       /* references of all parts */
	struct ml_events now; /* the piece that observers hear of */
	struct ml_replay_slot *charged; /* the same; NULL behind the last one */
	struct ml_replay_slot *slots;   /* [SLOTS] */
	struct ml_relay *relay;         /* NULL: the caller does all stages */
	uint64_t save_at;               /* from this position on a pass saves the state */
	/* of the stages of passes: one has failed, for this reason */
	bool failed[ML_RELAY_STAGES];
	struct ml_err err[ML_RELAY_STAGES];
	bool stop;               /* the caller has heard of that */
	uint32_t cell[ML_BATCH]; /* of a batch that is interleaved with others */
	struct ml_arena arena;
};

/* Makes the engine tell the passes of events. */
void ml_replay_observe(struct ml_replay *r);
