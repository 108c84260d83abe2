#include "lib/flow/count/fit.h"

#include "lib/base/arena.h"

static const uint64_t prime = ((uint64_t)1 << 61) - 1;

static uint64_t times(uint64_t x, uint64_t y)
{
	return (uint64_t)((unsigned __int128)x * y % prime);
}

static uint64_t power(uint64_t x, uint64_t n)
{
	uint64_t r = 1;

	for (; n; n >>= 1, x = times(x, x))
		if (n & 1)
			r = times(r, x);
	return r;
}

static uint64_t residue(int64_t v)
{
	int64_t r = v % (int64_t)prime;

	return (uint64_t)(r < 0 ? r + (int64_t)prime : r);
}

size_t ml_fit_monomials(size_t variables, uint32_t degree)
{
	size_t n = 1;

	for (size_t i = 1; i <= variables && n <= ML_FIT_MONOMIALS; i++)
		n = n * (degree + i) / i;
	return n;
}

/* All exponents with a sum of at most `degree`, in a fixed order. */
static size_t exponents(size_t variables, uint32_t degree, uint8_t (*e)[ML_FIT_VARIABLES])
{
	uint8_t now[ML_FIT_VARIABLES] = { 0 };
	size_t n = 0, at;

	do {
		uint32_t sum = 0;

		for (size_t v = 0; v < variables; v++) {
			e[n][v] = now[v];
			sum += now[v];
		}
		n += sum <= degree;
		for (at = 0; at < variables && now[at] == degree; at++)
			now[at] = 0;
		if (at < variables)
			now[at]++;
	} while (at < variables && n < ML_FIT_MONOMIALS);
	return n;
}

/* num / den = r modulo the prime with both below 2^30; false: there is none. */
static bool reconstruct(uint64_t r, int64_t *num, int64_t *den)
{
	int64_t a0 = (int64_t)prime, a1 = (int64_t)r, b0 = 0, b1 = 1;

	while (a1 >= (int64_t)1 << 30) {
		int64_t q = a0 / a1, t = a0 - q * a1;

		a0 = a1;
		a1 = t;
		t = b0 - q * b1;
		b0 = b1;
		b1 = t;
	}
	*num = b1 < 0 ? -a1 : a1;
	*den = b1 < 0 ? -b1 : b1;
	return *den && *den < (int64_t)1 << 30;
}

/* Gauss-Jordan; columns without a pivot stay 0. False: the rows contradict. */
static bool solve(uint64_t *m, size_t rows, size_t columns, uint64_t *x)
{
	size_t width = columns + 1, rank = 0, pivot[ML_FIT_MONOMIALS];

	for (size_t c = 0; c < columns && rank < rows; c++) {
		size_t r = rank;

		while (r < rows && !m[r * width + c])
			r++;
		if (r == rows)
			continue;
		uint64_t inverse = power(m[r * width + c], prime - 2);
		for (size_t k = 0; k < width; k++) {
			uint64_t t = times(m[r * width + k], inverse);

			m[r * width + k] = m[rank * width + k];
			m[rank * width + k] = t;
		}
		for (size_t i = 0; i < rows; i++) {
			uint64_t by = m[i * width + c];

			if (i == rank || !by)
				continue;
			for (size_t k = c; k < width; k++)
				m[i * width + k] = (m[i * width + k] + prime -
						    times(by, m[rank * width + k])) %
						   prime;
		}
		pivot[rank++] = c;
	}
	for (size_t i = rank; i < rows; i++)
		if (m[i * width + columns])
			return false;
	for (size_t i = 0; i < columns; i++)
		x[i] = 0;
	for (size_t i = 0; i < rank; i++)
		x[pivot[i]] = m[i * width + columns];
	return true;
}

struct ml_poly ml_fit(struct ml_arena *a, const uint32_t *symbols, size_t variables,
		      uint32_t degree, const int64_t *point, const int64_t *value,
		      size_t count)
{
	const struct ml_poly none = { .bad = true };
	uint8_t e[ML_FIT_MONOMIALS][ML_FIT_VARIABLES];
	uint64_t x[ML_FIT_MONOMIALS];
	struct ml_poly p = ml_poly_const(a, 0);

	if (variables > ML_FIT_VARIABLES || degree > 16 ||
	    ml_fit_monomials(variables, degree) >= ML_FIT_MONOMIALS)
		return none;
	size_t n = exponents(variables, degree, e);
	uint64_t *m = ml_arena_alloc(a, count * (n + 1) * sizeof(*m));
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < n; j++) {
			uint64_t t = 1;

			for (size_t v = 0; v < variables; v++)
				t = times(t, power(residue(point[i * variables + v]),
						   e[j][v]));
			m[i * (n + 1) + j] = t;
		}
		m[i * (n + 1) + n] = residue(value[i]);
	}
	if (!solve(m, count, n, x))
		return none;
	for (size_t j = 0; j < n; j++) {
		struct ml_poly t = ml_poly_const(a, 1);
		int64_t num, den;

		if (!x[j])
			continue;
		if (!reconstruct(x[j], &num, &den))
			return none;
		for (size_t v = 0; v < variables; v++)
			for (uint8_t k = 0; k < e[j][v]; k++)
				t = ml_poly_mul(a, t, ml_poly_symbol(a, symbols[v]));
		p = ml_poly_add(a, p, ml_poly_scale(a, t, num, den));
	}
	return p;
}
