/*
 * What to call the memory that a call stack allocates. The frame that says most
 * is the nearest one of the user's own code that is no mere wrapper of the
 * allocator (xmalloc, operator new, the insides of std::vector); its source line
 * usually names the variable, and DWARF the variable's type. Failing that:
 * function and line, function, "heap of PROGRAM".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/trace/tables.h"

struct ml_objects;

/*
 * Adds a region of kind HEAP (or MMAP) for an allocation stack: sites, innermost
 * first, as ml_sites_resolve gave them for the current mappings. size is that of
 * the first block, 0 if unknown; it serves to close arrays of rows (double
 * (*A)[100]). Each stack should be asked about once: its blocks share the region.
 */
uint32_t ml_heapname_region(struct ml_objects *o, enum ml_region_kind kind,
			    const uint32_t *stack, size_t depth, uint64_t size);
