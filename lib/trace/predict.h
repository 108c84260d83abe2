/*
 * What encoder and decoder both expect of the next step, so that the file need
 * only say where reality differs. Three predictions:
 *
 *   path    the path that followed the last three paths when they last came in
 *           this order; failing that, the one that last followed the last path
 *   bases   where the register that a base derives from is known (from the
 *           effects of earlier shapes): that register; otherwise the base's last
 *           value plus its stride, a new stride being believed when it comes twice
 *   caller  on leaving the user's code: the caller that was in force the last
 *           time it was left by the same shape
 *
 * The state starts empty in each chunk, so chunks decode alone. Resetting costs
 * nothing for shapes that do not run: their state carries the chunk's number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/shape.h"

enum { ML_PREDICT_BITS = 15, ML_PREDICT_LOW_BITS = 13 };

struct ml_base_state {
	uint64_t last;
	int64_t stride, delta; /* believed, and seen last */
};

struct ml_shape_state {
	uint32_t chunk;  /* number of the chunk in which it was last used */
	uint32_t caller; /* in force when this shape last left the user's code */
};

struct ml_predict {
	const struct ml_shapes *shapes;
	uint32_t high[1 << ML_PREDICT_BITS];    /* path + 1 by the last three paths */
	uint32_t low[1 << ML_PREDICT_LOW_BITS]; /* path + 1 by the last path */
	uint32_t last, before;                  /* the last path, and a hash of those before it */
	uint64_t regs[ML_REGS];
	uint32_t known;  /* mask of regs */
	uint64_t recent; /* value of the last base of any shape */
	uint32_t caller;     /* in force outside the user's code */
	uint32_t user_shape; /* the last of the user's own shapes that ran */
	bool user;           /* the last step was in the user's code */
	uint32_t chunk;
	struct ml_base_state *base; /* by shape.state */
	struct ml_shape_state *shape;
	size_t base_cap, shape_cap;
};

static inline void ml_predict_reset(struct ml_predict *p)
{
	memset(p->high, 0, sizeof(p->high));
	memset(p->low, 0, sizeof(p->low));
	p->last = p->before = 0;
	p->known = 0;
	p->recent = 0;
	p->caller = 0;
	p->user_shape = 0;
	p->user = false;
	p->chunk++;
	p->base = ml_grow(p->base, &p->base_cap, p->shapes->states + 1, sizeof(*p->base));
	p->shape = ml_grow(p->shape, &p->shape_cap, p->shapes->count + 1, sizeof(*p->shape));
}

static inline void ml_predict_release(struct ml_predict *p)
{
	ml_free(p->base);
	ml_free(p->shape);
}

struct ml_path_guess {
	uint32_t *high, *low; /* path + 1, 0 is no idea */
};

static inline struct ml_path_guess ml_predict_path(struct ml_predict *p)
{
	uint32_t low = p->last * 0x9e3779b1u;
	uint32_t high = (low ^ p->before) * 0x85ebca6bu;

	return (struct ml_path_guess){ &p->high[high >> (32 - ML_PREDICT_BITS)],
				       &p->low[low >> (32 - ML_PREDICT_LOW_BITS)] };
}

/* Tells the guess what came, and moves on. */
static inline void ml_predict_took(struct ml_predict *p, struct ml_path_guess g, uint32_t path)
{
	*g.high = *g.low = path + 1;
	p->before = ((p->before << 13 | p->before >> 19) ^ p->last * 0xc2b2ae35u) & 0xfffffff;
	p->last = path;
}

/*
 * State of the bases of a shape, cleared if it is new to this chunk.
 */
static inline struct ml_base_state *ml_predict_bases(struct ml_predict *p, uint32_t number,
						     const struct ml_shape *shape, bool *fresh)
{
	struct ml_base_state *state = &p->base[shape->state];

	*fresh = p->shape[number].chunk != p->chunk;
	if (*fresh) {
		p->shape[number] = (struct ml_shape_state){ .chunk = p->chunk };
		memset(state, 0, shape->bases * sizeof(*state));
	}
	return state;
}

static inline uint64_t ml_predict_base(const struct ml_predict *p,
				       const struct ml_base_state *state, struct ml_base base,
				       bool fresh)
{
	if (base.reg != ML_NO_REG && (p->known >> base.reg & 1))
		return p->regs[base.reg] + (uint64_t)(int64_t)base.delta;
	return fresh ? p->recent : state->last + (uint64_t)state->stride;
}

static inline void ml_predict_saw(struct ml_predict *p, struct ml_base_state *state,
				  struct ml_base base, bool fresh, uint64_t value)
{
	int64_t delta = (int64_t)(value - state->last);

	if (delta == state->delta)
		state->stride = delta;
	if (!fresh)
		state->delta = delta;
	state->last = value;
	p->recent = value;
	if (base.reg != ML_NO_REG) {
		p->regs[base.reg] = value - (uint64_t)(int64_t)base.delta;
		p->known |= 1u << base.reg;
	}
}

/* What the registers hold after the step. */
static inline void ml_predict_leave(struct ml_predict *p, const struct ml_shape *shape,
				    bool whole, const uint64_t *value)
{
	p->known &= ~(uint32_t)shape->clobber;
	if (!whole)
		return;
	for (unsigned i = 0; i < shape->effects; i++) {
		struct ml_effect e = shape->effect[i];

		p->regs[e.reg] = value[e.base] + (uint64_t)(int64_t)e.delta;
		p->known |= 1u << e.reg;
	}
}
