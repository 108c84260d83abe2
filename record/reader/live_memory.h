/*
 * The live pieces of a recorded process's memory, found by their first address. Each call
 * of malloc and free looks one up, so this is an open-addressing hash table of pieces.
 * Zero bytes are an empty table.
 * Held by tests/record/test_live_memory.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_memory_piece {
	uint64_t addr, size;
	uint64_t serial; /* from 1 in order of addition, unique */
	uint32_t number; /* the caller's: which stack or region */
	uint32_t state;  /* the table's own */
};

struct ml_live_memory {
	struct ml_memory_piece *cells;
	size_t used;     /* cells with a piece, live or removed */
	size_t cap;      /* a power of two */
	uint64_t serial; /* of the piece added last */
};

void ml_live_memory_release(struct ml_live_memory *l);
/* Replaces a piece that begins at the same address. */
void ml_live_memory_add(struct ml_live_memory *l, uint64_t addr, uint64_t size,
			uint32_t number);
/* The live piece that begins at addr, or NULL. Valid until the next add. */
struct ml_memory_piece *ml_live_memory_find(const struct ml_live_memory *l,
					    uint64_t addr);
/* Removes a piece that was found. */
void ml_live_memory_remove(struct ml_memory_piece *piece);
/* All live pieces in order of addition; the caller frees the list with ml_free. */
struct ml_memory_piece *ml_live_memory_list(const struct ml_live_memory *l,
					    size_t *count);
