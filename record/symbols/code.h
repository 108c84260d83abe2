/*
 * The machine code of one object: from a file address to function, file, line
 * and the chain of inlined calls. The best source that the object has is used:
 * DWARF; else its symbols; else the bounds of functions in .eh_frame, which even
 * stripped programs have, so that references still gather by function
 * ("gzip+0x4a10"); else the address itself.
 *
 * Built for tens of thousands of addresses: the units' address ranges are read
 * once, a unit's functions when its first address comes, a function's inlined
 * calls likewise. An address then costs three binary searches.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/tables.h"
#include "record/symbols/object.h"

enum { ML_FRAMES_MAX = 48 };

/* Fills in the frames of vaddr, innermost first, at least one; returns how many. */
uint32_t ml_code_frames(struct ml_tables *tables, struct ml_object *b, uint64_t vaddr,
			struct ml_frame frames[ML_FRAMES_MAX]);

/* The line number table's column of vaddr, from 1; 0 is unknown. */
uint32_t ml_code_column(struct ml_object *b, uint64_t vaddr);

/* The unit (DW_TAG_compile_unit) that holds the code at vaddr, or false. */
bool ml_code_unit(struct ml_object *b, uint64_t vaddr, Dwarf_Die *unit);

/* The name of a function's DIE, with its scope where the language has one. */
uint32_t ml_code_name(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *func);
/*
 * A path as the unit of a DIE has it, made absolute by the unit's folder and clean
 * ("a/../", "./"); NULL gives the empty name.
 */
uint32_t ml_code_file(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *die,
		      const char *path);
/* Where a DIE says it is declared, likewise. */
uint32_t ml_code_declared(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *die);

void ml_code_release(struct ml_object *b);
