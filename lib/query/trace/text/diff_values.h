/*
 * The figures of --fail-if of `memlamp diff` (threshold.h). A name alone is the change
 * from A to B as a share of A: 'L1.misses > +5%' holds if the misses grow by more than 5
 * %. a.NAME and b.NAME are the figures of one side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_compare;

/* Checks the syntax of expressions, before long work. */
bool ml_diff_values_check(const char *const *texts, size_t count, struct ml_err *err);
/* Tests them; *crossed gets lines for each that holds (ml_thresholds_test). */
bool ml_diff_values_test(const struct ml_compare *c, const char *const *texts,
			 size_t count, struct ml_buf *crossed, struct ml_err *err);
