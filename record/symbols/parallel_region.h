/*
 * Names of the functions into which compilers move the body of a parallel region of
 * OpenMP: "step (parallel region, line 40)" for step._omp_fn.0 of gcc and gfortran and
 * for .omp_outlined. of clang.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct ml_object;

struct ml_parallel_region {
	Dwarf_Die owner;    /* the function in whose text the region stands */
	bool owned;         /* owner is known */
	const char *symbol; /* else its symbol, mangled: the first symbol_size bytes */
	size_t symbol_size;
	uint32_t line; /* of the pragma; 0: unknown */
};

/* Is the function, of this name in DWARF, such a one? */
bool ml_parallel_region_find(struct ml_parallel_region *p, Dwarf_Die *func,
			     const char *name);
/* Has the file functions that gcc has cut out of others? */
bool ml_parallel_region_any(struct ml_object *b);
