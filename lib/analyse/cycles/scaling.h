/*
 * Classical scaling: points in the plane whose distances are near the given ones. For
 * comparison with circular coordinates: where there are several circles, a plane shows
 * little.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * distance[i * count + j] is used up. x and y are the two directions of largest spread.
 * Returns the share of the (positive) spread that the plane shows, 0 to 1.
 */
double ml_scaling(double *distance, uint32_t count, double *x, double *y);
