/*
 * Pieces of a recorded process's memory that live now, found by where they begin. A hash
 * table whose cells are the pieces, as each call of malloc and free looks one up. Zero
 * bytes are an empty one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_memory_piece {
	uint64_t addr, size;
	uint64_t serial; /* from 1; later ones have higher ones, none ever the same */
	uint32_t number; /* whatever it means to who adds it */
	uint32_t state;  /* for the table */
};

struct ml_live_memory {
	struct ml_memory_piece *cells;
	size_t used, cap; /* used: with those that live no more; cap is a power of two */
	uint64_t serial;  /* of the last one */
};

void ml_live_memory_release(struct ml_live_memory *l);
/* In the place of what began there. */
void ml_live_memory_add(struct ml_live_memory *l, uint64_t addr, uint64_t size,
			uint32_t number);
/* What begins there, or NULL. Valid until the next add. */
struct ml_memory_piece *ml_live_memory_find(const struct ml_live_memory *l,
					    uint64_t addr);
/* One that was found lives no more. */
void ml_live_memory_end(struct ml_memory_piece *piece);
/* All of them in the order in which they came; ml_free frees the list. */
struct ml_memory_piece *ml_live_memory_list(const struct ml_live_memory *l,
					    size_t *count);
