/*
 * From an lvalue as the source spells it ("p->data", "rows[i]") and the address of the
 * code around it to the type of the memory that it points to.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct ml_object;

struct ml_variable {
	bool local; /* a local variable or parameter of the function, or a member of one
		       without following a pointer */
	bool typed; /* type is known */
	Dwarf_Die type; /* of the memory it points to, or of its elements (std::vector) */
};

/* False: DWARF does not know the lvalue. deref: how many pointers are followed ("*out =
 * ..." is 1). */
bool ml_variable_find(struct ml_variable *v, struct ml_object *b, uint64_t vaddr,
		      const char *lvalue, int deref);
