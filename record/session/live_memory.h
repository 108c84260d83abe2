/*
 * Pieces of a recorded process's memory that live now, found by where they begin. A hash
 * table whose cells are the pieces, as each call of malloc and free looks one up. Zero
 * bytes are an empty one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_guest_piece {
	uint64_t addr, size;
	uint64_t serial; /* from 1; later ones have higher ones, none ever the same */
	uint32_t number; /* whatever it means to who adds it */
	uint32_t state;  /* for the table */
};

struct ml_guest_live {
	struct ml_guest_piece *cells;
	size_t used, cap; /* used: with those that live no more; cap is a power of two */
	uint64_t serial;  /* of the last one */
};

void ml_guest_live_release(struct ml_guest_live *l);
/* In the place of what began there. */
void ml_guest_live_add(struct ml_guest_live *l, uint64_t addr, uint64_t size,
		       uint32_t number);
/* What begins there, or NULL. Valid until the next add. */
struct ml_guest_piece *ml_guest_live_find(const struct ml_guest_live *l, uint64_t addr);
/* One that was found lives no more. */
void ml_guest_live_end(struct ml_guest_piece *piece);
/* All of them in the order in which they came; ml_free frees the list. */
struct ml_guest_piece *ml_guest_live_list(const struct ml_guest_live *l, size_t *count);
