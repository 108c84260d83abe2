/*
 * From instruction addresses of a recorded process to sites: object, function,
 * file, line and the chain of inlined calls. Each address is looked up once. A library
 * at the address of an unmapped one has sites of its own.
 */
#pragma once

#include <stdint.h>

struct ml_objects;

/*
 * The number of ip's site in the tables. A site always has a frame. A function without
 * a name is called by its object ("libz.so.1+0x41f0"). Code outside of all files (made
 * at run time) is called "[anonymous code]" and counts as the user's own.
 */
uint32_t ml_sites_resolve(struct ml_objects *o, uint64_t ip);
