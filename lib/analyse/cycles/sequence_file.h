/*
 * What `memlamp cycles` reads besides traces: a sequence of symbols, one a line, and the
 * distances between points as the lower triangle of their matrix.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/map.h"

/*
 * Each line is a symbol; blanks at its ends do not count. An empty line breaks the
 * sequence: breaks are places before which it breaks.
 */
struct ml_symbol_list {
	struct ml_names names;
	uint32_t *symbols;
	size_t count, cap;
	uint64_t *breaks;
	size_t break_count, break_cap;
};

bool ml_symbol_list_parse(struct ml_symbol_list *l, const char *text, size_t size,
			  const char *name, struct ml_err *err);
void ml_symbol_list_release(struct ml_symbol_list *l);

/*
 * Numbers of row 1, row 2, ... below the diagonal, with commas, blanks or line ends
 * between them, as ripser reads them: line ends mean nothing, so the count alone says how
 * many points there are. Values are finite and not negative.
 */
struct ml_triangle {
	double *values;
	size_t count, cap;
	uint32_t points;
};

bool ml_triangle_parse(struct ml_triangle *t, const char *text, size_t size,
		       const char *name, struct ml_err *err);
void ml_triangle_release(struct ml_triangle *t);
