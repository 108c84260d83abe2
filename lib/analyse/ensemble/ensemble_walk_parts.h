/* The inside of a walk (ensemble_walk.h), which its sources share. */
#pragma once

#include <pthread.h>

#include "lib/analyse/ensemble/ensemble_block.h"
#include "lib/analyse/ensemble/ensemble_stack.h"
#include "lib/analyse/ensemble/ensemble_surcharge.h"
#include "lib/analyse/ensemble/ensemble_walk.h"
#include "lib/base/buf.h"
#include "lib/base/work.h"
#include "lib/cache/engine.h"

struct ml_future;

enum {
	RING = 6,  /* blocks that are decoded at most */
	AHEAD = 2, /* blocks that should be decoded ahead */
};

/*
 * A stack pass with all behind it, or a simulator: of one member, or of TLBs that members
 * with stack passes have in common.
 */
struct ml_ensemble_unit {
	struct ml_stack *stack;
	size_t stream;

	size_t member;
	struct ml_machine machine;
	struct ml_engine *engine;
	struct ml_future *future; /* the future of its own, if it has one... */
	bool shares;              /* ...or the number of a future of the decoder */
	size_t foreseen;
	struct ml_hints hints;
	/* hints of the block, until the simulator takes them */
	const struct ml_ensemble_hints *given;
	struct ml_bytes state; /* the saved state to start from, if any */
	struct ml_ensemble_surcharge surcharge; /* of `member`, unless beyond is NULL */
	bool tlbs_only;
	bool opened;

	uint64_t members; /* number of members */
	uint64_t next;    /* next block */
	uint64_t spent;   /* nanoseconds spent; the slowest unit starts first */
	bool busy;
};

struct ml_ensemble_walk {
	struct ml_ensemble *e;
	struct ml_trace *trace;
	const struct ml_ensemble_trace *window;
	struct ml_ensemble_walk_options o;
	struct ml_work part; /* for one member: cancels, but reports no progress */
	struct ml_ensemble_group group;
	struct ml_stack_tree tree;
	/* by member of the group; NULL: the member has a simulator */
	struct ml_stack_branch **leaf;
	struct ml_ensemble_unit *units;
	size_t unit_count, unit_cap;

	/* Shared by the threads, guarded by the lock. */
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct ml_ensemble_block ring[RING];
	uint64_t decoded;                   /* blocks decoded so far */
	uint64_t position;                  /* position behind them */
	struct ml_ensemble_decoder decoder; /* used by the thread that decodes */
	bool decoding, closing, failed;
	struct ml_err err;
	uint64_t started;       /* start of this leg, in nanoseconds */
	uint64_t before, total; /* member references, for progress */
	uint64_t done;          /* member references */
};

/* Takes the state of the group; fails if it is damaged. */
bool ml_ensemble_walk_restore(struct ml_ensemble_walk *w, struct ml_err *err);
