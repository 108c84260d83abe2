/*
 * Source files: their text while recording, to find the variable that an allocation is
 * assigned to, and which of them a trace keeps. A file that changed since the program was
 * built is not noticed. A file that is missing where the debug information says is looked
 * for beside the program: programs are moved and installed with their sources. A file
 * that is missing in both places, irregular, too large or binary has no text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/map.h"

struct ml_tables;

enum {
	ML_SOURCE_MAX = 2 << 20,   /* bytes of a file */
	ML_SOURCES_MAX = 32 << 20, /* bytes of all together */
};

struct ml_sources {
	struct ml_names paths;
	struct ml_source {
		char *text; /* NULL: not readable */
		size_t size;
		uint32_t *line; /* offset of each line's first byte, and of the end */
		uint32_t lines;
		bool tried; /* reading has been tried */
	} * file;           /* by path */
	size_t cap, bytes;
	char *beside; /* the folder of the program, or NULL */
};

void ml_sources_release(struct ml_sources *s);

/* The program is this file; the first call counts. */
void ml_sources_program(struct ml_sources *s, const char *path);

/* A line (from 1) of a file, without its newline and not 0-terminated, or NULL. */
const char *ml_sources_line(struct ml_sources *s, const char *path, uint32_t line,
			    size_t *size);

/*
 * Calls fn once for each readable file that the sites of the tables name. Files of the
 * system, below /usr but not in /usr/src or /usr/local, are left out. If fn returns
 * false, so does this at once.
 */
typedef bool ml_source_fn(void *arg, const char *path, const char *text, size_t size,
			  struct ml_err *err);
bool ml_sources_each(struct ml_sources *s, const struct ml_tables *t, ml_source_fn *fn,
		     void *arg, struct ml_err *err);
