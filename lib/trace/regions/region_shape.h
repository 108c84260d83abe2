/*
 * Shapes and indices as the language of the program writes them: A[10][20] and A[3][4]
 * in C, a(20,0:9) and a(5,3) in Fortran, whose first index is the fastest.
 */
#pragma once

#include <stdint.h>

struct ml_arena;
struct ml_region;

/* "[10][20]" or "(20,0:9)"; empty if no shape is known. */
const char *ml_region_shape(const struct ml_region *r, struct ml_arena *a);
/* "[3][4]" or "(5,3)": the indices of an element, given by its number from 0. */
const char *ml_region_index(const struct ml_region *r, uint64_t element,
			    struct ml_arena *a);
