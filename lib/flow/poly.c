#include "lib/flow/poly.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/flow/sym.h"

static const struct ml_poly bad = { .bad = true };

static unsigned __int128 gcd(unsigned __int128 x, unsigned __int128 y)
{
	while (y) {
		unsigned __int128 r = x % y;

		x = y;
		y = r;
	}
	return x;
}

/* num / den in lowest terms; false if it does not fit. */
static bool ratio(__int128 num, __int128 den, int64_t *n, int64_t *d)
{
	if (den < 0) {
		num = -num;
		den = -den;
	}
	__int128 g = (__int128)gcd((unsigned __int128)(num < 0 ? -num : num),
				   (unsigned __int128)den);
	num /= g;
	den /= g;
	*n = (int64_t)num;
	*d = (int64_t)den;
	return *n == num && *d == den && num != INT64_MIN;
}

/* The highest power first, so that n^2 stands before n. */
static int compare(const struct ml_poly_term *x, const struct ml_poly_term *y)
{
	uint32_t degree[2] = { 0, 0 };

	for (uint32_t i = 0; i < x->factors; i++)
		degree[0] += x->factor[i].power;
	for (uint32_t i = 0; i < y->factors; i++)
		degree[1] += y->factor[i].power;
	if (degree[0] != degree[1])
		return degree[0] > degree[1] ? -1 : 1;
	for (uint32_t i = 0; i < x->factors && i < y->factors; i++) {
		if (x->factor[i].symbol != y->factor[i].symbol)
			return x->factor[i].symbol < y->factor[i].symbol ? -1 : 1;
		if (x->factor[i].power != y->factor[i].power)
			return x->factor[i].power > y->factor[i].power ? -1 : 1;
	}
	return x->factors == y->factors ? 0 : x->factors < y->factors ? -1 : 1;
}

static struct ml_poly room(struct ml_arena *a, size_t terms)
{
	if (terms > ML_POLY_TERMS * 4)
		return bad;
	return (struct ml_poly){
		.term = ml_arena_alloc(a, (terms + !terms) * sizeof(struct ml_poly_term))
	};
}

struct ml_poly ml_poly_const(struct ml_arena *a, int64_t v)
{
	struct ml_poly p = room(a, 1);

	if (v) {
		p.term[0].num = v;
		p.term[0].den = 1;
		p.count = 1;
	}
	p.bad = v == INT64_MIN;
	return p;
}

struct ml_poly ml_poly_symbol(struct ml_arena *a, uint32_t symbol)
{
	struct ml_poly p = ml_poly_const(a, 1);

	p.term[0].factors = 1;
	p.term[0].factor[0] = (struct ml_poly_factor){ symbol, 1 };
	return p;
}

struct ml_poly ml_poly_add(struct ml_arena *a, struct ml_poly x, struct ml_poly y)
{
	size_t i = 0, j = 0;

	if (x.bad || y.bad)
		return bad;
	struct ml_poly p = room(a, x.count + y.count);
	if (p.bad)
		return bad;
	while (i < x.count || j < y.count) {
		int order = i == x.count ? 1 : j == y.count ? -1 : 0;
		struct ml_poly_term *t = &p.term[p.count];

		if (!order)
			order = compare(&x.term[i], &y.term[j]);
		*t = order <= 0 ? x.term[i] : y.term[j];
		if (!order &&
		    !ratio((__int128)x.term[i].num * y.term[j].den +
				   (__int128)y.term[j].num * x.term[i].den,
			   (__int128)x.term[i].den * y.term[j].den, &t->num, &t->den))
			return bad;
		i += order <= 0;
		j += order >= 0;
		p.count += t->num != 0;
	}
	return p.count > ML_POLY_TERMS ? bad : p;
}

static bool multiply(const struct ml_poly_term *x, const struct ml_poly_term *y,
		     struct ml_poly_term *t)
{
	uint32_t i = 0, j = 0;

	memset(t, 0, sizeof(*t));
	/* crosswise first, so that the products stay small */
	int64_t n1, d1, n2, d2;
	if (!ratio(x->num, y->den, &n1, &d1) || !ratio(y->num, x->den, &n2, &d2) ||
	    !ratio((__int128)n1 * n2, (__int128)d1 * d2, &t->num, &t->den))
		return false;
	while (i < x->factors || j < y->factors) {
		if (t->factors == ML_POLY_FACTORS)
			return false;
		struct ml_poly_factor *f = &t->factor[t->factors++];

		if (j == y->factors ||
		    (i < x->factors && x->factor[i].symbol < y->factor[j].symbol)) {
			*f = x->factor[i++];
		} else if (i == x->factors || y->factor[j].symbol < x->factor[i].symbol) {
			*f = y->factor[j++];
		} else {
			*f = x->factor[i++];
			f->power += y->factor[j++].power;
		}
		if (f->power > 64)
			return false;
	}
	return true;
}

struct ml_poly ml_poly_mul(struct ml_arena *a, struct ml_poly x, struct ml_poly y)
{
	struct ml_poly p = room(a, 0);

	if (x.bad || y.bad || x.count * y.count > ML_POLY_TERMS * 4)
		return bad;
	for (size_t i = 0; i < x.count && !p.bad; i++) {
		struct ml_poly row = room(a, y.count);

		/* one term times sorted terms stays sorted by degree, not always within
		 * one degree: add one by one */
		for (size_t j = 0; j < y.count; j++) {
			struct ml_poly one = room(a, 1);

			if (!multiply(&x.term[i], &y.term[j], one.term))
				return bad;
			one.count = 1;
			row = ml_poly_add(a, row, one);
		}
		p = ml_poly_add(a, p, row);
	}
	return p;
}

struct ml_poly ml_poly_scale(struct ml_arena *a, struct ml_poly x, int64_t num,
			     int64_t den)
{
	struct ml_poly c = room(a, 1);

	if (!ratio(num, den, &c.term[0].num, &c.term[0].den))
		return bad;
	c.count = num != 0;
	return ml_poly_mul(a, x, c);
}

/* The part of a term without a symbol, and the power of that. */
static uint32_t split(const struct ml_poly_term *t, uint32_t symbol,
		      struct ml_poly_term *rest)
{
	uint32_t power = 0;

	*rest = *t;
	rest->factors = 0;
	for (uint32_t i = 0; i < t->factors; i++)
		if (t->factor[i].symbol == symbol)
			power = t->factor[i].power;
		else
			rest->factor[rest->factors++] = t->factor[i];
	return power;
}

struct ml_poly ml_poly_replace(struct ml_arena *a, struct ml_poly x, uint32_t symbol,
			       struct ml_poly by)
{
	struct ml_poly p = room(a, 0);

	if (x.bad)
		return bad;
	for (size_t i = 0; i < x.count; i++) {
		struct ml_poly one = room(a, 1);
		uint32_t power = split(&x.term[i], symbol, one.term);

		one.count = 1;
		while (power--)
			one = ml_poly_mul(a, one, by);
		p = ml_poly_add(a, p, one);
	}
	return p;
}

/*
 * S(k, n) = 0^k + 1^k + ... + n^k as a polynomial in n, from the telescoping sum
 * (n + 1)^(k+1) = sum over j <= k of C(k+1, j) S(j, n); Knuth, AMM 61 (1993).
 */
static struct ml_poly power_sum(struct ml_arena *a, uint32_t k, struct ml_poly n)
{
	struct ml_poly s[16], next = ml_poly_add(a, n, ml_poly_const(a, 1)), p = next;

	if (k >= 16)
		return bad;
	for (uint32_t j = 0; j <= k; j++) {
		struct ml_poly t = p;
		int64_t choose = 1;

		for (uint32_t i = 0; i < j; i++) {
			t = ml_poly_add(a, t, ml_poly_scale(a, s[i], -choose, 1));
			choose = choose * (j + 1 - i) / (i + 1);
		}
		s[j] = ml_poly_scale(a, t, 1, j + 1);
		p = ml_poly_mul(a, p, next);
	}
	return s[k];
}

struct ml_poly ml_poly_sum(struct ml_arena *a, struct ml_poly x, uint32_t symbol,
			   struct ml_poly low, struct ml_poly high)
{
	struct ml_poly p = room(a, 0);
	struct ml_poly before = ml_poly_add(a, low, ml_poly_const(a, -1));
	uint32_t degree = ml_poly_degree(x, symbol);

	if (x.bad || low.bad || high.bad || degree >= 16)
		return bad;
	for (uint32_t k = 0; k <= degree; k++) {
		struct ml_poly c = room(a, 0);

		for (size_t i = 0; i < x.count; i++) {
			struct ml_poly one = room(a, 1);

			one.count = split(&x.term[i], symbol, one.term) == k;
			c = ml_poly_add(a, c, one);
		}
		if (!c.count)
			continue;
		struct ml_poly s =
			ml_poly_add(a, power_sum(a, k, high),
				    ml_poly_scale(a, power_sum(a, k, before), -1, 1));
		p = ml_poly_add(a, p, ml_poly_mul(a, c, s));
	}
	return p;
}

struct ml_poly ml_poly_from(struct ml_arena *a, const struct ml_sym *e)
{
	int64_t d;

	switch (e->op) {
	case ML_SYM_CONST: return ml_poly_const(a, e->value);
	case ML_SYM_SYMBOL: return ml_poly_symbol(a, e->symbol);
	case ML_SYM_ADD:
		return ml_poly_add(a, ml_poly_from(a, e->a), ml_poly_from(a, e->b));
	case ML_SYM_MUL:
		return ml_poly_mul(a, ml_poly_from(a, e->a), ml_poly_from(a, e->b));
	case ML_SYM_FLOOR: {
		/* exact where the divisor divides every coefficient */
		struct ml_poly p = ml_poly_from(a, e->a), by = ml_poly_from(a, e->b);

		if (p.bad || !ml_poly_is_const(by, &d) || !d)
			return bad;
		for (size_t i = 0; i < p.count; i++)
			if (p.term[i].den != 1 || p.term[i].num % d)
				return bad;
		return ml_poly_scale(a, p, 1, d);
	}
	default: return bad;
	}
}

bool ml_poly_equal(struct ml_poly x, struct ml_poly y)
{
	if (x.bad || y.bad || x.count != y.count)
		return false;
	for (size_t i = 0; i < x.count; i++)
		if (compare(&x.term[i], &y.term[i]) || x.term[i].num != y.term[i].num ||
		    x.term[i].den != y.term[i].den)
			return false;
	return true;
}

bool ml_poly_is_const(struct ml_poly x, int64_t *v)
{
	if (x.bad || x.count > 1)
		return false;
	*v = x.count ? x.term[0].num : 0;
	return !x.count || (!x.term[0].factors && x.term[0].den == 1);
}

uint32_t ml_poly_degree(struct ml_poly x, uint32_t symbol)
{
	uint32_t degree = 0;
	struct ml_poly_term rest;

	for (size_t i = 0; i < x.count; i++) {
		uint32_t power = split(&x.term[i], symbol, &rest);

		degree = power > degree ? power : degree;
	}
	return degree;
}

struct ml_poly ml_poly_coefficient(struct ml_arena *a, struct ml_poly x, uint32_t symbol)
{
	struct ml_poly c = room(a, 0);

	for (size_t i = 0; i < x.count; i++) {
		struct ml_poly one = room(a, 1);

		one.count = split(&x.term[i], symbol, one.term) == 1;
		c = ml_poly_add(a, c, one);
	}
	c.bad |= x.bad;
	return c;
}

bool ml_poly_eval(struct ml_poly x, const int64_t *value, int64_t *v)
{
	__int128 num = 0, den = 1;

	if (x.bad)
		return false;
	for (size_t i = 0; i < x.count; i++) {
		const struct ml_poly_term *t = &x.term[i];
		__int128 n = t->num;

		for (uint32_t j = 0; j < t->factors; j++)
			for (uint32_t k = 0; k < t->factor[j].power; k++)
				if (__builtin_mul_overflow(n, value[t->factor[j].symbol],
							   &n))
					return false;
		/* num/den + n/t->den */
		__int128 common = den / (__int128)gcd((unsigned __int128)den,
						      (unsigned __int128)t->den);
		__int128 up = t->den, left, right;
		if (__builtin_mul_overflow(common, up, &up) ||
		    __builtin_mul_overflow(num, up / den, &left) ||
		    __builtin_mul_overflow(n, up / t->den, &right) ||
		    __builtin_add_overflow(left, right, &num))
			return false;
		den = up;
	}
	if (num % den || num / den > INT64_MAX || num / den < INT64_MIN)
		return false;
	*v = (int64_t)(num / den);
	return true;
}

double ml_poly_real(struct ml_poly x, const int64_t *value)
{
	double sum = x.bad ? NAN : 0;

	for (size_t i = 0; i < x.count; i++) {
		double v = (double)x.term[i].num / (double)x.term[i].den;

		for (uint32_t j = 0; j < x.term[i].factors; j++)
			v *= pow((double)value[x.term[i].factor[j].symbol],
				 x.term[i].factor[j].power);
		sum += v;
	}
	return sum;
}

void ml_poly_print(struct ml_poly x, const char *const *names, struct ml_buf *out)
{
	if (x.bad || !x.count)
		ml_buf_text(out, x.bad ? "?" : "0");
	for (size_t i = 0; i < x.count; i++) {
		const struct ml_poly_term *t = &x.term[i];
		int64_t n = t->num < 0 ? -t->num : t->num;
		bool alone = !t->factors;

		ml_buf_text(out, t->num < 0 ? (i ? " - " : "-") : i ? " + " : "");
		if (alone || n != 1 || t->den != 1) {
			ml_buf_printf(out, "%" PRId64, n);
			if (t->den != 1)
				ml_buf_printf(out, "/%" PRId64, t->den);
			ml_buf_text(out, alone ? "" : "*");
		}
		for (uint32_t j = 0; j < t->factors; j++) {
			ml_buf_printf(out, "%s%s", j ? "*" : "",
				      names[t->factor[j].symbol]);
			if (t->factor[j].power > 1)
				ml_buf_printf(out, "^%" PRIu32, t->factor[j].power);
		}
	}
}
