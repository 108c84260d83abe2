/*
 * Steps of which some references are left out. What remains of a shape is a
 * shape too: made once for each shape and choice of slots, then used like any.
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

struct ml_thin {
	struct ml_writer *writer;
	struct ml_map made; /* hash of shape and slots kept -> index + 1 into rest */
	struct ml_thin_shape {
		uint32_t number; /* in the trace */
		uint16_t bases;
		uint16_t *from; /* which base of the whole shape each one is */
	} * rest;
	size_t count, cap;
	struct ml_arena arena;
};

void ml_thin_init(struct ml_thin *t, struct ml_writer *writer);
void ml_thin_release(struct ml_thin *t);
/* Writes those of the first `slots` slots of a step that are kept. */
bool ml_thin_step(struct ml_thin *t, const struct ml_shape *shape, uint32_t number,
		  uint32_t caller, const uint64_t *value, const bool *keep, size_t slots,
		  struct ml_err *err);
