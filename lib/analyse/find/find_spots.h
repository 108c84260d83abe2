/*
 * The profile summed by line of code and region (a spot), and what finders ask of it: the
 * cost of misses, regions that stand for others, who may lay out what.
 *
 * Costs: a reference served by level k takes the cycles of level k. The cycles beyond
 * those of L1 are its excess. A miss of level l costs cycles(l + 1) - cycles(l), so the
 * excess of a reference is the sum over the levels that it missed, and can be split by
 * cause. A transfer from another core, which costs more than the level that then serves
 * the line, counts for the causes sharing and false sharing; the translation of addresses
 * has no cause.
 */
#pragma once

#include "lib/analyse/find/finder.h"

/* All references of one line of the user's code to one region. */
struct ml_spot {
	uint32_t line; /* number in user_lines */
	uint32_t region;
	uint64_t refs, bytes, kind[3];
	uint64_t served[ML_SERVED];
	uint64_t cause[ML_LEVELS][ML_CAUSES];
	double excess, by_cause[ML_CAUSES]; /* cycles */
	struct ml_surcharge surcharge;
	double translation; /* cycles of the excess that TLBs and walks take */
	const struct ml_profile_cell *worst; /* the cell with the most excess */
	double worst_excess;
};

void ml_find_spots(struct ml_find *f);
void ml_find_release(struct ml_find *f);

/*
 * The spot of a reference; NULL: it was not simulated, or is a library's without a
 * caller.
 */
struct ml_spot *ml_find_spot(const struct ml_find *f, uint32_t site, uint32_t caller,
			     uint32_t region);
/* Cycles of a page found by a TLB, from 1, or by a walk: one more than there are TLBs. */
double ml_find_translation(const struct ml_find *f, unsigned tlb);
/* Cycles that one miss of a level (from 1) costs. */
double ml_find_miss(const struct ml_find *f, unsigned level);
uint64_t ml_find_missed(const uint64_t served[ML_SERVED], unsigned level);
/* Whether two spots are lines of one function. */
bool ml_find_together(const struct ml_find *f, const struct ml_spot *a,
		      const struct ml_spot *b);
/* Of misses by level, the level whose misses cost most, from 1. */
unsigned ml_find_worst_level(const struct ml_find *f, const uint64_t missed[ML_LEVELS]);
/* The spot of a region that costs most, or NULL. */
const struct ml_spot *ml_find_worst(const struct ml_find *f, uint32_t region);
/* All spots of a region together; line and worst are those of the worst one. */
struct ml_spot ml_find_sum(const struct ml_find *f, uint32_t region);
/*
 * Whether this spot, and all behind it, cost too little to make a finding, unless there
 * are hundreds.
 */
bool ml_find_negligible(const struct ml_find *f, const struct ml_spot *s);
/* The number of spots before the first negligible one: for loops over references. */
size_t ml_find_costly(const struct ml_find *f);
/*
 * Whether the spot's worst instruction has no steps that repeat, or only within short
 * runs: pointers, indices, hash tables, rows of a sparse matrix.
 */
bool ml_find_irregular(const struct ml_find *f, const struct ml_spot *s);
/* Whether some program lays out the region: a variable, heap blocks... */
bool ml_find_layable(const struct ml_find *f, uint32_t region);
/* Whether the user can lay out the region in another way: the same, of the user's code.
 */
bool ml_find_movable(const struct ml_find *f, uint32_t region);

/*
 * The region that stands for this one. Heap blocks that one source line allocates for one
 * variable are one region here, whatever calls led to that line: a recursive function has
 * a stack for every depth. Spots, and the references that see gets, have such regions;
 * the profile has not.
 */
uint32_t ml_find_same(const struct ml_find *f, uint32_t region);
/* The use of the lines of a region in a level; lines is 0 if it is not known. */
struct ml_profile_use ml_find_use(const struct ml_find *f, uint32_t region,
				  unsigned level);
/* The largest block of a region, or NULL; *count, if not NULL: the number of its blocks.
 */
const struct ml_block *ml_find_largest_block(const struct ml_find *f, uint32_t region,
					     size_t *count);
/* Its bytes. */
uint64_t ml_find_block_size(const struct ml_find *f, uint32_t region, size_t *count);

/* Cycles of a cell beyond those of L1: outer levels, translation, other cores. */
double ml_find_cell_waits(const struct ml_find *f, const struct ml_profile_cell *c);

/* The sites of a line, as struct ml_change wants them. */
const bool *ml_find_sites(struct ml_find *f, uint32_t line);
