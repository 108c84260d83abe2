/*
 * Rows of a table that are blocks of their own: pointers to rows, or vectors of vectors.
 * A program that allocates them one after the other finds them in memory at equal
 * distances, as the rows of one array.
 */
#pragma once

#include "lib/analyse/find/find_spots.h"

struct ml_rows {
	uint64_t base, size; /* bytes of all rows; size 0: there are no such rows */
};

/*
 * Whether each heap block of the region is one structure of known fields: nodes of lists
 * and trees, which are no rows.
 */
bool ml_rows_are_nodes(const struct ml_find *f, uint32_t region);
/* The longest run of blocks of a region that follow each other every `pitch` bytes. */
struct ml_rows ml_rows_find(const struct ml_find *f, uint32_t region, uint64_t pitch);
/*
 * Leaves out the reads of pointers to the rows, one for each reference of the spot to a
 * row: a loop along a row needs one in all. NULL: there are none.
 */
const struct ml_change *ml_rows_pointers(struct ml_find *f, const struct ml_spot *s);
