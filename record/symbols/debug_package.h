/*
 * Which package of Debian has the debug symbols of an installed program: the package that
 * owns the file, by dpkg's lists, with -dbgsym behind its name, and whether the lists of
 * apt have that one.
 * Held by tests/record/test_debug_package.c.
 */
#pragma once

#include <stdbool.h>

struct ml_arena;

/* What to do for names of lines and variables, as a sentence in a. root is "" for the
 * running system, or a folder with var/lib/dpkg and var/lib/apt. */
const char *ml_debug_package_advice(const char *root, const char *path,
				    struct ml_arena *a);
