/*
 * Lines of C or C++ as code only: comments, strings and lines of the preprocessor are
 * blanked, byte by byte, so that columns stay what they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_sources;

struct ml_source_code {
	char *text; /* ends with 0; each line ends with a newline */
	size_t size;
	size_t *line; /* where each line begins, and the end */
	uint32_t lines;
};

/* Lines first to last, or as many of them as the file has. False: it has none. */
bool ml_source_code_read(struct ml_source_code *c, struct ml_arena *a,
			 struct ml_sources *sources, const char *path, uint32_t first,
			 uint32_t last);

/* Does the function that begins at a line return the variable of that name? */
bool ml_source_code_returns(struct ml_sources *sources, const char *path, uint32_t line,
			    const char *variable);
