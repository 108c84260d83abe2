/*
 * A program or library as a file: its segments, symbols and debug information. Each part
 * is read when it is first asked for. A file that is missing, damaged or no ELF file is
 * an object of which only the name is known.
 *
 * File addresses (vaddr) are the addresses that the ELF file itself uses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

struct Dwarf;
struct Dwfl;
struct Dwfl_Module;
struct ml_code;

struct ml_segment {
	uint64_t offset, vaddr, filesz, memsz;
	uint8_t prot; /* 1 read, 2 write, 4 execute */
};

struct ml_symbol {
	uint64_t low, high; /* file addresses */
	const char *name;   /* as in the file: not demangled */
	int rank;           /* the name with the highest rank is kept for an address */
};

struct ml_symbols {
	struct ml_symbol *at; /* by low, which is unique */
	size_t count, cap;
};

struct ml_object {
	const char *path, *base; /* base: without the folder */
	bool user;               /* the user's own code: not a system library */
	bool foreign;            /* neither program nor library: the loader, the vdso */
	bool tried;              /* opening has been tried */
	uint64_t identity[4];    /* device, inode, size, time of change when opened */

	struct Dwfl *dwfl; /* NULL: not readable as ELF */
	struct Dwfl_Module *module;
	struct ml_segment *segment;
	size_t segments;

	bool tried_dwarf, tried_symbols; /* reading has been tried */
	struct Dwarf *dwarf;             /* NULL: none, or not tried yet */
	uint64_t dwarf_bias;             /* file address = address in dwarf + bias */
	struct ml_symbols funcs, datas;

	struct ml_code *code; /* belongs to code.c */
	struct ml_map types;  /* belongs to types.c: fields of the structs seen */
	struct ml_map
		named; /* and types by name: address of the DIE, 0 if there is none */
	struct ml_arena arena; /* dies with the object */
};

/* Prepares b for the file path, which outlives b. Opens nothing. */
void ml_object_init(struct ml_object *b, const char *path);
void ml_object_release(struct ml_object *b);
/* Opens the file unless that has been tried. False: it is not readable. */
bool ml_object_open(struct ml_object *b);
/* Opens also the debug information, in the file itself or a separate one; NULL: none. */
struct Dwarf *ml_object_dwarf(struct ml_object *b);
/* The symbol of funcs or datas that covers the file address, or NULL. */
const struct ml_symbol *ml_object_func(struct ml_object *b, uint64_t vaddr);
const struct ml_symbol *ml_object_data(struct ml_object *b, uint64_t vaddr);
/* `size` bytes of the file that are mapped at vaddr, or NULL. */
const uint8_t *ml_object_bytes(struct ml_object *b, uint64_t vaddr, uint64_t size);
/* The file was opened, and its path holds another file by now. */
bool ml_object_is_stale(const struct ml_object *b);
