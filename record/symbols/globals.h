/*
 * Static storage: from the files that a process maps to regions and their blocks.
 * Variables come from DWARF with type, dimensions and fields, else from symbols with a
 * name and a size. Memory that no variable covers belongs to its section (".data of
 * libc.so.6"), code to "code of gzip".
 *
 * So the blocks of variables lie inside those of sections; the smallest block that holds
 * an address is the most precise one. All blocks live from the start to the end, also
 * those of libraries that are loaded late or unloaded. Thread-local variables are left
 * out: they have an address for each thread.
 * Held by tests/record/test_globals.c.
 */
#pragma once

struct ml_objects;

/*
 * Adds to the tables the static storage of every program and library that was
 * mapped executable since the last call. Cheap when there is none, so it can be
 * called whenever tables are about to be written.
 */
void ml_globals_update(struct ml_objects *o);
