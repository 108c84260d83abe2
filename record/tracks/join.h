/*
 * Joins paths that follow each other, the parts, into one shape with an exit behind each
 * part. A base of a later part that follows from earlier bases is not a base of the
 * joined shape. The other bases keep the states of the shapes that they come from: it is
 * the same code.
 *
 * There are three ways to follow:
 *  - by registers: the effects of the parts before say what the base's register holds;
 *  - by a constant: in most of some runs the base lay at the same distance from another;
 *  - by a drift: since the same code ran before, the base moved in most runs as another
 *    base did (a loop that reads x[i] and y[i], with any i).
 * A few runs may say otherwise, since a link that holds mostly is worth its failures.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/shape.h"

enum {
	ML_JOIN_PARTS = 96,  /* paths at most */
	ML_JOIN_SLOTS = 192, /* and slots, and so bases */
	ML_JOIN_RUNS = 24,   /* and runs that are compared */
	ML_JOIN_NEW = 0xffff,
};

/* How a base may follow: in any way, by a drift only, not at all. */
enum ml_join_free { ML_JOIN_ANY, ML_JOIN_NO_CONSTANT, ML_JOIN_FREE };

/* How a base of a part follows from those before it. */
struct ml_link {
	int64_t delta;
	uint16_t from; /* base of the joined shape; ML_JOIN_NEW: the base is a new one;
			  ML_DRIFT + k: the base is the shape's k-th drift */
};

/* The values of a part's bases in some runs. */
struct ml_join_runs {
	unsigned count;
	const uint64_t *value[ML_JOIN_RUNS];
};

struct ml_join {
	struct ml_shape shape;
	struct ml_slot slot[ML_JOIN_SLOTS];
	struct ml_base base[ML_JOIN_SLOTS];
	struct ml_drift drift[ML_JOIN_SLOTS];
	struct ml_exit exit[ML_JOIN_PARTS];
	struct ml_effect effect[ML_JOIN_PARTS][ML_REGS];
	uint32_t part[ML_JOIN_PARTS];       /* paths; one more than exits */
	struct ml_link link[ML_JOIN_SLOTS]; /* one for each base of each part */
	size_t links;
	uint32_t state[ML_JOIN_SLOTS];               /* of the joined bases */
	uint64_t value[ML_JOIN_RUNS][ML_JOIN_SLOTS]; /* and their values */

	/* Knowledge about the registers behind the parts so far. */
	uint32_t changed; /* mask: changed since the start of the first part */
	uint32_t derived; /* mask: the register holds base `of` + delta */
	uint16_t of[ML_REGS];
	int64_t delta[ML_REGS];
};

/* How many of the paths, from the first on, can be one shape: all of the user's code or
 * none, and not too many slots. */
size_t ml_join_max(const struct ml_shapes *shapes, const uint32_t *paths, size_t count);

/* Begins a join. The struct is large; a recorder uses one again and again. */
void ml_join_init(struct ml_join *j, bool user);
/*
 * Adds a part. runs: the values of its bases in at least two runs; run k of a part is run
 * k of the parts before it, and later parts have no more runs. free: enum ml_join_free of
 * each base. known: the links of its bases, whose drifts are in j->drift already; NULL:
 * they are to be found.
 */
void ml_join_part(struct ml_join *j, const struct ml_shapes *shapes, uint32_t path,
		  const struct ml_join_runs *runs, const uint8_t *free,
		  const struct ml_link *known);
/* Adds the shape. Returns the path of its first exit, which has one part; the path with n
 * parts is n - 1 behind it. */
uint32_t ml_join_done(struct ml_join *j, struct ml_shapes *shapes);
