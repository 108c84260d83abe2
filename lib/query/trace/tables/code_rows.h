/*
 * Rows by line and by function of the recorded program, for tables that count
 * (summary.h) and tables that count and cost (profile_rows.h). Both start from cells,
 * each with a site, a caller and a region. This module tells the row of a cell, the
 * names of the row, and which regions and library functions have the largest shares of
 * a line. Rows are numbered from 0 in the order of their first cell.
 *
 *	ml_code_lines_init(&lines, tables);
 *	for each cell:
 *		row = ml_code_lines_add(&lines, &cell);
 *	ml_code_lines_finish(&lines, region_name, arg);
 *	use lines.rows.at[row];
 *	ml_code_lines_release(&lines);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/base/map.h"

struct ml_tables;

/* Rows, for ML_ADD of lib/trace/tables.h. */
#define ML_ROWS(type) \
	struct { \
		type *at; \
		size_t count, cap; \
	}

struct ml_code_cell {
	uint32_t site, caller; /* caller 0: the user's own code */
	uint32_t region;
	uint64_t refs;
	double lost; /* cycles; 0 where nothing is simulated */
};

/* True if the user's code made the references of a cell, or a library on its behalf. */
bool ml_code_is_own(const struct ml_tables *t, uint32_t site, uint32_t caller);

/* True if the loader and libraries on their own made most of a region's references. */
bool ml_code_is_theirs(uint64_t own, uint64_t refs);

/* The share that a region has of a line. */
struct ml_code_part {
	uint32_t region;
	const char *name;
	uint64_t refs;
	double lost;
};

enum { ML_CODE_PARTS = 3 };

struct ml_code_line {
	const char *file, *func, *object; /* paths; empty: unknown */
	uint32_t line;                    /* 0: no line known, the whole function */
	bool own;         /* in the user's code; false: one row for all other code */
	uint64_t library; /* of its references, those made in libraries on its behalf */
	const char *through; /* the library function or accessor that made most of the
				references that the line did not make itself, or NULL */
	struct ml_code_part part[ML_CODE_PARTS]; /* the costliest first, then the most
						    used; name NULL: none */
	size_t parts;                            /* regions in all */
};

struct ml_code_share;

struct ml_code_shares {
	ML_ROWS(struct ml_code_share) list;
	struct ml_map index; /* row and number of the owner -> share */
};

struct ml_code_lines {
	const struct ml_tables *tables;
	ML_ROWS(struct ml_code_line) rows; /* parts and through: once finished */
	struct ml_user_lines numbers;
	struct ml_code_shares regions, functions;
};

void ml_code_lines_init(struct ml_code_lines *l, const struct ml_tables *t);
/* Adds a cell; returns the number of its row. */
size_t ml_code_lines_add(struct ml_code_lines *l, const struct ml_code_cell *c);
/* Finds the parts of all rows; region_name gives the name of a region. */
void ml_code_lines_finish(struct ml_code_lines *l,
			  const char *(*region_name)(const void *arg, uint32_t region),
			  const void *arg);
void ml_code_lines_release(struct ml_code_lines *l);

struct ml_code_function {
	const char *func, *file, *object; /* paths; empty: unknown */
	bool user;
};

struct ml_code_functions {
	const struct ml_tables *tables;
	ML_ROWS(struct ml_code_function) rows;
	struct ml_map index; /* function and object -> row */
};

/* All bytes but `tables` are 0 at first. Returns the number of the row of the function
 * that a site is in, perhaps an inlined one. */
size_t ml_code_functions_add(struct ml_code_functions *f, uint32_t site);
/* The row of the user's function for which a site did its work. */
size_t ml_code_functions_add_own(struct ml_code_functions *f, uint32_t site,
				 uint32_t caller);
void ml_code_functions_release(struct ml_code_functions *f);
