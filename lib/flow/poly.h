/*
 * Polynomials over symbols with rational coefficients: what loop nests count. Sums over a
 * loop variable are closed by Faulhaber's formula. Terms are kept sorted and without
 * zeros, so equal polynomials are equal term by term. Coefficients that do not fit in 64
 * bits set `bad`, and all that is made from a bad polynomial is bad.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_buf;
struct ml_sym;

enum { ML_POLY_FACTORS = 8, ML_POLY_TERMS = 2000 };

struct ml_poly_term {
	int64_t num, den; /* den > 0, no common factor */
	uint32_t factors;
	struct ml_poly_factor {
		uint32_t symbol, power;
	} factor[ML_POLY_FACTORS]; /* by symbol */
};

struct ml_poly {
	struct ml_poly_term *term;
	size_t count;
	bool bad; /* too large, or no polynomial */
};

/* All take their memory from the arena and leave their arguments alone. */
struct ml_poly ml_poly_const(struct ml_arena *a, int64_t v);
struct ml_poly ml_poly_symbol(struct ml_arena *a, uint32_t symbol);
struct ml_poly ml_poly_add(struct ml_arena *a, struct ml_poly x, struct ml_poly y);
struct ml_poly ml_poly_mul(struct ml_arena *a, struct ml_poly x, struct ml_poly y);
/* x * num / den */
struct ml_poly ml_poly_scale(struct ml_arena *a, struct ml_poly x, int64_t num,
			     int64_t den);
struct ml_poly ml_poly_replace(struct ml_arena *a, struct ml_poly x, uint32_t symbol,
			       struct ml_poly by);
/* The sum of x for symbol from low to high; right where high >= low - 1. */
struct ml_poly ml_poly_sum(struct ml_arena *a, struct ml_poly x, uint32_t symbol,
			   struct ml_poly low, struct ml_poly high);
/* Bad where the expression is no polynomial. */
struct ml_poly ml_poly_from(struct ml_arena *a, const struct ml_sym *e);

bool ml_poly_equal(struct ml_poly x, struct ml_poly y);
/* Whether it is a constant, and an integer. */
bool ml_poly_is_const(struct ml_poly x, int64_t *v);
uint32_t ml_poly_degree(struct ml_poly x, uint32_t symbol);
/* The coefficient of symbol to the first power, for polynomials linear in it. */
struct ml_poly ml_poly_coefficient(struct ml_arena *a, struct ml_poly x, uint32_t symbol);
/* Exact; fails on overflow, or if the value is no integer. */
bool ml_poly_eval(struct ml_poly x, const int64_t *value, int64_t *v);
double ml_poly_real(struct ml_poly x, const int64_t *value);
/* "1/2*n^2 - 1/2*n", the highest powers first; "?" if it is bad. */
void ml_poly_print(struct ml_poly x, const char *const *names, struct ml_buf *out);
