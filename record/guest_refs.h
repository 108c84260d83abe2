/*
 * From the references of a guest that tells them one by one (record/ring.h) to
 * the steps of a trace.
 *
 * A place that often begins something is the head of a track: the references that
 * followed it are expected to follow it again, in the same order. Two of their runs
 * show which addresses follow from others by a constant (fields of a struct, the next
 * element, one global and another); those are compared from then on, and not written.
 * A track is a shape with an exit behind each reference, so whatever happens, as much
 * as went as expected is one step. A constant that turns out to be none is taken back,
 * a track that is left at once gives way to another.
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

struct ml_objects;
struct ml_writer;

enum {
	ML_GUEST_TRACK = 64,       /* references of a track at most */
	ML_GUEST_TRACKS = 1 << 14, /* tracks */
};

/* A place in the program that makes references. */
struct ml_guest_head {
	uint64_t word; /* as the guest tells it; 0: none */
	uint32_t path; /* of the reference alone */
	uint32_t site;
	uint32_t number; /* its shape's */
	uint32_t state;  /* of its base */
	uint16_t slots;  /* 1, or 2 if it reads and writes */
	uint8_t call;    /* ML_REF_ENTRY or RETURN: no reference; else 0 */
	bool user;
	uint32_t count; /* steps that began here since the last decision */
	uint32_t tries;
	struct ml_guest_track *track; /* or NULL */
	struct ml_guest_draft *draft; /* or NULL: of the track to be */
};

struct ml_guest_refs {
	struct ml_objects *objects;
	struct ml_writer *writer;
	struct ml_guest_head *heads; /* by hash, open addressing */
	size_t head_count, head_cap; /* a power of two */
	size_t tracks;
	bool fast; /* tracks are followed by record/follow.h */
	struct ml_arena arena;
};

void ml_guest_refs_init(struct ml_guest_refs *g, struct ml_objects *objects,
			struct ml_writer *writer);
void ml_guest_refs_release(struct ml_guest_refs *g);
/* Other code may be mapped now where some was. */
void ml_guest_refs_forget(struct ml_guest_refs *g);

/* Does a pair begin here? */
static inline bool ml_guest_is_ref(uint64_t word)
{
	return !(word >> 63) && word >> 48;
}

/* The place that a word names. Valid until the next one is asked for. */
struct ml_guest_head *ml_guest_refs_head(struct ml_guest_refs *g, uint64_t word);
/*
 * Takes pairs, all of one thread, up to the first word that begins none; *at moves on.
 * False: the trace cannot be written.
 */
bool ml_guest_refs_take(struct ml_guest_refs *g, const uint64_t **at, const uint64_t *end,
			struct ml_err *err);
