/*
 * Fits a polynomial through exact values: solves for rational coefficients modulo the
 * prime 2^61 - 1 and reconstructs them (Wang 1981), so no rounding is involved.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/poly.h"

enum { ML_FIT_VARIABLES = 6, ML_FIT_MONOMIALS = 220 };

/* The number of monomials of a total degree; more than ML_FIT_MONOMIALS: too many. */
size_t ml_fit_monomials(size_t variables, uint32_t degree);
/*
 * The polynomial of that degree in symbols with p(point[i]) = value[i] for all i < count;
 * point has `variables` numbers a row. Bad where there is none with small coefficients.
 */
struct ml_poly ml_fit(struct ml_arena *a, const uint32_t *symbols, size_t variables,
		      uint32_t degree, const int64_t *point, const int64_t *value,
		      size_t count);
