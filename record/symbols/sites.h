/*
 * From instruction addresses of a recorded process to sites: object, function,
 * file, line and the chain of inlined calls. Each address is looked up once. A library
 * at the address of an unmapped one has sites of its own.
 * Held by tests/record/test_sites.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_objects;

/*
 * The number of ip's site in the tables. A site always has a frame. A function without
 * a name is called by its object ("libz.so.1+0x41f0"). Code outside of all files (made
 * at run time) is called "[anonymous code]" and counts as the user's own.
 */
uint32_t ml_sites_resolve(struct ml_objects *o, uint64_t ip);

/*
 * Is a site in a function that the user wrote? Templates of the standard library that
 * were compiled into the program, but not inlined, are not: their callers count.
 */
bool ml_sites_is_own(const struct ml_objects *o, uint32_t site);

/*
 * The site of an instruction of the standard library as called from a site of the user's
 * own code: its frames continue with those of the caller, as if it were inlined. Any
 * other site stays what it is.
 */
uint32_t ml_sites_called(struct ml_objects *o, uint32_t site, uint32_t caller);

/* The instruction of a site makes streaming stores. */
void ml_sites_streams(struct ml_objects *o, uint32_t site);
