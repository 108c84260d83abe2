/*
 * Converts the payload of ML_WORD_SHAPE (record/ring.h) to a shape of the trace, with its
 * sites resolved.
 * Held by tests/record/test_guest_shape.c.
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

/* The site of the last call instruction in the user's code before each exit, and before
 * the end; 0: none. words: those of the shape. */
const uint32_t *ml_guest_shape_calls(const uint64_t *words, const struct ml_shape *shape,
				     struct ml_objects *objects, struct ml_arena *a);
