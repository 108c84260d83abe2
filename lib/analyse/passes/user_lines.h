/*
 * Which line of the user's own code a reference belongs to: the line that made
 * it; for inlined library templates the line that they are inlined into; for
 * references of library functions the line that called. Lines are numbered in
 * the order in which they are first asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"

struct ml_tables;

struct ml_user_line {
	uint32_t file, func, object; /* names of the tables */
	uint32_t line; /* 0: not known; then the function as a whole is the place */
	bool own; /* false: the one line that stands for all that is not the user's */
};

struct ml_user_lines {
	const struct ml_tables *tables;
	struct ml_user_line *lines;
	size_t count, cap;
	uint64_t *of_site; /* line + 1 */
	bool *own_file;    /* by name: source of the user, not of the system */
	struct ml_map by_line, by_func;
};

void ml_user_lines_init(struct ml_user_lines *p, const struct ml_tables *t);
/* The line of a reference; *is_new: nobody asked for it before. */
uint64_t ml_user_lines_line(struct ml_user_lines *p, uint32_t site, uint32_t caller,
			    bool *is_new);
/* What that line is. */
struct ml_user_line ml_user_lines_find(struct ml_user_lines *p, uint32_t site,
				       uint32_t caller);
void ml_user_lines_release(struct ml_user_lines *p);
