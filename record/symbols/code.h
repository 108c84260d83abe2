/*
 * The machine code of one object: from a file address to function, file, line
 * and the chain of inlined calls. It uses the best source that the object has: DWARF;
 * else symbols; else the bounds of functions in .eh_frame, which even stripped programs
 * have, so that references can be grouped by function ("gzip+0x4a10"); else the address
 * itself.
 *
 * Built for tens of thousands of addresses: the address ranges of units are read once,
 * the functions of a unit with its first address, the inlined calls of a function
 * likewise. An address then costs three binary searches.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/tables.h"
#include "record/symbols/object.h"

enum { ML_FRAMES_MAX = 48 };

/* Fills in the frames of vaddr, innermost first; returns how many, at least 1. */
uint32_t ml_code_frames(struct ml_tables *tables, struct ml_object *b, uint64_t vaddr,
			struct ml_frame frames[ML_FRAMES_MAX]);

/* The column in the line of a frame of vaddr (0: the innermost), from 1; 0: unknown. Ask
 * after ml_code_frames. */
uint32_t ml_code_column(struct ml_object *b, uint64_t vaddr, uint32_t frame);

/* The function of a frame of vaddr that is inlined there; all its copies share the DIE.
 * False: it is not inlined. Ask after ml_code_frames. */
bool ml_code_inlined(struct ml_object *b, uint64_t vaddr, uint32_t frame,
		     Dwarf_Die *origin);

/* The function (DW_TAG_subprogram) that holds the code at vaddr, or false. */
bool ml_code_function(struct ml_object *b, uint64_t vaddr, Dwarf_Die *func);
/* The unit (DW_TAG_compile_unit) that holds the code at vaddr, or false. */
bool ml_code_unit(struct ml_object *b, uint64_t vaddr, Dwarf_Die *unit);

/* The name of a function's DIE, with its scope where the language has one. */
uint32_t ml_code_name(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *func);
/* The file in which a DIE says that it is declared; its path is absolute and clean. */
uint32_t ml_code_declared(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *die);

void ml_code_release(struct ml_object *b);
