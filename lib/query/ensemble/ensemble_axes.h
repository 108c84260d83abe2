/*
 * The parameters that the members of an ensemble differ by, as axes, each with the values
 * that occur. Legends, tables and plots of parameter against result use the axes.
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
	uint32_t *of; /* by member: number of its value + 1; 0: the member has none */
};

struct ml_axes {
	struct ml_axis *at;
	size_t count, cap;
};

/*
 * Makes an axis of each parameter that has several values, in the order of the members'
 * parameters. The last axis is the trace, if some members differ by nothing else. The
 * axes live in a.
 */
void ml_ensemble_axes(struct ml_axes *x, const struct ml_ensemble *e, struct ml_arena *a);
/*
 * Finds an axis by its name or by a part of the name that no other axis has. The error
 * lists the axes.
 */
bool ml_axes_find(const struct ml_axes *x, const char *name, const struct ml_axis **axis,
		  struct ml_err *err);
/* The value of a member on the axis, or NULL. */
const char *ml_axis_value(const struct ml_axis *x, size_t member);
/* True if the values are sizes: the name ends in "size" and all values are numbers. */
bool ml_axis_is_size(const struct ml_axis *x);
