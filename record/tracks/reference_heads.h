/*
 * The heads among the places that make references, and their tracks: when they are made,
 * and when better ones replace them.
 *
 * One reference says little about what follows. So a head is a place together with the
 * places of the references next after it: paths that part ways behind a place have heads
 * of their own, and tracks need no side tracks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "record/tracks/draft.h"
#include "record/tracks/head.h"
#include "record/tracks/reference_places.h"

struct ml_reference_track;

enum {
	ML_REFERENCE_AHEAD = 3, /* places that make a head */
	ML_REFERENCE_HEADS = 1 << 17,
};

struct ml_reference_head {
	uint64_t key;                     /* of its places; 0: this entry is empty */
	struct ml_reference_track *track; /* or NULL */
	struct ml_head head;
};

struct ml_reference_heads {
	struct ml_reference_places *places;
	struct ml_reference_head *at; /* by key, open addressing; cap is a power of two */
	size_t count, cap;
	size_t tracks; /* made so far */
	struct ml_drafts drafts;
	struct ml_join *join; /* one for all tracks: it is large */
	struct ml_arena arena;
};

void ml_reference_heads_init(struct ml_reference_heads *g,
			     struct ml_reference_places *places);
void ml_reference_heads_release(struct ml_reference_heads *g);
/* Forgets all heads: other code may be mapped where some was. */
void ml_reference_heads_forget(struct ml_reference_heads *g);

/* The key of the head at w, where so many references can be read. */
static inline uint64_t ml_reference_heads_key(const uint64_t *w, size_t room)
{
	static const uint64_t factor[ML_REFERENCE_AHEAD] = { 0x9e3779b97f4a7c15u,
							     0xd6e8feb86659fd93u,
							     0xc2b2ae3d27d4eb4fu };
	uint64_t key = *w * factor[0];

	for (unsigned i = 1;
	     i < ML_REFERENCE_AHEAD && i < room && ml_reference_is_pair(w[2 * i]); i++)
		key += w[2 * i] * factor[i];
	key ^= key >> 32;
	return key ? key : 1;
}

/* The entry of the key; its own key is 0 if there is no such head. */
static inline struct ml_reference_head *
ml_reference_heads_find(const struct ml_reference_heads *g, uint64_t key)
{
	size_t i = key & (g->cap - 1);

	while (g->at[i].key && g->at[i].key != key)
		i = (i + 1) & (g->cap - 1);
	return &g->at[i];
}

/* A step begins at w, where there is no track; so many references can be read. */
void ml_reference_heads_heat(struct ml_reference_heads *g, const uint64_t *w,
			     size_t room);
/* A use of the head's track, at w, is a run for its review. */
void ml_reference_heads_review(struct ml_reference_heads *g, struct ml_reference_head *h,
			       const uint64_t *w, size_t room);
