/*
 * The prediction of the next step. Encoder and decoder run the same prediction, so the
 * file stores only where it was wrong. Three things are predicted:
 *
 *   path    The first guess is the path that followed the last two paths before. The
 *           second guess is another path that once followed them.
 *   bases   From earlier values, by the model of their state: predict_base.h.
 *   caller  When a step leaves the user's code: the caller that was right the last time
 *           the same shape of the user's code was left.
 *
 * The predictor starts empty in each chunk, so chunks decode alone. A reset costs
 * nothing for states and shapes that the chunk does not use: each has the number of the
 * chunk that used it last. The predictor looks at these numbers of a shape's states only
 * when the chunk comes farther in the shape than before.
 *
 * The code runs for each step of a recording.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/chunk/predict_base.h"
#include "lib/trace/shape.h"

enum { ML_PREDICT_BITS = 14 };

struct ml_shape_state {
	uint32_t caller; /* the caller when this shape was last left for other code */
	uint32_t chunk;  /* the chunk in which the shape was left */
	uint64_t met;    /* chunk << 16 | number of its bases that the chunk has used */
};

struct ml_path_guess {
	uint32_t first, second; /* path + 1; 0: none */
};

/* The part that changes with every step. Loops keep a copy of it in registers. */
struct ml_predict_hot {
	uint32_t path, before; /* hashes of the last path and of the one before */
};

struct ml_predict {
	const struct ml_shapes *shapes;
	struct ml_path_guess guess[1 << ML_PREDICT_BITS]; /* by hash of two paths */
	struct ml_predict_hot hot;
	uint32_t caller;              /* expected for steps outside the user's code */
	uint32_t user_shape;          /* the last shape of the user's code that ran */
	bool user;                    /* the last step was in the user's code */
	uint32_t chunk;               /* number of the chunk, from 1 */
	struct ml_base_state *base;   /* by state number */
	uint32_t *used;               /* by state number: the last chunk that used it */
	struct ml_shape_state *shape; /* by shape */
	size_t base_cap, used_cap, shape_cap;
};

/* Begins a chunk. */
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

/* The guesses for the next path. */
static inline struct ml_path_guess *ml_predict_path(struct ml_predict *p,
						    const struct ml_predict_hot *h)
{
	uint32_t hash = (h->path ^ h->before) * 0x85ebca6bu;

	return &p->guess[hash >> (32 - ML_PREDICT_BITS)];
}

/*
 * Updates the guesses with the path that ran, and steps on. A new path becomes the
 * second guess first, so that one exit of a loop does not displace the loop.
 */
static inline void ml_predict_update(struct ml_predict_hot *h, struct ml_path_guess *g,
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

/* Has this chunk used all bases of the path before? */
static inline bool ml_predict_knows_bases(const struct ml_predict *p,
					  const struct ml_path *path)
{
	return p->shape[path->shape].met >= ((uint64_t)p->chunk << 16 | path->bases);
}

/* Notes that this chunk has used all bases of the path. */
static inline void ml_predict_note_bases(struct ml_predict *p, const struct ml_path *path)
{
	p->shape[path->shape].met = (uint64_t)p->chunk << 16 | path->bases;
}

/* True for the first use of a state in this chunk, which it notes. */
static inline bool ml_predict_first(struct ml_predict *p, uint32_t state)
{
	bool first = p->used[state] != p->chunk;

	p->used[state] = p->chunk;
	return first;
}

/* The next step enters (user) or leaves the user's code: predicts the caller. */
static inline void ml_predict_cross(struct ml_predict *p, bool user)
{
	const struct ml_shape_state *s = &p->shape[p->user_shape];

	if (!user)
		p->caller = s->chunk == p->chunk ? s->caller : 0;
	p->user = user;
}

/* The predicted caller was wrong; this one is right. */
static inline void ml_predict_caller(struct ml_predict *p, uint32_t caller)
{
	p->caller = caller;
	p->shape[p->user_shape].caller = caller;
	p->shape[p->user_shape].chunk = p->chunk;
}
