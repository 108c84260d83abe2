/*
 * Reads which arrays a statement of Fortran allocates, from the text of free or fixed
 * form: continued lines, several statements in a line, allocate(a(n), b(0:n, m)), a = b,
 * which allocates a anew, and declarations with bounds that are not constant. Names are in small letters, as in DWARF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/source/statement.h"

struct ml_sources;

enum { ML_FORTRAN_OBJECTS = 16 };

struct ml_fortran_object {
	char name[ML_LVALUE_MAX];   /* grid%u */
	char bounds[ML_LVALUE_MAX]; /* 0:n+1,m, or empty */
};

struct ml_fortran_statement {
	struct ml_fortran_object object[ML_FORTRAN_OBJECTS];
	size_t count;
	bool copies; /* allocate(..., source=...) may need a block for the value */
};

/* Is it a file of Fortran, by its name? */
bool ml_fortran_is(const char *path);

/* The statement at a line and a column (0: unknown). False: it allocates nothing, or
 * there is no source. */
bool ml_fortran_statement_read(struct ml_fortran_statement *f, struct ml_sources *sources,
			       const char *path, uint32_t line, uint32_t column);

/* The same for the text of a logical line, without comments and with strings blanked; at
 * is the place of the column. */
bool ml_fortran_statement_parse(struct ml_fortran_statement *f, const char *text,
				size_t size, size_t at);
