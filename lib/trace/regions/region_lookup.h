/*
 * Finds the region that a reference touches. A lookup holds the address space of the
 * traced program at one moment and moves forward in time with the references, while heap
 * blocks begin and end. Every reference has a place: an address without a known variable
 * or block belongs to a region of kind SECTION, CODE, MMAP, STACK or OTHER.
 *
 * Region numbers are those of the trace's tables. The lookup adds regions after them: one
 * for the stack of each thread x function, one for each kind of unnamed memory.
 * Held by tests/trace/test_region_lookup.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "lib/trace/tables.h"

struct ml_trace;
struct ml_region_lookup;

struct ml_place {
	uint32_t region;
	uint64_t block;  /* instance: index into the trace's blocks, or ML_NO_BLOCK */
	uint64_t offset; /* bytes from the start of the block, or of the mapping, stack or
			    variable; 0 where nothing is mapped */
};

#define ML_NO_BLOCK UINT64_MAX

/*
 * A combination of site, caller and region that occurs in the trace. The lookup numbers
 * cells from 0 as it finds them, so that a pass can count by line or by region in an
 * array.
 */
struct ml_cell {
	uint32_t site, caller, region;
};

/* Opens a lookup at the start of the trace. NULL: the block events are damaged. */
struct ml_region_lookup *ml_region_lookup_open(struct ml_trace *t, struct ml_err *err);
/*
 * Opens another lookup of the same trace, whose added regions have the same numbers as
 * in `other`, which has walked the whole trace. A walk over a window uses it: the walk
 * may find the added regions in another order.
 */
struct ml_region_lookup *ml_region_lookup_open_like(const struct ml_region_lookup *other,
						    struct ml_err *err);
void ml_region_lookup_close(struct ml_region_lookup *l);

/* The place of one reference. Times must not decrease; to go back, call
 * ml_region_lookup_rewind. */
struct ml_place ml_region_lookup_find(struct ml_region_lookup *l,
				      const struct ml_ref *ref);
void ml_region_lookup_rewind(struct ml_region_lookup *l);
/* The places of all references of a batch, as columns. */
void ml_region_lookup_places(struct ml_region_lookup *l, const struct ml_batch *batch,
			     uint32_t *region, uint64_t *block, uint64_t *offset);
/* The cells of all references of a batch; many times faster than finding each. */
void ml_region_lookup_cells(struct ml_region_lookup *l, const struct ml_batch *batch,
			    uint32_t *cell);
size_t ml_region_lookup_cell_count(const struct ml_region_lookup *l);
/* The cell of a number; valid until the next batch. */
const struct ml_cell *ml_region_lookup_cell(const struct ml_region_lookup *l,
					    uint32_t cell);
/* The regions of a column of cells; both columns may be the same memory. */
void ml_region_lookup_cell_regions(const struct ml_region_lookup *l, const uint32_t *cell,
				   size_t count, uint32_t *region);
/* The regions of a batch. */
void ml_region_lookup_batch(struct ml_region_lookup *l, const struct ml_batch *batch,
			    uint32_t *region);

/* Number of regions, including the added ones. */
uint32_t ml_region_lookup_regions(const struct ml_region_lookup *l);
const struct ml_region *ml_region_lookup_region(const struct ml_region_lookup *l,
						uint32_t region);
const char *ml_region_lookup_name(const struct ml_region_lookup *l, uint32_t region);
/* Bytes of the place's block, or of its variable; 0: unknown. */
uint64_t ml_region_lookup_size(const struct ml_region_lookup *l,
			       const struct ml_place *p);

/* The datum as a programmer would write it: "A[3][7].x", "buf+24". */
const char *ml_region_lookup_describe(const struct ml_region_lookup *l,
				      const struct ml_place *p, struct ml_arena *a);
