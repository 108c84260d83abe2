/*
 * The shape of an array that Fortran allocates. The bounds are expressions of the source
 * ("0:nx+1,ny"), and the block has a known number of elements. Values of the variables
 * are the numbers that the same file assigns to them, as far as it does; one variable may
 * be unknown, because the number of elements then determines it. A shape counts only if
 * it has exactly the elements of the block and is the only such one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_region;
struct ml_sources;

/* Sets dims, dim, low and column_major of r. False: the shape cannot be told. */
bool ml_fortran_shape(struct ml_region *r, const char *bounds, uint64_t elements,
		      struct ml_sources *sources, const char *path);
