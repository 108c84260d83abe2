/*
 * What encoder and decoder both expect of the next step, so that the file need
 * only say where reality differs. Three predictions:
 *
 *   path    the one that followed the last two paths when they last came in
 *           this order; a second guess is the one that came then before
 *   bases   each is compared with one of the values before it, some places back
 *           and times a power of two, or with nothing, and what comes out is
 *           expected to move by a stride, all as the chunk says for its state
 *           (predictor_choice.h). So an array that is walked costs nothing, and neither does
 *           one that is indexed by what another was (x[i], y[i] with any i).
 *   caller  on leaving the user's code: the caller that was in force the last
 *           time it was left by the same shape
 *
 * The state starts empty in each chunk, so chunks decode alone. Resetting costs
 * nothing for what is not used: states and shapes carry the number of the chunk in which
 * they were met, and states are only asked for it when more of a shape than before is.
 *
 * Everything here runs for each step of a recording. What is done for each base has no
 * branches: which way they would go is what nobody could foresee.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/shape.h"

enum { ML_PREDICT_BITS = 14 };

/*
 * A model is a lag, how many values before: 0 is none; a shift above it; and a bit that
 * says that there is a stride.
 */
enum { ML_LAGS = 8, ML_LAG_SHIFTS = 4, ML_MODEL_SHIFT = 4, ML_MODEL_STRIDE = 0x80 };

struct ml_base_state {
	uint64_t next;   /* what should come out next */
	uint64_t stride; /* what that moves by each time */
	int32_t back;    /* how far before it the value is that it is compared with */
	uint32_t times;  /* and that times so much; 0: with nothing */
};

struct ml_shape_state {
	uint32_t caller; /* in force when it last left the user's code */
	uint32_t chunk;  /* in which it was last the user's shape */
	uint64_t met;    /* chunk << 16 | how many of its bases came in this chunk */
};

struct ml_path_guess {
	uint32_t first, second; /* path + 1, 0 is no idea */
};

/* What changes with every step: loops keep a copy in registers while they run. */
struct ml_predict_hot {
	uint32_t path, before; /* the last ones, hashed; newest first */
};

struct ml_predict {
	const struct ml_shapes *shapes;
	struct ml_path_guess guess[1 << ML_PREDICT_BITS]; /* by the last two paths */
	struct ml_predict_hot hot;
	uint32_t caller;     /* in force outside the user's code */
	uint32_t user_shape; /* the last of the user's own shapes that ran */
	bool user;           /* the last step was in the user's code */
	uint32_t chunk;
	struct ml_base_state *base; /* by the state of struct ml_base */
	uint32_t *used;             /* the chunk in which each was last used */
	struct ml_shape_state *shape;
	size_t base_cap, used_cap, shape_cap;
};

/* Forgets everything: a new chunk begins. */
static inline void ml_predict_reset(struct ml_predict *p)
{
	const struct ml_shapes *s = p->shapes;

	p->base = ml_grow(p->base, &p->base_cap, s->states + 1, sizeof(*p->base));
	p->used = ml_grow(p->used, &p->used_cap, s->states + 1, sizeof(*p->used));
	p->shape = ml_grow(p->shape, &p->shape_cap, s->count + 1, sizeof(*p->shape));
	memset(p->guess, 0, sizeof(p->guess));
	p->hot = (struct ml_predict_hot){ 0 };
	p->caller = 0;
	p->user_shape = 0;
	p->user = false;
	p->chunk++;
}

static inline void ml_predict_release(struct ml_predict *p)
{
	ml_free(p->base);
	ml_free(p->used);
	ml_free(p->shape);
}

static inline struct ml_path_guess *ml_predict_path(struct ml_predict *p,
						    const struct ml_predict_hot *h)
{
	uint32_t hash = (h->path ^ h->before) * 0x85ebca6bu;

	return &p->guess[hash >> (32 - ML_PREDICT_BITS)];
}

/*
 * Tells the guess what came, and moves on. What comes new is a second guess first: a
 * loop's one exit does not make it forget the loop.
 */
static inline void ml_predict_took(struct ml_predict_hot *h, struct ml_path_guess *g,
				   uint32_t path)
{
	uint32_t came = path + 1;

	if (__builtin_expect(g->first != came, 0)) {
		bool promote = g->second == came || !g->first;

		g->second = promote ? g->first : came;
		g->first = promote ? came : g->first;
	}
	h->before = h->path * 0x297a2d39u;
	h->path = came * 0x9e3779b1u;
}

/* Were all bases of the path met in this chunk? */
static inline bool ml_predict_met(const struct ml_predict *p, const struct ml_path *path)
{
	return p->shape[path->shape].met >= ((uint64_t)p->chunk << 16 | path->bases);
}

/* Now they are. */
static inline void ml_predict_meet(struct ml_predict *p, const struct ml_path *path)
{
	p->shape[path->shape].met = (uint64_t)p->chunk << 16 | path->bases;
}

/* Is this the first use of the state in this chunk? Not the next time. */
static inline bool ml_predict_first(struct ml_predict *p, uint32_t state)
{
	bool first = p->used[state] != p->chunk;

	p->used[state] = p->chunk;
	return first;
}

/* What the value at v is compared with; v[-ML_LAGS] and all behind it can be read. */
static inline uint64_t ml_predict_beside(const struct ml_base_state *s, const uint64_t *v)
{
	return v[s->back] * s->times;
}

static inline unsigned ml_model_lag(unsigned model)
{
	return model & ((1u << ML_MODEL_SHIFT) - 1);
}

static inline unsigned ml_model_shift(unsigned model)
{
	return (model & ~(unsigned)ML_MODEL_STRIDE) >> ML_MODEL_SHIFT;
}

/* A state is used for the first time in this chunk, for the value at v. */
static inline void ml_predict_new(struct ml_base_state *s, unsigned model,
				  uint64_t stride, const uint64_t *v)
{
	int32_t lag = (int32_t)ml_model_lag(model);

	*s = (struct ml_base_state){ .stride = stride,
				     .back = -lag,
				     .times = lag ? 1u << ml_model_shift(model) : 0 };
	s->next = v[-1] - ml_predict_beside(s, v);
}

/* What is left of a base when what is expected is taken away. */
static inline int64_t ml_predict_rest(struct ml_base_state *s, const uint64_t *v)
{
	uint64_t out = *v - ml_predict_beside(s, v);
	int64_t rest = (int64_t)(out - s->next);

	s->next = out + s->stride;
	return rest;
}

/* And back: what the base was, of which so much was left. */
static inline void ml_predict_value(struct ml_base_state *s, uint64_t *v, int64_t rest)
{
	uint64_t out = s->next + (uint64_t)rest;

	*v = 0; /* what is compared with nothing is compared with itself, times 0 */
	s->next = out + s->stride;
	*v = out + ml_predict_beside(s, v);
}

/*
 * Before the step, if it crosses between the user's code and another's: who is then
 * expected to be the caller?
 */
static inline void ml_predict_cross(struct ml_predict *p, bool user)
{
	const struct ml_shape_state *s = &p->shape[p->user_shape];

	if (!user)
		p->caller = s->chunk == p->chunk ? s->caller : 0;
	p->user = user;
}

/* The caller turned out to be another. */
static inline void ml_predict_caller(struct ml_predict *p, uint32_t caller)
{
	p->caller = caller;
	p->shape[p->user_shape].caller = caller;
	p->shape[p->user_shape].chunk = p->chunk;
}
