/*
 * Converts the payload of ML_WORD_SHAPE (record/ring.h) to a shape of the trace, with its
 * sites resolved.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_objects;
struct ml_shape;

/* NULL: the words are malformed. The shape lives in a. */
const struct ml_shape *ml_guest_shape(const uint64_t *words, size_t count,
				      struct ml_objects *objects, struct ml_arena *a);
