/*
 * What encoder and decoder both expect of the next step, so that the file need
 * only say where reality differs. Three predictions:
 *
 *   path    the one that followed the last three paths when they last came in
 *           this order; a second guess is the one that came then before
 *   bases   where the register that a base derives from is known (from the
 *           effects of earlier shapes): that register. Otherwise the base's last
 *           value plus its stride, a new stride being believed when it comes
 *           twice; or, for a base that was seen to move in proportion to the
 *           base before it (x[i], y[i] with any i), plus that one's movement
 *           times a power of two. Where that fails there is a second guess: the
 *           movement that came the last time when the base before had this same
 *           value, which follows linked lists on their second visit.
 *   caller  on leaving the user's code: the caller that was in force the last
 *           time it was left by the same shape
 *
 * The state starts empty in each chunk, so chunks decode alone. Resetting costs
 * nothing for what is not used: states carry the number of the chunk they are of.
 *
 * Everything here runs for each step of a recording, at some ten nanoseconds a
 * step: the state of a base takes half a cache line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/shape.h"

enum { ML_PREDICT_BITS = 14, ML_CHAIN_BITS = 15 };

struct ml_base_state {
	uint64_t last;
	int64_t stride, delta; /* believed, and seen last */
	uint32_t chunk;        /* in which it was last used */
	int32_t ratio;         /* log2 of how it moves with the base before; NO_RATIO */
};

struct ml_shape_state {
	uint32_t caller; /* in force when it last left the user's code */
	uint32_t chunk;  /* in which it was last the user's shape */
};

enum { ML_NO_RATIO = 127, ML_RATIO_MAX = 6 };

struct ml_path_guess {
	uint32_t first, second; /* path + 1, 0 is no idea */
};

/* What changes with every step: loops keep a copy in registers while they run. */
struct ml_predict_hot {
	uint32_t path, path1, path2; /* the last ones, hashed; newest first */
	uint32_t known;              /* mask of regs */
	int64_t moved;               /* delta of the last base */
	uint64_t recent;             /* value of the last base */
};

struct ml_predict {
	const struct ml_shapes *shapes;
	struct ml_path_guess guess[1 << ML_PREDICT_BITS]; /* by the last three paths */
	int64_t chain[1 << ML_CHAIN_BITS]; /* movements, by base and the value before it
					    */
	struct ml_predict_hot hot;
	uint64_t regs[ML_REGS + 1]; /* one more, for bases that derive from none */
	uint32_t caller;            /* in force outside the user's code */
	uint32_t user_shape;        /* the last of the user's own shapes that ran */
	bool user;                  /* the last step was in the user's code */
	uint32_t chunk;
	struct ml_base_state *base; /* by the state of struct ml_base */
	struct ml_shape_state *shape;
	size_t base_cap, shape_cap;
};

/* Makes room for the state of shapes that were added. */
static inline void ml_predict_shapes(struct ml_predict *p)
{
	const struct ml_shapes *s = p->shapes;

	p->base = ml_grow(p->base, &p->base_cap, s->states + 1, sizeof(*p->base));
	p->shape = ml_grow(p->shape, &p->shape_cap, s->count + 1, sizeof(*p->shape));
}

/* Forgets everything: a new chunk begins. */
static inline void ml_predict_reset(struct ml_predict *p)
{
	ml_predict_shapes(p);
	memset(p->guess, 0, sizeof(p->guess));
	memset(p->chain, 0, sizeof(p->chain));
	p->hot = (struct ml_predict_hot){ 0 };
	p->caller = 0;
	p->user_shape = 0;
	p->user = false;
	p->chunk++;
}

static inline void ml_predict_release(struct ml_predict *p)
{
	ml_free(p->base);
	ml_free(p->shape);
}

static inline struct ml_path_guess *ml_predict_path(struct ml_predict *p,
						    const struct ml_predict_hot *h)
{
	uint32_t hash = (h->path ^ h->path1 ^ h->path2) * 0x85ebca6bu;

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
	h->path2 = h->path1 * 0x2c1b3c6du;
	h->path1 = h->path * 0x297a2d39u;
	h->path = came * 0x9e3779b1u;
}

/* The state of a base, cleared if it is new to this chunk. */
static inline struct ml_base_state *ml_predict_state(struct ml_predict *p,
						     const struct ml_predict_hot *h,
						     const struct ml_base *base)
{
	struct ml_base_state *s = &p->base[base->state];

	if (__builtin_expect(s->chunk != p->chunk, 0))
		*s = (struct ml_base_state){ .last = h->recent,
					     .chunk = p->chunk,
					     .ratio = ML_NO_RATIO };
	return s;
}

/* By how much the base is expected to have moved since it was last seen. */
static inline int64_t ml_predict_base(const struct ml_predict *p,
				      const struct ml_predict_hot *h,
				      const struct ml_base_state *s,
				      const struct ml_base *b)
{
	if (h->known & b->mask)
		return (int64_t)(p->regs[b->reg] + (uint64_t)(int64_t)b->delta - s->last);
	if (__builtin_expect(s->ratio == ML_NO_RATIO, 1))
		return s->stride;
	return s->ratio >= 0 ? (int64_t)((uint64_t)h->moved << s->ratio)
			     : h->moved >> -s->ratio;
}

/* Where the second guess for a base is kept. */
static inline int64_t *ml_predict_chain(struct ml_predict *p,
					const struct ml_predict_hot *h,
					const struct ml_base *b)
{
	uint64_t hash = (h->recent ^ (uint64_t)b->state << 40) * 0x9e3779b97f4a7c15u;

	return &p->chain[hash >> (64 - ML_CHAIN_BITS)];
}

/*
 * The base moved otherwise: in proportion to the one before? So it is if both are the
 * same odd number times a power of two. Without branches, which would be guessed wrong:
 * what comes here is what nobody foresaw.
 */
static inline void ml_predict_learn(const struct ml_predict_hot *h,
				    struct ml_base_state *s, int64_t delta)
{
	int d = __builtin_ctzll((uint64_t)delta | 1ull << 63);
	int m = __builtin_ctzll((uint64_t)h->moved | 1ull << 63);
	bool fits = (delta >> d == h->moved >> m) & (delta != 0) &
		    ((unsigned)(d - m + ML_RATIO_MAX) <= 2 * ML_RATIO_MAX);
	int no = (int)fits - 1; /* all ones if it does not */

	s->ratio = (ML_NO_RATIO & no) | ((d - m) & ~no);
}

/* The base has moved by delta to value. */
static inline void ml_predict_saw(struct ml_predict *p, struct ml_predict_hot *h,
				  struct ml_base_state *s, const struct ml_base *b,
				  int64_t delta, uint64_t value)
{
	int64_t again = -(int64_t)(delta == s->delta); /* a select, not a branch */

	s->stride = (delta & again) | (s->stride & ~again);
	s->delta = delta;
	s->last = value;
	h->moved = delta;
	h->recent = value;
	p->regs[b->reg] = value - (uint64_t)(int64_t)b->delta;
	h->known |= b->mask;
}

/* What the registers hold after the step. */
static inline void ml_predict_leave(struct ml_predict *p, struct ml_predict_hot *h,
				    const struct ml_path *path, const uint64_t *value)
{
	h->known &= ~(uint32_t)path->clobber;
	for (unsigned i = 0; i < path->effects; i++) {
		struct ml_effect e = path->effect[i];

		p->regs[e.reg] = value[e.base] + (uint64_t)(int64_t)e.delta;
		h->known |= 1u << e.reg;
	}
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
	p->shape[p->user_shape] = (struct ml_shape_state){ caller, p->chunk };
}
