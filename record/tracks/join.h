/*
 * Puts paths that follow each other together into one shape, with an exit behind
 * each but the last. Bases of later paths that follow from earlier ones become
 * offsets from those; the rest keep the states of the shapes they come from, as
 * it is the same code.
 *
 * A base follows from another by what is known of the registers, and, where the
 * values of some runs are given, if it lay in them at the same distance from it; or if
 * it moved in them, since the same code ran before, as another base did (a loop that
 * reads x[i] and y[i], with any i). Few runs may say otherwise: what holds mostly is
 * worth it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/shape.h"

enum {
	ML_JOIN_PARTS = 56,  /* paths at most */
	ML_JOIN_SLOTS = 192, /* and slots, and so bases */
	ML_JOIN_RUNS = 16,   /* and runs that are compared */
	ML_JOIN_NEW = 0xffff,
};

/* What a base may follow from. */
enum ml_join_free { ML_JOIN_ANY, ML_JOIN_NO_CONSTANT, ML_JOIN_FREE };

/* How a base of a part follows from those before it. */
struct ml_link {
	int64_t delta;
	uint16_t from; /* base of the joined shape; ML_JOIN_NEW: it is one itself;
			  ML_DRIFT + k: it is the shape's k-th drift */
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
	struct ml_link link[ML_JOIN_SLOTS]; /* one for each base of each part */
	size_t links;
	uint32_t state[ML_JOIN_SLOTS];               /* of the joined bases */
	uint64_t value[ML_JOIN_RUNS][ML_JOIN_SLOTS]; /* and their values */

	/* What is known of the registers. */
	uint32_t changed; /* mask: no longer as at the start */
	uint32_t derived; /* mask: holds base + delta */
	uint16_t of[ML_REGS];
	int64_t delta[ML_REGS];
};

/* How many of the paths can be joined; the first decides whose code it is. */
size_t ml_join_most(const struct ml_shapes *shapes, const uint32_t *paths, size_t count);

/* Begins; a join is large, and is kept by whoever makes many. */
void ml_join_init(struct ml_join *j, bool user);
/*
 * Adds a path. runs are those that went that far, the first of those of the part before,
 * at least two; or NULL. free (enum ml_join_free) says what each base may not follow
 * from, whatever seems, or is NULL. known are the links of its bases, if that is known
 * already; then their drifts must be in place. Or it is NULL.
 */
void ml_join_part(struct ml_join *j, const struct ml_shapes *shapes, uint32_t path,
		  const struct ml_join_runs *runs, const uint8_t *free,
		  const struct ml_link *known);
/* Adds the shape; returns the path of its first exit: so many parts less one are added
 * for that of more. */
uint32_t ml_join_done(struct ml_join *j, struct ml_shapes *shapes);
