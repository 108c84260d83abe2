/*
 * Finds the line of the user's own code that a reference belongs to: the line that made
 * it; for inlined library templates and accessors the line that they are inlined into;
 * for library functions, also templates compiled into the program, the line that called
 * them. Lines are numbered in the order in which they are first asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"

struct ml_tables;

struct ml_user_line {
	uint32_t file, func, object; /* names of the tables */
	uint32_t line; /* 0: unknown; then the whole function is the place */
	bool own; /* false: the one entry that stands for all code that is not the user's
		   */
};

struct ml_user_lines {
	const struct ml_tables *tables;
	struct ml_user_line *lines;
	size_t count, cap;
	uint64_t *of_site; /* line + 1 */
	bool *own_file;    /* by name: a source of the user, not of the system */
	bool *own_site;    /* it has a frame in such a source */
	struct ml_map by_line, by_func;
};

void ml_user_lines_init(struct ml_user_lines *p, const struct ml_tables *t);
/* The line of a reference; *is_new: this is the first reference of the line. */
uint64_t ml_user_lines_line(struct ml_user_lines *p, uint32_t site, uint32_t caller,
			    bool *is_new);
/* The same, as an entry. */
struct ml_user_line ml_user_lines_find(struct ml_user_lines *p, uint32_t site,
				       uint32_t caller);
void ml_user_lines_release(struct ml_user_lines *p);
