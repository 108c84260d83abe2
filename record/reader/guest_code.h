/*
 * Converts the payload of ML_WORD_CODE (record/ring.h) to a superblock of the trace
 * (lib/trace/control.h), and sees to it that the trace names the places in the source that
 * loops are called by.
 * Held by tests/record/test_guest_code.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_control;
struct ml_objects;

/* The superblocks that the guest has declared, by the number of the shape. */
struct ml_guest_code {
	uint32_t *superblock; /* its number in the trace + 1; 0: none */
	size_t cap;
};

void ml_guest_code_release(struct ml_guest_code *g);
/* shape: the number of the first of its shapes. False: the words are malformed. */
bool ml_guest_code_add(struct ml_guest_code *g, uint32_t shape, const uint64_t *words,
		       size_t count, struct ml_objects *objects, struct ml_control *code);
/* The shape that the guest calls `id` has this number in the trace. */
void ml_guest_code_shape(const struct ml_guest_code *g, uint32_t id, uint32_t shape,
			 struct ml_control *code);
