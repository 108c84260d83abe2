/*
 * A shape is what one piece of straight code does to memory each time it runs:
 * the slots, one reference each, whose site, kind and size never change, and
 * whose addresses follow from few bases. Recorder, file and reader think in
 * steps ("shape 17 ran, its bases were ..."); only at the very end are they
 * unrolled into references. record/ring.h defines the same thing for guests.
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

enum { ML_NO_BASE = 0xffff, ML_NO_REG = 0xff, ML_REGS = 16, ML_SLOTS_MAX = 4096 };

struct ml_slot {
	uint64_t offset; /* from the base, or the address itself without one */
	uint32_t site;
	uint16_t what;
	uint16_t base;
	bool maybe; /* has a base of its own; value 0: it did not happen */
};

/* At entry register reg was the base's value - delta. A prediction, no more. */
struct ml_base {
	uint8_t reg;
	int32_t delta;
};

struct ml_exit {
	uint16_t slots, bases; /* done when the shape is left here */
};

/* After the whole shape ran, register reg is base + delta. Also a prediction. */
struct ml_effect {
	uint8_t reg;
	uint16_t base;
	int32_t delta;
};

struct ml_shape {
	uint16_t slots, bases, exits, effects;
	uint16_t clobber; /* registers that it changes, those in effects too */
	bool user;        /* the user's own code */
	bool maybe;       /* has "maybe" slots */
	const struct ml_slot *slot;
	const struct ml_base *base;
	const struct ml_exit *exit;
	const struct ml_effect *effect;

	/* Set by ml_shapes_add. The columns repeat the slots in the form that the decoder copies. */
	uint32_t path;  /* of its first exit; path + exits is the whole shape */
	uint32_t state; /* index of its first base among all bases of all shapes */
	const uint64_t *offset;
	const uint32_t *site;
	const uint16_t *what, *base_of; /* base_of is `bases` where there is none */
};

struct ml_path {
	uint32_t shape;
	uint16_t slots, bases; /* done on this path */
};

struct ml_shapes {
	struct ml_shape *at;
	size_t count, cap, put;
	struct ml_path *path; /* by number */
	size_t paths, path_cap;
	uint32_t states; /* bases of all shapes */
	struct ml_arena arena;
};

void ml_shapes_release(struct ml_shapes *s);
/* Copies shape; returns its number. */
uint32_t ml_shapes_add(struct ml_shapes *s, const struct ml_shape *shape);
void ml_shapes_put(struct ml_shapes *s, struct ml_buf *out);
bool ml_shapes_get(struct ml_shapes *s, struct ml_bytes *in, size_t sites, struct ml_err *err);
