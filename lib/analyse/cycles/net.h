/*
 * A greedy net: some of the windows, such that every window is within a radius of one of
 * them. Bars of the net differ from those of all windows by at most twice the radius at
 * each end (stability of the Rips complex under the Gromov-Hausdorff distance).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_windows;
struct ml_work;

struct ml_net {
	uint32_t radius;  /* 0: all windows are centres */
	uint32_t *centre; /* windows, ascending */
	uint32_t count;
	uint32_t *nearest; /* of each window: index of a centre within the radius */
};

/* The smallest radius that leaves at most max_points centres. */
bool ml_net_init(struct ml_net *n, const struct ml_windows *w, size_t symbol_count,
		 uint32_t max_points, const struct ml_work *work, struct ml_err *err);
void ml_net_release(struct ml_net *n);
