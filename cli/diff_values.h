/*
 * --fail-if of `memlamp diff`: the names that stand in its expressions (threshold.h).
 * A name alone is the change from A to B as a share of A, so 'L1.misses > +5%' is what
 * it looks like; a.NAME and b.NAME are the figures themselves.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_compare;

bool diff_values_test(const struct ml_compare *c, const char *expression, bool *crossed,
		      struct ml_buf *why, struct ml_err *err);
