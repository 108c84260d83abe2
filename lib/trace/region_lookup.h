/*
 * Which region a reference touches. A space is the address space of the traced
 * program at one moment, moved forwards through time with the references: heap
 * blocks come and go. Every reference has a place; what is known least about
 * falls into regions of kind SECTION, CODE, MMAP, STACK or OTHER.
 *
 * Region numbers are those of the trace's tables; the space adds regions of its
 * own behind them (stack of a thread x function, one for each kind of other).
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
	uint64_t offset; /* bytes from the start of the block; from the region's lowest
			    address where there is no block */
};

#define ML_NO_BLOCK UINT64_MAX

/*
 * A combination of site, caller and region that occurs. The space numbers those that it
 * meets, from 0, so that whoever counts by line or by region has an array of counts.
 */
struct ml_cell {
	uint32_t site, caller, region;
};

/* Loads the trace's block events. NULL: they are damaged. */
struct ml_region_lookup *ml_region_lookup_open(struct ml_trace *t, struct ml_err *err);
/*
 * One more space of the same trace, whose own regions have the numbers that they have
 * in `other`, which has walked the whole trace. For looking at a window: its first
 * reference may be anywhere.
 */
struct ml_region_lookup *ml_region_lookup_open_like(const struct ml_region_lookup *other,
						    struct ml_err *err);
void ml_region_lookup_close(struct ml_region_lookup *s);

/* The place of one reference. Times must not decrease; ml_region_lookup_rewind starts
 * anew. */
struct ml_place ml_region_lookup_find(struct ml_region_lookup *s,
				      const struct ml_ref *ref);
void ml_region_lookup_rewind(struct ml_region_lookup *s);
/* The cells of all references of a batch at once: many times as fast. */
void ml_region_lookup_cells(struct ml_region_lookup *s, const struct ml_batch *batch,
			    uint32_t *cell);
size_t ml_region_lookup_cell_count(const struct ml_region_lookup *s);
/* What number `cell` stands for; valid until the next batch. */
const struct ml_cell *ml_region_lookup_cell(const struct ml_region_lookup *s,
					    uint32_t cell);
/* The regions of a column of cells; region may be the same column. */
void ml_region_lookup_cell_regions(const struct ml_region_lookup *s, const uint32_t *cell,
				   size_t count, uint32_t *region);
/* Both in one: the regions of a batch. */
void ml_region_lookup_batch(struct ml_region_lookup *s, const struct ml_batch *batch,
			    uint32_t *region);

uint32_t ml_region_lookup_regions(
	const struct ml_region_lookup *s); /* how many, with those of its own */
const struct ml_region *ml_region_lookup_region(const struct ml_region_lookup *s,
						uint32_t region);
const char *ml_region_lookup_name(const struct ml_region_lookup *s, uint32_t region);
/* Bytes of instance `block`, or of the region where it has none; 0 unknown. */
uint64_t ml_region_lookup_size(const struct ml_region_lookup *s,
			       const struct ml_place *p);

/* "A[3][7].x", "buf+24": the datum as a person would write it. */
const char *ml_region_lookup_describe(const struct ml_region_lookup *s,
				      const struct ml_place *p, struct ml_arena *a);
