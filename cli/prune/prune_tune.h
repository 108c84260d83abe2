/*
 * Tuning by simulation: variants of a search space are built, recorded and simulated, as
 * `memlamp ensemble` does with templates; or, where the description names a program
 * (flow), simulated from its source. The results are an ensemble whose parameters
 * are those of the space.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "lib/base/err.h"
#include "lib/prune/variant_list.h"

struct cmd_work;
struct ml_buf;
struct ml_ensemble;
struct ml_json;
struct ml_search;

struct prune_tune {
	const char *build, *run; /* {PARAMETER}, {PERMUTATION.1} and {out} */
	const char *output;      /* the ensemble */
	struct opt_list machines;
	uint64_t count; /* 0: 32 with build or run, none of a flow */
	uint64_t seed, limit, best, top;
	const char *where; /* NULL: half of them survivors, half failing soft ones only */
};

/* Whether the options ask for it, or for results that are there (-o FILE alone). */
bool prune_tunes(const struct ml_search *s, const struct prune_tune *o);
/* Fills e, which is empty; the search has been evaluated. */
bool prune_tune(struct ml_search *s, const struct prune_tune *o, struct cmd_work *work,
		struct ml_ensemble *e, struct ml_err *err);
/* The ranking, and what soft constraints remove from it. */
void prune_tune_text(const struct ml_search *s, const struct prune_tune *o,
		     const struct ml_ensemble *e, struct ml_buf *out);
/* The same as a key of the object that the writer is in. */
void prune_tune_json(const struct ml_search *s, const struct prune_tune *o,
		     const struct ml_ensemble *e, struct ml_json *w);
