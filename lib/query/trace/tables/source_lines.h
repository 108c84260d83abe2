/*
 * Lines of the source files that a trace contains, without leading and trailing blanks;
 * blanks and tabs between words are one blank.
 * Each file is unpacked once. A struct of zero bytes with its trace set is ready to use.
 */
#pragma once

#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

struct ml_trace;

struct ml_source_lines {
	struct ml_trace *trace;
	struct ml_names paths;
	struct ml_source_text {
		const char *text; /* NULL: the trace has no text of the file */
		size_t size;
	} * files; /* by path */
	size_t cap;
	struct ml_arena arena;
};

/* A line (from 1) of a file, or NULL; the text lives until the release. */
const char *ml_source_lines_find(struct ml_source_lines *s, const char *path,
				 uint32_t line);
void ml_source_lines_release(struct ml_source_lines *s);
