/*
 * Names for the memory that a call stack allocates. The best frame is the nearest one of
 * the user's own code that is no mere wrapper of the allocator (xmalloc, operator new,
 * internals of std::vector). The source line of that frame usually names the variable,
 * and DWARF its type. Otherwise the name is function and line, with the library function
 * that was called there ("fopen in load:33"), or without source the function and its
 * caller ("insert from main"), or "heap of PROGRAM".
 * Held by tests/record/test_heap_name.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/tables.h"

struct ml_objects;
struct ml_region_parts;

/* A block of this size or more is named after it, if no line is known: it is an array. */
enum { ML_HEAP_NAME_LARGE = 1 << 16 };

/*
 * Adds a region of kind HEAP (or MMAP) for an allocation stack: sites, innermost
 * first, as ml_sites_resolve returned them for the current mappings. size is the size of
 * the first block, 0 if unknown; it gives the number of rows of arrays such as double
 * (*A)[100]. Blocks of a stack share the region, but for large ones without a line, for
 * which this is called once for each size. Blocks that a
 * library allocates for itself are one region for each line that calls it.
 *
 * parts, unless NULL: if blocks of this size are structures with tables in them, the
 * regions of their parts; else it has none.
 */
uint32_t ml_heap_name_region(struct ml_objects *o, enum ml_region_kind kind,
			     const uint32_t *stack, size_t depth, uint64_t size,
			     struct ml_region_parts *parts);
