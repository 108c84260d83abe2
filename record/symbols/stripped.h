/*
 * Functions of a file without symbols: their starts, from the search table of
 * .eh_frame_hdr, which exceptions and unwinding need, and the names of the functions that
 * the stubs of the procedure linkage table call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

struct ml_object;

struct ml_stripped {
	bool tried, tried_stubs; /* reading has been tried */
	struct ml_bounds {
		uint64_t low, high;
	} * func; /* by low */
	size_t funcs, func_cap;
	struct ml_bounds *plt; /* sections with stubs */
	size_t plts, plt_cap;
	struct ml_map slots; /* name by address of the entry of the global offset table */
	struct ml_map numbers; /* name by number of the entry in .rela.plt */
};

/* The start of the function that holds vaddr; false and *start untouched if unknown. */
bool ml_stripped_start(struct ml_stripped *s, struct ml_object *b, uint64_t vaddr,
		       uint64_t *start);
/* "puts@plt" if vaddr is in a stub for puts, "plt" elsewhere in the table, else NULL. */
const char *ml_stripped_stub(struct ml_stripped *s, struct ml_object *b, uint64_t vaddr,
			     struct ml_arena *a);
void ml_stripped_release(struct ml_stripped *s);
