/*
 * From the references of a program built by `memlamp cc`, which tells them one by one
 * (record/ring.h), to the steps of a trace.
 *
 * Places at which steps keep beginning are heads of tracks (reference_heads.h). A track
 * is a shape with an exit behind each reference: as many references as went along it are
 * one step. Addresses that follow from others by a constant (fields of a struct, the next
 * element) or moved as others did are compared, and not written.
 *
 * This runs for each reference of a recording, at about a nanosecond each.
 * Held by tests/record/test_reference_steps.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "record/tracks/reference_heads.h"
#include "record/tracks/reference_places.h"

struct ml_objects;
struct ml_writer;

struct ml_reference_steps {
	struct ml_reference_places places;
	struct ml_reference_heads heads;
	bool fast; /* eight references are compared at a time */
};

/* g stays where it is until it is released. */
void ml_reference_steps_init(struct ml_reference_steps *g, struct ml_objects *objects,
			     struct ml_writer *writer);
void ml_reference_steps_release(struct ml_reference_steps *g);
/* Forgets all places and tracks: other code may be mapped where some was. */
void ml_reference_steps_forget(struct ml_reference_steps *g);

/*
 * Takes pairs, all of one thread, up to the first word that begins none; *at moves on.
 * False: the trace cannot be written.
 */
bool ml_reference_steps_take(struct ml_reference_steps *g, const uint64_t **at,
			     const uint64_t *end, struct ml_err *err);
