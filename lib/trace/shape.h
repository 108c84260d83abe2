/*
 * A shape describes the references that one piece of straight-line code makes each time
 * it runs. Each reference is a slot. The site, kind and size of a slot never change; its
 * address is a base plus a constant offset, and few bases serve many slots. Recorder,
 * file and reader work with steps ("shape 17 ran, its bases were ..."); the decoder
 * unrolls steps into references. record/ring.h defines shapes for guests.
 *
 * Some addresses follow from several bases: where two arrays are indexed by the same
 * variable, the second array moves as the first does. Such an address is a drift, and
 * the file does not store it.
 *
 * A path is a shape together with the exit by which the code left it: path =
 * shape.path + exit, where the last exit is the end of the shape. The encoder predicts
 * paths.
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
	ML_DRIFT_SHIFT = 6, /* largest shift of a drift */
	ML_REGS = 16,
	ML_NO_REG = ML_REGS,
	ML_SLOTS_MAX = 4096,
	ML_EXITS_MAX = 256
};
#define ML_OWN_STATE UINT32_MAX

struct ml_slot {
	uint64_t offset; /* from the base; without a base, the address */
	uint32_t site;
	uint16_t what;
	uint16_t base; /* its index, ML_DRIFT + k, or ML_NO_BASE */
	bool maybe; /* conditional: base value 0 means that the access did not happen */
};

/* Bases of the same code may share a state, with which the encoder predicts (predict.h). */
struct ml_base {
	uint32_t state; /* its number; ML_OWN_STATE: ml_shapes_add assigns a new one */
	/* A guess: when the code is entered, register reg holds the value - delta. */
	int32_t delta;
	uint8_t reg;
};

/* An address that follows from bases: see ml_drifted. */
struct ml_drift {
	uint16_t like, as, from;
	uint8_t shift;
};

/* A guess: afterwards register reg holds base + delta. */
struct ml_effect {
	uint8_t reg;
	uint16_t base;
	int32_t delta;
};

/* A place where the code may leave the shape, and effects on registers up to there. */
struct ml_exit {
	uint16_t slots, bases; /* executed before the exit */
	uint16_t clobber; /* bit set of registers changed, including those in effect */
	uint16_t effects;
	const struct ml_effect *effect;
};

struct ml_shape {
	uint16_t slots, bases, drifts, exits, effects;
	uint16_t clobber; /* as in struct ml_exit, for the whole shape */
	bool user;        /* the user's own code */
	bool maybe;       /* has conditional slots */
	const struct ml_slot *slot;
	const struct ml_base *base;
	const struct ml_drift *drift; /* in the order in which slots first use them */
	const struct ml_exit *exit;
	const struct ml_effect *effect;

	/* Set by ml_shapes_add. */
	uint32_t path; /* of its first exit; path + exits is the path to the end */
	const struct ml_four *four;
};

/* Four slots as columns, in one cache line that the decoder copies at once. */
struct ml_four {
	uint64_t offset[4];
	uint32_t site[4];
	/* base: index of a value: the bases, a 0 for slots without a base, the drifts */
	uint16_t what[4], base[4];
};

/* The facts about a path that encoder and decoder need, in 64 bytes. */
struct ml_path {
	uint32_t shape;
	uint32_t first; /* path of the shape's first exit */
	uint16_t exits;
	uint16_t slots, bases, drifts; /* on this path */
	uint16_t all_bases;            /* of the shape */
	uint8_t effects;
	bool user, maybe; /* of the shape */
	uint16_t clobber;
	const struct ml_base *base;
	const struct ml_effect *effect;
	const struct ml_four *four;
	const struct ml_drift *drift;
	const uint32_t *state; /* of the bases; 16 more entries are readable */
};

/* One run of a path. */
struct ml_step {
	uint32_t path;
	uint32_t caller; /* site in the user's code; ignored for shapes of that code */
	const uint64_t *value; /* of the bases */
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
	uint32_t states;     /* number of states of all bases */
	uint32_t states_put; /* number of states in the shapes already serialised */
	uint32_t slots_max;  /* slots of the largest shape */
	struct ml_arena arena;
};

void ml_shapes_release(struct ml_shapes *s);
/* Checks a shape from a guest or a file: the reason why it is malformed, or NULL. */
const char *ml_shape_flaw(const struct ml_shape *shape);
/*
 * Copies shape; returns its number. Other threads may go on using a copy of *s that was
 * made before the call: arrays that are outgrown stay valid until the release.
 */
uint32_t ml_shapes_add(struct ml_shapes *s, const struct ml_shape *shape);
/* Appends the shapes that were not serialised yet. */
void ml_shapes_put(struct ml_shapes *s, struct ml_buf *out);
/* Adds serialised shapes. sites: number of sites, to check against. */
bool ml_shapes_get(struct ml_shapes *s, struct ml_bytes *in, size_t sites,
		   struct ml_err *err);
