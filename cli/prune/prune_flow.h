/*
 * Tuning without a program that runs: the description of a space names a source and says
 * what its parameters are there (sizes, tiles, the order of loops, layouts). lib/flow
 * makes the accesses of each variant and lib/cache simulates them; nothing is compiled or
 * recorded. The result is an ensemble like any other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "lib/base/err.h"
#include "lib/prune/variant_list.h"

struct ml_arena;
struct ml_ensemble;
struct ml_search;
struct ml_work;

/* Adds a member for each variant and machine (none: host), done. Variants that the
 * program does not allow are told on stderr and left out. */
bool prune_flow(const struct ml_search *s, const struct opt_list *machines,
		const struct ml_variant_list *l, const struct ml_work *work,
		struct ml_ensemble *e, struct ml_err *err);
/* Whether the order of loops of a variant computes the same: a sentence. */
const char *prune_flow_legality(const struct ml_search *s, const int64_t *values,
				struct ml_arena *a);
