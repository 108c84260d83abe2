/*
 * From the references of a guest that tells them one by one (record/ring.h) to
 * the steps of a trace.
 *
 * A step is begun by a head: a place and the places next after it, as far as they tell
 * what will follow. Heads that often begin something get a track
 * (record/tracks/reference_track.h): where most of some runs went
 * (record/tracks/reference_draft.h), and which addresses followed from others by a
 * constant (fields of a struct, the next element, one global and another) or moved as
 * others did. Those are compared from then on, and not written. A track is a shape with
 * an exit behind each reference, so whatever happens, as much as went as expected is one
 * step. From time to time a few more runs are looked at: if another track would have
 * told them for less, it takes over.
 *
 * This runs for each reference of a recording, at about a nanosecond each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/shape.h"

struct ml_reference_draft;
struct ml_objects;
struct ml_writer;

enum {
	ML_GUEST_TRACKS = 1 << 14,
	ML_GUEST_HEADS = 1 << 17,
	ML_GUEST_DRAFTS = 128, /* at the same time */
};

/* A place in the program that makes references. */
struct ml_guest_place {
	uint64_t word; /* as the guest tells it; 0: none */
	uint32_t path; /* of the reference alone */
	uint32_t site;
	uint32_t number; /* its shape's */
	uint32_t state;  /* of its base */
	uint16_t slots;  /* 1, or 2 if it reads and writes */
	uint8_t call;    /* ML_REF_ENTRY or RETURN: no reference; else 0 */
	bool user;
};

/* Where a track may begin. */
struct ml_guest_head {
	uint64_t key;                           /* of some places in a row; 0: none */
	struct ml_reference_steps_track *track; /* or NULL */
	uint32_t count;                         /* steps that began here without one */
	uint16_t tries;
	uint16_t draft; /* number + 1 of the one that it has had last */
};

struct ml_reference_steps {
	struct ml_objects *objects;
	struct ml_writer *writer;
	/* Both by hash, open addressing; the caps are powers of two. */
	struct ml_guest_place *places;
	size_t place_count, place_cap;
	struct ml_guest_head *heads;
	size_t head_count, head_cap;
	size_t tracks;
	struct ml_reference_draft *draft[ML_GUEST_DRAFTS];
	size_t next;    /* draft that is looked for first */
	uint64_t looks; /* in all */
	bool fast;      /* eight references are compared at a time */
	struct ml_arena arena;
};

void ml_reference_steps_init(struct ml_reference_steps *g, struct ml_objects *objects,
			     struct ml_writer *writer);
void ml_reference_steps_release(struct ml_reference_steps *g);
/* Other code may be mapped now where some was. */
void ml_reference_steps_forget(struct ml_reference_steps *g);

/* Does a pair begin here? */
static inline bool ml_guest_is_ref(uint64_t word)
{
	return !(word >> 63) && word >> 48;
}

/* The place that a word names. Valid until the next one is asked for. */
struct ml_guest_place *ml_reference_steps_place(struct ml_reference_steps *g,
						uint64_t word);
/*
 * Takes pairs, all of one thread, up to the first word that begins none; *at moves on.
 * False: the trace cannot be written.
 */
bool ml_reference_steps_take(struct ml_reference_steps *g, const uint64_t **at,
			     const uint64_t *end, struct ml_err *err);
