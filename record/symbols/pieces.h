/*
 * Ranges of addresses, each with the index of the unit or function that it belongs to.
 * Add all, sort once, then find.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct ml_piece {
	uint64_t low, high;
	uint32_t index; /* of a unit or function */
};

struct ml_pieces {
	struct ml_piece *at; /* by low, once they are sorted */
	size_t count, cap;
};

/* Adds the ranges of a DIE. */
void ml_pieces_add_die(struct ml_pieces *p, Dwarf_Die *die, size_t index);
void ml_pieces_sort(struct ml_pieces *p);
/* The piece that holds addr, or NULL. */
const struct ml_piece *ml_pieces_find(const struct ml_pieces *p, uint64_t addr);
void ml_pieces_release(struct ml_pieces *p);
