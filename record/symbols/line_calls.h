/*
 * The calls of one function that a line of source makes. allocate(a(n), b(m)) of Fortran
 * calls malloc once for each array, in the order of the list; the number of a call tells
 * which array it is for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_object;
struct ml_tables;

/*
 * The number, from 0 and by address, of the call instruction at vaddr (its first or last
 * byte) among the calls of a line of its function to the same place, and their count;
 * malloc and calloc are the same.
 * False: there is no such instruction.
 */
bool ml_line_calls_find(struct ml_tables *tables, struct ml_object *b, uint64_t vaddr,
			uint32_t line, size_t *number, size_t *count);
