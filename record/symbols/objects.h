/*
 * The programs and libraries mapped by one recorded process: which file an
 * address belongs to, and what that file says about itself (segments, symbols,
 * debug information). sites.h, globals.h and heapname.h stand on it.
 *
 * Mappings come as the recorder sees them, in time order; a new mapping hides
 * what lay there before. Nothing is opened before somebody asks about an
 * address: most mapped files never are. A file that is missing, damaged or no
 * ELF file at all is an object about which nothing is known but its name.
 *
 * Three words: an object is a file; an image is an object at one place (a file
 * may be loaded twice); a range is a piece of an image, as mmap made it. File
 * addresses are those that the ELF file uses (vaddr).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/trace/tables.h"
#include "record/symbols/sources.h"

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
	int rank;           /* of several names for one address the highest is kept */
};

struct ml_symbols {
	struct ml_symbol *at; /* by low, no two alike */
	size_t count, cap;
};

struct ml_object {
	const char *path, *base; /* base: without the folder */
	bool user;               /* the user's own code: not a system library */
	bool asked;              /* the file has been opened, or that has failed */
	uint64_t identity[4];    /* device, inode, size, time of change when opened */

	struct Dwfl *dwfl; /* NULL: not readable as ELF */
	struct Dwfl_Module *module;
	struct ml_segment *segment;
	size_t segments;

	bool asked_dwarf, asked_symbols;
	struct Dwarf *dwarf; /* NULL: none, or not asked for yet */
	uint64_t dwarf_bias; /* file address = address in dwarf + bias */
	struct ml_symbols funcs, datas;

	struct ml_code *code;  /* belongs to code.c */
	struct ml_map types;   /* belongs to types.c: fields of the structs seen */
	struct ml_arena arena; /* dies with the object */
};

struct ml_image {
	struct ml_object *object;
	uint64_t start;      /* where offset 0 of the file would be */
	struct ml_map sites; /* site by ip */
	bool code;           /* has been mapped executable */
	bool done;           /* its globals are in the tables */
};

struct ml_range {
	uint64_t low, high, offset;
	struct ml_image *image;
	uint8_t prot;
};

struct ml_objects {
	struct ml_tables *tables;
	struct ml_sources sources;
	struct ml_range *range;         /* by address, none overlapping another */
	size_t ranges, range_cap, last; /* last: the range found last */
	struct ml_names paths;
	struct ml_object **latest; /* by path */
	size_t latest_cap;
	struct ml_object **object;
	size_t objects, object_cap;
	struct ml_image **image;
	size_t images, image_cap;
	struct ml_map image_of;    /* index by hash of object and start */
	struct ml_object *program; /* what was executed, or NULL as long as unknown */
	struct ml_map stray;       /* sites by ip outside all objects */
	struct ml_arena arena;
};

void ml_objects_init(struct ml_objects *o, struct ml_tables *tables);
void ml_objects_release(struct ml_objects *o);

/*
 * [low, high) is now mapped from offset of the file path, prot as in
 * struct ml_mapping. Anonymous memory only hides what was there. The program
 * is the first file mapped executable that is not the dynamic loader.
 */
void ml_objects_map(struct ml_objects *o, uint64_t low, uint64_t high, uint64_t offset,
		    uint8_t prot, enum ml_mapping_kind kind, const char *path);
void ml_objects_unmap(struct ml_objects *o, uint64_t low, uint64_t high);

/* The range that holds addr, or NULL. Valid until the next change of mappings. */
const struct ml_range *ml_objects_find(struct ml_objects *o, uint64_t addr);

/* Opens the file if that has not been tried. False: nothing to be read there. */
bool ml_object_open(struct ml_object *b);
/* The same with its debug information (its own or in a separate file): NULL if none. */
struct Dwarf *ml_object_dwarf(struct ml_object *b);
/* The symbol of funcs or datas that covers the file address, or NULL. */
const struct ml_symbol *ml_object_func(struct ml_object *b, uint64_t vaddr);
const struct ml_symbol *ml_object_data(struct ml_object *b, uint64_t vaddr);

/*
 * The file address of addr in range r, or false when the file has no segment
 * there. Run-time address minus file address is the image's load bias.
 */
bool ml_object_vaddr(const struct ml_range *r, uint64_t addr, uint64_t *vaddr);
