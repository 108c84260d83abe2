/*
 * The inside of a lookup, which region_lookup.c (single references) and
 * region_lookup_batch.c (whole batches) share.
 */
#pragma once

#include "lib/base/map.h"
#include "lib/trace/regions/live_blocks.h"
#include "lib/trace/regions/stack_index.h"
#include "lib/trace/regions/region_lookup.h"

enum {
	ML_REGION_LOOKUP_MEMO = 8192,  /* sites whose last place is cached */
	ML_REGION_LOOKUP_LINES = 8192, /* address lines whose region is cached */
	ML_REGION_LOOKUP_LINE_BITS = 6,
};

/* A range of addresses and its region. The stretches of a list do not overlap. */
struct ml_region_lookup_stretch {
	uint64_t low, high;
	uint32_t region;
	uint64_t origin; /* address at which offset 0 is */
};

/* The region of a reference, and the addresses and times for which the answer holds. */
struct ml_region_lookup_found {
	uint64_t low, high; /* addresses */
	uint64_t origin, block;
	uint64_t until; /* time at which the answer expires */
	uint32_t region;
	bool hole;     /* no block is here; the answer expires when a block begins here */
	bool unmapped; /* nothing is mapped here; offsets are 0 */
};

/* The last answer for a site: most references of a site touch one block. */
struct ml_region_lookup_memo {
	struct ml_region_lookup_found found;
	uint32_t site, caller, epoch;
	uint16_t thread;
};

/* The region of an address line, or of the block around it; never of a stack. */
struct ml_region_lookup_line {
	uint64_t low, until;
	uint32_t span; /* bytes from low on; 0: the entry is empty */
	uint32_t region, epoch;
	bool hole;
};

/*
 * The cell of the last reference of a site, and the addresses and times for which it
 * holds. A program uses thousands of sites, and their spots should fit the processor's
 * cache: hence so few bytes.
 */
struct ml_region_lookup_spot {
	uint64_t low;
	uint32_t span;    /* bytes from low on; 0: the spot is empty */
	uint32_t until;   /* time since the lookup's `base`; UINT32_MAX: never */
	uint32_t context; /* caller, thread and epoch in one number */
	uint32_t cell;
};

/* Consulted when the spot of a site does not hold a reference. */
struct ml_region_lookup_spare {
	struct ml_region_lookup_spot second; /* the spot before the last one */
	uint32_t region[2];                  /* of the spot and of the second */
	/* A third cell of the site: by context and region, without addresses. */
	uint32_t context, third, cell;
};

/* The number that a thread adds to a caller to get a context, valid for one age. */
struct ml_region_lookup_thread {
	uint32_t age, context;
};

struct ml_region_lookup_slot {
	struct ml_cell cell;
	uint32_t number; /* of the cell, + 1; 0: an empty slot */
};

struct ml_region_lookup {
	struct ml_trace *trace;
	uint64_t due; /* time at which the next block or mapping begins */
	/* Globals, sections, code, by address; each address has its innermost block. */
	struct ml_region_lookup_stretch *statics;
	size_t static_count, static_cap;
	struct ml_region_lookup_stretch *maps; /* the mappings now, by address */
	size_t map_count, map_cap;
	struct ml_live_blocks heap, over; /* the live heap and registered blocks */
	struct ml_stack_index stack_index;
	bool nested; /* a registered block began inside another one */
	size_t next_block, next_map;
	/* Added regions, by thread and function, or by kind and file of the mapping. */
	struct ml_map stacks, others;
	struct ml_region *own; /* the added regions */
	const char **own_name;
	size_t own_count, own_cap, name_cap;
	uint32_t *ordinal; /* of each block within its region, from 0 */
	uint32_t *blocks;  /* number of blocks of each region */
	uint32_t *func;    /* of each site: the function that its stack is named after,
			      + 1; 0: not asked for yet */
	uint32_t epoch;    /* cached answers of an earlier epoch are invalid */
	struct ml_region_lookup_memo memo[ML_REGION_LOOKUP_MEMO];

	struct ml_region_lookup_line lines[ML_REGION_LOOKUP_LINES]; /* by address */
	struct ml_region_lookup_line
		stack; /* the last stack, which `lines` never holds */
	struct ml_region_lookup_spot *spots;     /* by site */
	struct ml_region_lookup_spare *spares;   /* by site */
	struct ml_region_lookup_thread *threads; /* by thread */
	uint64_t base;                           /* the time 0 of spots */
	uint32_t age;                            /* counts changes of base and of epoch */
	uint32_t contexts;   /* the last context number given to a thread */
	uint32_t spot_epoch; /* the epoch of the spots */
	struct ml_cell *cells;
	struct ml_region_lookup_slot *slots; /* by a hash of the cell */
	size_t cell_count, cell_cap, slot_count;
	struct ml_arena arena;
};

/* Moves forward to a time: applies the blocks and mappings that begin until then. */
void ml_region_lookup_advance(struct ml_region_lookup *l, uint64_t time);
/* Finds the place of a reference without the caches. */
struct ml_region_lookup_found ml_region_lookup_look(struct ml_region_lookup *l,
						    const struct ml_ref *ref);
/* A block begins: drops the cached holes that it covers. */
void ml_region_lookup_fill_holes(struct ml_region_lookup *l, const struct ml_block *b);
