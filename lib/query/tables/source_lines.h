/*
 * Lines of the source files that a trace carries, without the blanks around
 * them. Each file is unpacked once. Zero bytes and a trace are ready to use.
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
		const char *text; /* NULL: not kept */
		size_t size;
	} * files; /* by path */
	size_t cap;
	struct ml_arena arena;
};

/* Line (from 1) of a file, or NULL; it lives until the release. */
const char *ml_source_lines_find(struct ml_source_lines *s, const char *path,
				 uint32_t line);
void ml_source_lines_release(struct ml_source_lines *s);
