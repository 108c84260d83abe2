/*
 * From instruction addresses of a recorded process to sites: object, function,
 * file, line and the chain of inlined calls. Addresses are looked up once; a
 * library that takes the place of an unmapped one has sites of its own.
 */
#pragma once

#include <stdint.h>

struct ml_objects;

/*
 * The number of ip's site in the tables. It always has a frame: what nothing is
 * known about is called by its object ("libz.so.1+0x41f0"), and code outside of all
 * files (made at run time) "[anonymous code]". That code counts as the user's own.
 */
uint32_t ml_sites_resolve(struct ml_objects *o, uint64_t ip);
