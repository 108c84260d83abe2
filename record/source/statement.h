/*
 * Reads from a line of source to which variable it assigns the memory that a call
 * returns, and as which type. It reads tokens and is no parser: it knows the usual forms
 * of C, C++ and Fortran, and answers nothing where it would have to guess.
 *
 *	double *A = malloc(n * sizeof(double));         A, double
 *	if (!(p->data = (int *)calloc(n, 4)))           p->data, int
 *	posix_memalign((void **)&buf, 64, n);           buf
 *	std::vector<double> v(n);                       v
 *	v.push_back(1.0);                               v     (callee is in std::)
 *	return malloc(n);                               nothing, returned to the caller
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/source/lvalue.h"

struct ml_sources;

struct ml_statement {
	char name[ML_LVALUE_MAX]; /* the lvalue without blanks, or empty */
	char type[ML_LVALUE_MAX]; /* element type, if the text names one, or empty */
	int deref;                /* pointers followed from name: 1 for "*out = ..." */
	bool returned;
	/* The first argument of the call, if it is an address and the statement assigns
	 * something else: buf of "rc = get(&buf, n)". */
	char out[ML_LVALUE_MAX];
	/* The object whose method is called: v of v.push(x); empty with own if it is the
	 * caller's own, push(x) or Base::push(x); empty without own if unknown. */
	char object[ML_LVALUE_MAX];
	bool own;
	/* A macro that hides the call, and what stands in its brackets, or empty:
	 * ARRAY_2D and "A, double, N, N" of ARRAY_2D(A, double, N, N). */
	char macro[ML_LVALUE_MAX];
	char hidden[2 * ML_LVALUE_MAX];
};

/*
 * Reads the statement around byte `at` of the text; callee is the name of the function
 * called there, or empty. Comments and strings in the text must be blanked.
 */
void ml_statement_parse(struct ml_statement *s, const char *text, size_t size, size_t at,
			const char *callee);

/*
 * The same for all calls of that function in a text, of the allocator if callee is empty.
 * If there is none, calls of functions whose names say that they allocate count: one of
 * them may have jumped to callee. False: there is none either, or two receive their
 * blocks in different variables.
 */
bool ml_statement_parse_calls(struct ml_statement *s, const char *text, size_t size,
			      const char *callee);

/* The same as the first for a line of a file and a column (0: unknown). False: no source.
 */
bool ml_statement_read(struct ml_statement *s, struct ml_sources *sources,
		       const char *path, uint32_t line, uint32_t column,
		       const char *callee);
