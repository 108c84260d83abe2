/*
 * What a macro with arguments stands for, as text. Compilers do not say it (-g3 would).
 * So the definition is looked for in the source and in the headers that it includes,
 * relative to its folder or to a folder around it. Of several definitions the first
 * counts.
 *
 *	#define PUSH(v, x) (v).at = realloc((v).at, ++(v).n * sizeof(*(v).at)), ...
 *	PUSH(*list, 3)		list->at = realloc(list->at, ++list->n * ...
 *
 * Brackets around a parameter are dropped where the text means the same without them.
 * Held by tests/record/test_macro.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/map.h"

struct ml_sources;

/* Where macros are defined, found once for each source. */
struct ml_macros {
	struct ml_map sources; /* by hash of the path: its headers are read */
	struct ml_map lines;   /* by hash of source and name: file and line */
};

void ml_macros_release(struct ml_macros *x);

enum { ML_MACRO_MAX = 8192 };

struct ml_macro {
	char text[ML_MACRO_MAX]; /* ends with 0 */
	size_t size;
};

/* NAME(ARGUMENTS) in the source of this path. False: no definition is found. */
bool ml_macro_expand(struct ml_macro *m, struct ml_macros *x, struct ml_sources *sources,
		     const char *path, const char *name, const char *arguments);
/* Expands what the text calls, once. False: nothing in it is a macro. */
bool ml_macro_expand_inner(struct ml_macro *m, struct ml_macros *x,
			   struct ml_sources *sources, const char *path);
