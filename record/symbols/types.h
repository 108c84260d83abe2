/*
 * DWARF types as a person would read them: the element of an array, its
 * dimensions, the fields of a struct, the name of a type.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "record/symbols/objects.h"

/* The type of a DIE (a variable, member, pointer ...), or false: none, void. */
bool ml_types_of(Dwarf_Die *die, Dwarf_Die *type);
/* The same type without typedef, const, volatile and the like. */
bool ml_types_peel(Dwarf_Die *type, Dwarf_Die *bare);

/*
 * Fills in type, elem, dims, dim and fields of r from the type of a variable.
 * size is the size of the variable, 0 if unknown; it gives the length of arrays of
 * unknown length. Dimensions of Fortran are reversed, because its first index is the
 * fastest.
 */
void ml_types_shape(struct ml_objects *o, struct ml_object *b, Dwarf_Die *type,
		    uint64_t size, struct ml_region *r);

/* The structure or union of that name ("struct s", "T", "ns::T"), also a typedef of one,
 * in the unit that holds the code at vaddr or in any unit. */
bool ml_types_named(struct ml_object *b, uint64_t vaddr, const char *name,
		    Dwarf_Die *type);
/* Bytes of a value of the type; 0: unknown. */
uint64_t ml_types_size(Dwarf_Die *type);
/* Is it a structure or a class, by whatever name? */
bool ml_types_is_record(Dwarf_Die *type);
/* A member of a struct, class or union or of its bases; false if there is none. */
bool ml_types_member(Dwarf_Die *type, const char *name, Dwarf_Die *member);
/* The first type argument of a template: double of vector<double>. */
bool ml_types_argument(Dwarf_Die *type, Dwarf_Die *argument);
