/*
 * What there is to tell of a search space, as tables and as JSON: the command line prints
 * them, and the routes of the page send the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/prune/variant_list.h"
#include "lib/prune/search.h"

struct ml_json;
struct ml_table;

/* Constraints in an order: those that were named, then the others as they stand. */
struct ml_prune_order {
	uint8_t at[ML_COMBOS_CONSTRAINTS];
	size_t named; /* how many were named */
};

/* Reads "a,b,c"; NULL and "" name none. */
bool ml_prune_read_order(struct ml_prune_order *o, const struct ml_combos *t,
			 const char *text, struct ml_err *err);
/* Reads "a,!b": fails a, passes b; NULL is the survivors, "" is everything. */
bool ml_prune_read_where(struct ml_selection_of *of, const struct ml_combos *t,
			 const char *text, struct ml_err *err);
/* Names of a mask's constraints, apart by commas. */
const char *ml_prune_names(const struct ml_combos *t, uint32_t mask, struct ml_arena *a);

/* constraint kind eliminated share alone reached relative relative_share implied_by */
void ml_prune_effects_table(struct ml_table *table, const struct ml_combos *t,
			    const struct ml_prune_order *order);
/* first second both share_of_first share_of_second */
void ml_prune_pairs_table(struct ml_table *table, const struct ml_combos *t);
/* The largest combinations: variants share fails */
void ml_prune_combos_table(struct ml_table *table, const struct ml_combos *t, size_t top);
/* One column for each parameter, then what variants fail, unless all of them pass;
 * distances may be NULL. */
void ml_prune_rows_table(struct ml_table *table, const struct ml_search *s,
			 const struct ml_variant_list *l, const double *distances,
			 struct ml_arena *a);

/* Keys of the object that the writer is in: */
void ml_prune_summary_json(struct ml_json *w, const struct ml_search *s,
			   const struct ml_prune_order *order, struct ml_arena *a);
void ml_prune_rows_json(struct ml_json *w, const char *key, const struct ml_search *s,
			const struct ml_variant_list *l, const double *distances,
			struct ml_arena *a);
void ml_prune_distributions_json(struct ml_json *w, const char *key,
				 const struct ml_search *s,
				 const struct ml_distribution *d, struct ml_arena *a);
