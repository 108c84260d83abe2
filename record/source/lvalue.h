/*
 * The lvalue that stands before a place of a text of C: A, p->data, rows[i + 1], (*out).
 */
#pragma once

#include <stdbool.h>

enum { ML_LVALUE_MAX = 96 };

struct ml_lvalue {
	char name[ML_LVALUE_MAX]; /* without blanks */
	int deref;                /* pointers followed from name: 1 for "*out = ..." */
};

/*
 * The lvalue that ends before `end`: words joined by . -> :: and indices. In a
 * declaration the type stands before it, separated by a blank or a star; the member of an
 * initialiser, .data of { .data = ... }, belongs to the variable that is initialised.
 * False: there is none.
 */
bool ml_lvalue_before(struct ml_lvalue *v, const char *end, const char *start);

/* Copies text without blanks, except between words. False: it does not fit. */
bool ml_lvalue_copy(char to[ML_LVALUE_MAX], const char *p, const char *end);
