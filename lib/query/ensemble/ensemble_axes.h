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
#include "lib/query/drawing/role.h"

struct ml_axis {
	const char *name;    /* "L1 size", or "trace" */
	bool numeric;        /* all values are numbers */
	const char **values; /* numbers ascending, words in the order of the members */
	double *numbers;     /* of the values */
	size_t count;
	uint32_t *of;  /* by member: number of its value + 1; 0: the member has none */
	double effect; /* share of the variance of the members' average access time that
			  the parameter explains: the correlation ratio, 0 to 1 */
};

struct ml_axes {
	struct ml_axis *at;
	size_t count, cap;
	size_t members; /* of the ensemble */
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
/*
 * The parameter that plots colour until a person chooses: the one that explains most. Of
 * parameters that explain about as much, the one with fewest values makes groups. NULL:
 * members do not differ, or there are few members and colour and dash would not tell them
 * apart, so that each has a colour of its own.
 */
const struct ml_axis *ml_axes_usual_colour(const struct ml_axes *x);
/* The parameter that dashes tell beside this colour: the next with few values, or NULL.
 */
const struct ml_axis *ml_axes_usual_dash(const struct ml_axes *x,
					 const struct ml_axis *colour);
/*
 * The parameter other than `but` (NULL: any) that explains most; with `numeric`, numbers
 * come before words. NULL: there is none.
 */
const struct ml_axis *ml_axes_largest(const struct ml_axes *x, const struct ml_axis *but,
				      bool numeric);
/* The value of a member on the axis, or NULL. */
const char *ml_axis_value(const struct ml_axis *x, size_t member);
/* True if the values are sizes: the name ends in "size" and all values are numbers. */
bool ml_axis_is_size(const struct ml_axis *x);
/* The colour of the i-th value of an axis, in the plots that are coloured by it. */
struct ml_role ml_axis_role(const struct ml_axis *x, uint32_t value);
