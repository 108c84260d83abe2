/*
 * The figures of --fail-if of `memlamp diff` (threshold.h). A name alone is the change
 * from A to B as a share of A: 'L1.misses > +5%' holds if the misses grow by more than 5
 * %. a.NAME and b.NAME are the figures of one side.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_compare;

/* Checks the syntax of an expression, before long work. */
bool diff_values_check(const char *expression, struct ml_err *err);
/* Tests it; *why gets a line for each comparison that holds. */
bool diff_values_test(const struct ml_compare *c, const char *expression, bool *crossed,
		      struct ml_buf *why, struct ml_err *err);
