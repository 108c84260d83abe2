/*
 * Who did what in a window, in counts: references that are alike come together
 * (result_rows.h). Long windows cost some thousand rows, not a walk; only the ends,
 * which are less than 2^16 references, are walked over.
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

/* Positions [from, to), cut at the end. Positions that fn is called with do not decrease,
 * but for the last end, which comes before all that is counted in rows. */
bool ml_counts(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
	       uint64_t to, ml_counts_fn *fn, void *arg, struct ml_err *err);
