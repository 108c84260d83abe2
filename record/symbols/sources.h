/*
 * Source files: their text while recording (to see what an allocation is
 * assigned to) and which of them a trace should keep. Files that changed or
 * vanished since the program was built are not told apart from good ones;
 * files that are no regular file, too large or binary have no text.
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
		bool asked;
	} * file; /* by path */
	size_t cap, bytes;
};

void ml_sources_release(struct ml_sources *s);

/* Line (from 1) of a file without its end, not 0-terminated, or NULL. */
const char *ml_sources_line(struct ml_sources *s, const char *path, uint32_t line,
			    size_t *size);

/*
 * Calls fn for every file that the tables' sites name, once each, whose text
 * is readable and worth keeping: not those of the system below /usr (but
 * /usr/src and /usr/local). fn returns false to stop, which is then returned.
 */
typedef bool ml_source_fn(void *arg, const char *path, const char *text, size_t size,
			  struct ml_err *err);
bool ml_sources_each(struct ml_sources *s, const struct ml_tables *t, ml_source_fn *fn,
		     void *arg, struct ml_err *err);
