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
	bool of_function; /* its first word is a local variable or parameter */
	bool parameter;   /* its first word is a parameter */
	bool member;      /* its first word is a member of the method's class */
	bool alone;       /* and no other member of the class can hold memory */
	bool pointer;     /* it is a pointer */
	bool local;  /* a local variable or parameter of the function, or a member of one
		  without following a pointer */
	bool holds;  /* it is a pointer, an array or a container, perhaps of void */
	bool number; /* it is a number or a truth value, which holds no block */
	uint32_t line; /* where the first word is declared, if of_function; 0: unknown */
	uint32_t function_line; /* where the function is declared; 0: unknown */
	bool typed;             /* type is known */
	Dwarf_Die type; /* of the memory it points to, or of its elements (std::vector) */
};

/*
 * False: DWARF does not know the lvalue; function_line is set all the same. frame: which
 * of the functions inlined at vaddr spells it so, from 0, the innermost. deref: how many
 * pointers are followed ("*out = ..." is 1).
 */
bool ml_variable_find(struct ml_variable *v, struct ml_object *b, uint64_t vaddr,
		      uint32_t frame, const char *lvalue, int deref);

/*
 * The only member of a class (its name without scope, of class_size bytes) that the class
 * of a frame's method has: what a constructor makes without naming it. NULL: there is
 * none, or there are several; *count says which. The name lives as long as the object.
 */
const char *ml_variable_member(struct ml_object *b, uint64_t vaddr, uint32_t frame,
			       const char *class, size_t class_size, size_t *count);

/*
 * The name of the only pointer, or container, that a frame's function declares in a line:
 * where a macro declares and allocates. NULL: there is none, or several. The name lives
 * as long as the object.
 */
const char *ml_variable_declared(struct ml_object *b, uint64_t vaddr, uint32_t frame,
				 uint32_t line);
