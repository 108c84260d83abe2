/*
 * Which attributes say something about each other, and about a selection. Columns are cut
 * into at most 16 groups: numbers into groups of about equal counts, names into the most
 * frequent and the rest. At most 100,000 rows are used, spread evenly.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_samples;
struct ml_selection;

struct ml_dependence {
	uint32_t a, b; /* columns, a < b */
	double bits;   /* mutual information, less its bias (Miller and Madow); 0 at least
			*/
	double share;  /* of the smaller entropy: 1 if one column tells the other */
};

/* All pairs of columns with more than one value, the strongest share first. */
size_t ml_information_pairs(struct ml_dependence **list, const struct ml_samples *s,
			    const struct ml_selection *sel, struct ml_arena *a);

struct ml_special {
	uint32_t column;
	double divergence; /* Jensen and Shannon's, in bits: 0 alike, 1 disjoint */
	/* The group whose share grew most: values low to high, or one name (low). */
	uint64_t low, high;
	bool rest; /* that group is the rare names, or the cells without a value */
	double inside, outside; /* its shares */
};

/* How the selected rows differ from all others, the largest divergence first. Empty if
 * one side is empty. */
size_t ml_information_special(struct ml_special **list, const struct ml_samples *s,
			      const struct ml_selection *sel, struct ml_arena *a);
