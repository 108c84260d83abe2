/*
 * Weighted least squares on a graph: the f that makes the sum over all edges of
 * weight * (value + f[to] - f[from])^2 smallest. Points with few edges are
 * eliminated exactly first, the fewest first (the star of a point becomes a mesh of its
 * neighbours), because traces are mostly long chains, on which an iteration would need as
 * many steps as they have points. Conjugate gradients with a diagonal preconditioner
 * solve what is left.
 * Held by tests/analyse/test_least_squares.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_work;

/* Cochains that are smoothed at once: the graph is walked over once for all of them. */
enum { ML_SIDES = 8 };

struct ml_strut {
	uint32_t from, to;
	double weight;           /* above 0 */
	int32_t value[ML_SIDES]; /* of each cochain along from -> to */
};

/*
 * f[point][side]; within each connected part f is determined up to a constant.
 * *iterations says how many were needed; it may be NULL.
 */
bool ml_least_squares(double (*f)[ML_SIDES], uint32_t points,
		      const struct ml_strut *struts, size_t count, size_t *iterations,
		      const struct ml_work *work, struct ml_err *err);
