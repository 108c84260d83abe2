/*
 * Tables inside of a structure: a context with a hash table and a chain table is one
 * block, but a person looks for ctx->chainTable. Members that are large arrays become
 * regions of their own.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct ml_object;
struct ml_objects;

enum {
	ML_MEMBER_ARRAYS_MAX = 16,
	ML_MEMBER_ARRAY_SIZE = 4096, /* bytes of a member that is worth a region */
};

struct ml_member_array {
	uint64_t offset, size; /* bytes */
	char name[64];         /* "chainTable", "left.keys" */
	Dwarf_Die type;
};

/*
 * The large arrays of a structure, and of structures in it, in order of their offsets. Of
 * a union the largest structure counts, and its own name is left out.
 */
size_t ml_member_arrays_find(Dwarf_Die *type,
			     struct ml_member_array found[ML_MEMBER_ARRAYS_MAX]);

struct ml_region_part {
	uint64_t offset, size; /* bytes, of the block */
	uint32_t region;
};

/* The parts of a block, one behind the other without gaps. */
struct ml_region_parts {
	struct ml_region_part at[2 * ML_MEMBER_ARRAYS_MAX + 1];
	size_t count;
	uint64_t size; /* of a block that has these parts */
};

/*
 * Makes regions of the parts of the block of the given size that has region's type; the
 * region itself becomes one of them. parts->count is 0 if there is nothing to divide.
 */
void ml_member_arrays_divide(struct ml_region_parts *parts, struct ml_objects *o,
			     struct ml_object *b, Dwarf_Die *type, uint32_t region,
			     uint64_t size);
