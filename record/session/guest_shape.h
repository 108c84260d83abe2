/*
 * The description of a shape as guests give it (record/ring.h) made into one
 * of the trace, with its sites resolved.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_objects;
struct ml_shape;

/* NULL if the words make no sense. It lives in a. */
const struct ml_shape *ml_guest_shape(const uint64_t *words, size_t count,
				      struct ml_objects *objects, struct ml_arena *a);
