/*
 * What arrays of integers (find_width.c) and integer fields of structures
 * (find_width_fields.c) share: the recorded ranges of values.
 */
#pragma once

#include "lib/analyse/find/find_spots.h"
#include "lib/trace/address_ranges.h"
#include "lib/trace/stored_values.h"

struct ml_width_values {
	struct ml_stored_value *of;      /* by site; widths 0: unknown */
	struct ml_address_ranges filled; /* by system calls */
};

/* The range of all values of a datum; memory may start as 0. */
struct ml_width_range {
	int64_t min, max;
	bool unknown; /* some stores or their values are not known */
};

/* Adds the values that a site stores in data of 2, 4 or 8 bytes. */
void ml_width_add(struct ml_width_range *r, const struct ml_width_values *v,
		  uint32_t site, uint64_t size);
/*
 * The bytes of the smallest type that has all these values, signed or not; `size` if they
 * are not known, or always 0.
 */
uint64_t ml_width_need(const struct ml_width_range *r, uint64_t size);
/* "uint8_t" */
const char *ml_width_type(struct ml_find *f, const struct ml_width_range *r,
			  uint64_t need);
/*
 * May data of this type and size be integers? A typedef may stand for anything. The
 * values themselves tell: those of pointers and of floating point need all bytes, unless
 * all are 0.
 */
bool ml_width_is_integer(const char *type, uint64_t size);
/* Whether only the program's own stores give the region its values. */
bool ml_width_is_known(const struct ml_find *f, const struct ml_width_values *v,
		       uint32_t region);

/* Structures with integer fields; each function is that of struct ml_finder. */
struct ml_width_fields;
struct ml_width_fields *ml_width_fields_look(struct ml_find *f,
					     const struct ml_width_values *v);
void ml_width_fields_see(struct ml_width_fields *w, const struct ml_seen *s);
void ml_width_fields_try(struct ml_find *f, struct ml_width_fields *w);
void ml_width_fields_conclude(struct ml_find *f, struct ml_width_fields *w);
