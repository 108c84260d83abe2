/*
 * The circular coordinate of a class: an angle for each point, in turns, and how far each
 * step of a walk turns. The class's cocycle modulo a prime is lifted to integers, added
 * up where classes are combined, and smoothed by least squares on the edges of the
 * complex, where the steps that the walk takes weigh as often as it takes them.
 * (de Silva, Morozov, Vejdemo-Johansson: Persistent cohomology and circular coordinates,
 * 2011.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_class;
struct ml_rips;
struct ml_work;

/* A step of the walk between two points, and how often it is taken. */
struct ml_walk_step {
	uint32_t from, to;
	uint32_t level; /* of the edge between them; as many as there are levels: none */
	uint64_t count;
};

/*
 * The lift of a class to the integers: table[node] is its value on a root at the time of
 * the class. Values stay below a third of the prime, so that the sum around a triangle,
 * which is 0 modulo the prime, is 0.
 */
struct ml_lift {
	const struct ml_rips *rips;
	const struct ml_class *class;
	int32_t *table; /* by node */
	uint32_t scale; /* the class was multiplied by this, usually 1 */
};

/* Writes the values into a table that is 0 elsewhere. Returns the scale; 0: no lift. */
uint32_t ml_lift_fill(int32_t *table, const struct ml_class *class);
/* False: the class has no lift; l then has no table. */
bool ml_lift_init(struct ml_lift *l, const struct ml_rips *rips,
		  const struct ml_class *class);
void ml_lift_release(struct ml_lift *l);

struct ml_coordinate {
	double *angle;  /* of each point, in turns; any multiple of 1 may be added */
	double *turn;   /* of each step */
	uint64_t jumps; /* steps, as often as taken, between points that no edge joins */
	uint64_t moves; /* all steps between two points */
};

/*
 * The coordinates of some sums of lifts, at most ML_SIDES: c[k] is that of the sum of
 * factor[k][i] * lift[i]. The classes in all of them live at the same levels. The walk
 * may be empty. Of the edges, those up to the birth are used. False: it was cancelled,
 * and there are no coordinates.
 */
bool ml_coordinates_init(struct ml_coordinate **c, const int32_t *const *factor,
			 size_t count, const struct ml_lift *lift, size_t lifts,
			 const struct ml_walk_step *steps, size_t step_count,
			 const struct ml_work *work, struct ml_err *err);
void ml_coordinate_release(struct ml_coordinate *c);
