/*
 * Writes steps of which the filter keeps only some references. The kept slots of a shape
 * form a shape of their own, which is made once for each shape and choice of slots.
 * Held by tests/record/test_partial_steps.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/map.h"

struct ml_shape;
struct ml_writer;

struct ml_partial_steps {
	struct ml_writer *writer;
	struct ml_map made; /* index in shapes by hash of shape and kept slots */
	struct ml_partial_shape {
		uint32_t number; /* in the trace */
		uint16_t bases;
		uint16_t *from; /* base of the whole shape, for each base of this one */
	} * shapes;
	size_t count, cap;
	struct ml_arena arena;
};

void ml_partial_steps_init(struct ml_partial_steps *t, struct ml_writer *writer);
void ml_partial_steps_release(struct ml_partial_steps *t);
/* Writes the kept ones of the first `slots` slots of a step. */
bool ml_partial_steps_write(struct ml_partial_steps *t, const struct ml_shape *shape,
			    uint32_t number, uint32_t caller, const uint64_t *value,
			    const bool *keep, size_t slots, struct ml_err *err);
