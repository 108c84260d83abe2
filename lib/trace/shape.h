/*
 * A shape is what one piece of straight code does to memory each time it runs:
 * the slots, one reference each, whose site, kind and size never change, and
 * whose addresses follow from few bases. Recorder, file and reader think in
 * steps ("shape 17 ran, its bases were ..."); only at the very end are they
 * unrolled into references. record/ring.h defines the same thing for guests.
 *
 * Bases that move together need be told only once: two arrays indexed by the same
 * variable, whatever it does. What follows so from other bases is a drift.
 *
 * A path is a shape left by a certain exit: path = shape.path + exit, the last
 * being the whole shape. Paths are what the encoder predicts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

enum {
	ML_NO_BASE = 0xffff,
	ML_DRIFT = 0x8000,  /* base of a slot: ML_DRIFT + k is the shape's k-th drift */
	ML_DRIFT_SHIFT = 6, /* at most */
	ML_REGS = 16,
	ML_NO_REG = ML_REGS,
	ML_SLOTS_MAX = 4096,
	ML_EXITS_MAX = 256
};
#define ML_OWN_STATE UINT32_MAX

struct ml_slot {
	uint64_t offset; /* from the base, or the address itself without one */
	uint32_t site;
	uint16_t what;
	uint16_t base;
	bool maybe; /* has a base of its own; value 0: it did not happen */
};

/*
 * At entry register reg was the base's value - delta: a prediction, no more. Bases that
 * stem from the same piece of code may share what the encoder remembers of them, by its
 * number.
 */
struct ml_base {
	uint32_t state; /* ML_OWN_STATE: ml_shapes_add gives it a new one */
	int32_t delta;
	uint8_t reg;
};

/* A value that follows from bases: base `like`, moved as `as` has moved since `from`. */
struct ml_drift {
	uint16_t like, as, from;
	uint8_t shift; /* times a power of two */
};

/* Afterwards register reg is base + delta. Also a prediction. */
struct ml_effect {
	uint8_t reg;
	uint16_t base;
	int32_t delta;
};

/* A place where the shape may be left, and what is known of the registers then. */
struct ml_exit {
	uint16_t slots, bases; /* done when it is left here */
	uint16_t clobber;      /* registers changed, those in effects too */
	uint16_t effects;
	const struct ml_effect *effect;
};

struct ml_shape {
	uint16_t slots, bases, drifts, exits, effects;
	uint16_t clobber; /* registers that it changes, those in effects too */
	bool user;        /* the user's own code */
	bool maybe;       /* has "maybe" slots */
	const struct ml_slot *slot;
	const struct ml_base *base;
	const struct ml_drift *drift; /* in the order in which slots use them */
	const struct ml_exit *exit;
	const struct ml_effect *effect;

	/* Set by ml_shapes_add. */
	uint32_t path; /* of its first exit; path + exits is the whole shape */
	const struct ml_four *four;
};

/* Four slots by column: a cache line, which the decoder copies at once. */
struct ml_four {
	uint64_t offset[4];
	uint32_t site[4];
	uint16_t what[4], base[4]; /* `bases` where there is none, drifts behind it */
};

/* All that encoder and decoder need to know of a path, in a cache line. */
struct ml_path {
	uint32_t shape, first; /* path number of the shape's first exit */
	uint16_t exits;
	uint16_t slots, bases, drifts; /* done on this path */
	uint16_t all_bases;            /* of the shape */
	uint8_t effects;
	bool user, maybe; /* of the shape */
	uint16_t clobber;
	const struct ml_base *base;
	const struct ml_effect *effect;
	const struct ml_four *four;
	const struct ml_drift *drift;
	const uint32_t *state; /* of the bases; 16 more can be read */
};

/* A path with the values of its bases, and who called (counts outside the user's code).
 */
struct ml_step {
	uint32_t path;
	uint32_t caller; /* site */
	const uint64_t *value;
};

static inline uint64_t ml_drifted(const struct ml_drift *m, const uint64_t *value)
{
	return value[m->like] + ((value[m->as] - value[m->from]) << m->shift);
}

struct ml_shapes {
	struct ml_shape *at;
	size_t count, cap, put;
	struct ml_path *path; /* by number */
	size_t paths, path_cap;
	uint32_t states; /* of bases, in all */
	uint32_t states_put;
	uint32_t most; /* slots of the largest */
	struct ml_arena arena;
};

void ml_shapes_release(struct ml_shapes *s);
/* What is wrong with a shape that somebody else made, or NULL: it may be added. */
const char *ml_shape_flaw(const struct ml_shape *shape);
/*
 * Copies shape; returns its number. What other threads see through a copy of *s taken
 * before stays valid: nothing moves.
 */
uint32_t ml_shapes_add(struct ml_shapes *s, const struct ml_shape *shape);
void ml_shapes_put(struct ml_shapes *s, struct ml_buf *out);
bool ml_shapes_get(struct ml_shapes *s, struct ml_bytes *in, size_t sites,
		   struct ml_err *err);
