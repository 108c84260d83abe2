/*
 * What the members of an ensemble differ by: its parameters as axes, each with the
 * values that occur. Legends, tables and plots of parameter against result go by them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/arena.h"

struct ml_axis {
	const char *name;    /* "L1 size", or "trace" */
	bool numeric;        /* all values are numbers */
	const char **values; /* numbers ascending, words in the order of the members */
	double *numbers;     /* of the values */
	size_t count;
	uint32_t *of; /* of each member: its value + 1; 0: it has none */
};

struct ml_axes {
	struct ml_axis *at;
	size_t count, cap;
};

/*
 * The parameters of which members have different values, in the order of the members'.
 * The trace is one of them, the last, where members differ by nothing else. Lives in a.
 */
void ml_ensemble_axes(struct ml_axes *x, const struct ml_ensemble *e, struct ml_arena *a);
/* By name, or by the part of it that only one has; fails with what there is. */
bool ml_axes_find(const struct ml_axes *x, const char *name, const struct ml_axis **axis,
		  struct ml_err *err);
/* The value of a member, or NULL. */
const char *ml_axis_value(const struct ml_axis *x, size_t member);
/* Whether the axis is one of sizes: its name ends like one, and all values are numbers.
 */
bool ml_axis_is_size(const struct ml_axis *x);
