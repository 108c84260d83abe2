/*
 * The references of a window as counts: references that are alike (same site, region,
 * thread, kind and outcome) are one row (result_rows.h). A long window costs some
 * thousand rows instead of a walk. Only its two ends, less than 2^16 references each, are
 * walked over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/result/result_rows.h"
#include "lib/base/err.h"

struct ml_work;
struct ml_open_sim;

/* Rows of the references from a position on, at most 2^16 of them. */
typedef void ml_counts_fn(void *arg, uint64_t position, const struct ml_result_row *row);

/* Positions [from, to), cut at the end of the run. fn gets the rows of both ends
 * first, then the others in order of position. */
bool ml_counts(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
	       uint64_t to, ml_counts_fn *fn, void *arg, struct ml_err *err);
