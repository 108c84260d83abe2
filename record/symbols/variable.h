/*
 * From an lvalue as it stands in the source ("p->data", "rows[i]") and an
 * address of the code around it to the type of what it points to.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct ml_object;

struct ml_variable {
	bool local;     /* a local variable or parameter of the function, itself or by its
			   members where it is no pointer */
	bool typed;     /* type is known */
	Dwarf_Die type; /* of the memory it points to, or of its elements (std::vector) */
};

/* False: DWARF does not know it. deref: how often it is followed ("*out = ..."). */
bool ml_variable_find(struct ml_variable *v, struct ml_object *b, uint64_t vaddr,
		      const char *lvalue, int deref);
