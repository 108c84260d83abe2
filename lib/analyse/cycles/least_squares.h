/*
 * Weighted least squares on a graph: the f that makes the sum over all edges of
 * weight * (value + f[to] - f[from])^2 smallest. Points with few edges are
 * eliminated exactly first, the fewest first (the star of a point becomes a mesh of its
 * neighbours), because traces are mostly long chains, on which an iteration would need as
 * many steps as they have points. Conjugate gradients with a diagonal preconditioner
 * solve what is left.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_strut {
	uint32_t from, to;
	double weight; /* above 0 */
	double value;  /* of the cochain along from -> to */
};

/*
 * f of each point; within each connected part f is determined up to a constant. Returns
 * the number of iterations.
 */
size_t ml_least_squares(double *f, uint32_t points, const struct ml_strut *struts,
			size_t count);
