/*
 * Variants of a selection: a page of them, a sample, how their parameters are
 * distributed, and the ones that failed most narrowly.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/prune/prune.h"

struct ml_work;

/* Variants with agreeing masks, as ml_prune_select takes them. */
struct ml_selection_of {
	uint32_t care, want;
};

struct ml_variant_list {
	size_t width;    /* values of a row: one for each parameter */
	size_t count;    /* of rows */
	int64_t *values; /* count * width */
	uint32_t *masks; /* of each row: what it fails */
};

/* Rows from the offset on, at most limit; they live in a. */
bool ml_variant_list_page(struct ml_variant_list *l, const struct ml_prune *p,
			  struct ml_selection_of of, uint64_t offset, size_t limit,
			  struct ml_arena *a, const struct ml_work *work,
			  struct ml_err *err);
/*
 * `count` of the `total` variants of the selection, each set of them equally likely, in
 * order. The same seed takes the same ones.
 */
bool ml_variant_list_sample(struct ml_variant_list *l, const struct ml_prune *p,
			    struct ml_selection_of of, uint64_t total, size_t count,
			    uint64_t seed, struct ml_arena *a, const struct ml_work *work,
			    struct ml_err *err);

/* How often each value of a parameter occurs; values are joined where there are many. */
struct ml_distribution {
	int64_t lo;     /* first value of the first bin */
	uint64_t width; /* values of a bin */
	size_t count;   /* of bins */
	uint64_t *bins;
};

/* Of each parameter, with at most `bins` bins. */
bool ml_variant_list_distributions(struct ml_distribution *d, const struct ml_prune *p,
				   struct ml_selection_of of, size_t bins,
				   struct ml_arena *a, const struct ml_work *work,
				   struct ml_err *err);

/*
 * The variants that fail fewest constraints, the narrowest first; the combination table
 * says how many constraints that are. The distance of a variant adds up, for each failed
 * constraint, by which part of itself a compared value would have to change; a constraint
 * that compares for equality counts 1.
 */
bool ml_variant_list_nearest(struct ml_variant_list *l, double **distances,
			     const struct ml_prune *p, const struct ml_combos *t,
			     size_t limit, struct ml_arena *a, const struct ml_work *work,
			     struct ml_err *err);
