/*
 * Symbolic integers: the bounds, subscripts and guards of loop nests. An expression is an
 * immutable tree in an arena; equal trees may be shared. Conditions are expressions with
 * the values 0 and 1. Division rounds towards minus infinity, and the remainder has the
 * sign of the divisor, as sympy and Python have it.
 *
 * A symbol is a number; flow.h has its name. Values are int64_t; an evaluation that
 * overflows, divides by 0 or meets ML_SYM_UNKNOWN fails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_buf;

enum ml_sym_op {
	ML_SYM_CONST,
	ML_SYM_SYMBOL,
	ML_SYM_ADD,
	ML_SYM_MUL,
	ML_SYM_FLOOR, /* a / b, rounded down */
	ML_SYM_MOD,
	ML_SYM_MIN,
	ML_SYM_MAX,
	ML_SYM_EQ, /* a == b */
	ML_SYM_GE, /* a >= b */
	ML_SYM_AND,
	ML_SYM_OR,
	ML_SYM_NOT,
	ML_SYM_UNKNOWN, /* depends on data, or is no integer expression */
};

struct ml_sym {
	enum ml_sym_op op;
	uint32_t symbol; /* of ML_SYM_SYMBOL */
	int64_t value;   /* of ML_SYM_CONST */
	uint32_t depth;  /* of the tree; at most ML_SYM_DEPTH */
	uint32_t size; /* nodes of the tree, shared ones each time; at most ML_SYM_SIZE */
	const struct ml_sym *a, *b;
};

/* An expression that would be larger becomes unknown, so recursion is bounded. */
enum { ML_SYM_DEPTH = 200, ML_SYM_SIZE = 4000 };

const struct ml_sym *ml_sym_const(struct ml_arena *a, int64_t v);
const struct ml_sym *ml_sym_symbol(struct ml_arena *a, uint32_t symbol);
const struct ml_sym *ml_sym_unknown(struct ml_arena *a);
/* Folds constants and neutral elements. */
const struct ml_sym *ml_sym_make(struct ml_arena *a, enum ml_sym_op op,
				 const struct ml_sym *x, const struct ml_sym *y);
const struct ml_sym *ml_sym_sub(struct ml_arena *a, const struct ml_sym *x,
				const struct ml_sym *y);
const struct ml_sym *ml_sym_add_const(struct ml_arena *a, const struct ml_sym *x,
				      int64_t v);

/* value[s] is that of symbol s. known[s], unless known is NULL, says that it has one. */
bool ml_sym_eval(const struct ml_sym *e, const int64_t *value, const bool *known,
		 int64_t *v);

/* The least and the greatest value when symbol s lies from min[s] to max[s]: a bound
 * that need not be reached. Unknown parts make it fail. */
bool ml_sym_bounds(const struct ml_sym *e, const int64_t *min, const int64_t *max,
		   int64_t *low, int64_t *high);

/* Replaces symbols: by[s], where it is not NULL, stands for symbol s < count. */
const struct ml_sym *ml_sym_replace(struct ml_arena *a, const struct ml_sym *e,
				    const struct ml_sym *const *by, size_t count);

bool ml_sym_equal(const struct ml_sym *x, const struct ml_sym *y);
bool ml_sym_has_unknown(const struct ml_sym *e);
/* Whether any symbol s with member[s] (s < count) occurs. */
bool ml_sym_has(const struct ml_sym *e, const bool *member, size_t count);

static inline bool ml_sym_is(const struct ml_sym *e, int64_t v)
{
	return e->op == ML_SYM_CONST && e->value == v;
}

/* Text, with the names of symbols by number: "min(n, i + 32) - 1". */
void ml_sym_print(const struct ml_sym *e, const char *const *names, struct ml_buf *out);
