/*
 * What `memlamp prune` shows of a search space: text for people, JSON, or one table as
 * CSV.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_ensemble;
struct ml_search;
struct ml_work;
struct prune_tune;

/* As the options say; see cmd_prune.c. */
struct prune_show {
	const char *order, *where, *csv;
	uint64_t list, sample, seed, nearest, combinations, bins;
	bool pairs, histograms, json;
	/* results of tuning, shown behind the rest; NULL: there are none */
	const struct prune_tune *tune;
	const struct ml_ensemble *tuned;
};

bool prune_show(struct ml_search *s, const struct prune_show *o,
		const struct ml_work *work, struct ml_buf *out, struct ml_err *err);
/* Whether it makes sense, before anything is evaluated for it. */
bool prune_show_check(const struct prune_show *o, struct ml_err *err);
