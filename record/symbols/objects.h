/*
 * The programs and libraries mapped by one recorded process: to which file an address
 * belongs, and at which place of the file. sites.h, globals.h and heap_name.h use it.
 *
 * Mappings come as the recorder sees them, in time order; a new mapping hides
 * the older ones below it. No file is opened before a question about one of its
 * addresses: most mapped files never are.
 *
 * Three words: an object is a file (object.h); an image is an object at one place (a
 * file may be loaded twice); a range is a piece of an image, as mmap made it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/trace/tables.h"
#include "record/source/macro.h"
#include "record/symbols/object.h"
#include "record/source/sources.h"

struct ml_image {
	struct ml_object *object;
	uint64_t start;      /* address that offset 0 of the file would have */
	struct ml_map sites; /* site by ip */
	bool code;           /* it has been mapped executable */
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
	struct ml_range *range;         /* by address; ranges do not overlap */
	size_t ranges, range_cap, last; /* last: the range found last */
	struct ml_names paths;
	struct ml_object **latest; /* by path */
	size_t latest_cap;
	struct ml_object **object;
	size_t objects, object_cap;
	struct ml_image **image;
	size_t images, image_cap;
	struct ml_map image_of;      /* index by hash of object and start */
	struct ml_object *program;   /* the executed file, or NULL as long as unknown */
	struct ml_map outside;       /* sites by ip outside of all objects */
	struct ml_map plain;         /* belongs to heap_name.c: regions by their names */
	struct {                     /* belongs to accessor.c */
		struct ml_map known; /* by DIE of a function: 1 no accessor, 2 one */
		struct ml_map calls; /* by DIE: its first call, or SEVERAL */
		struct ml_map units; /* by DIE: calls of the unit are known */
	} accessors;
	struct ml_macros macros;
	struct ml_map order;  /* belongs to call_order.h */
	struct ml_map called; /* sites of the standard library by site and caller */
	struct ml_arena arena;
};

void ml_objects_init(struct ml_objects *o, struct ml_tables *tables);
void ml_objects_release(struct ml_objects *o);

/*
 * [low, high) is now mapped from offset of the file path, prot as in
 * struct ml_mapping. Anonymous memory only hides older mappings. The program
 * is the first file mapped executable that is not the dynamic loader.
 */
void ml_objects_map(struct ml_objects *o, uint64_t low, uint64_t high, uint64_t offset,
		    uint8_t prot, enum ml_mapping_kind kind, const char *path);
void ml_objects_unmap(struct ml_objects *o, uint64_t low, uint64_t high);

/* The range that holds addr, or NULL. Valid until the next change of mappings. */
const struct ml_range *ml_objects_find(struct ml_objects *o, uint64_t addr);

/*
 * The file address of addr in range r, or false when the file has no segment
 * there. Run-time address minus file address is the image's load bias.
 */
bool ml_objects_vaddr(const struct ml_range *r, uint64_t addr, uint64_t *vaddr);
