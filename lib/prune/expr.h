/*
 * Expressions over the parameters of a search space: whole numbers of 64 bits, and truth
 * values, which are 0 and 1. Nodes live in one array. A node that exists is not made a
 * second time, so equal parts of all expressions are computed once. Children stand before
 * their parents, so the array is also an order of evaluation.
 *
 * A node knows an interval that holds all its values. ml_expr_add refuses an operation
 * whose interval leaves +-2^62, so that evaluation never overflows; only division by zero
 * is left to be found while values are computed.
 *
 * Division and mod are those of C: the quotient is rounded towards zero. `and` and `or`
 * compute both sides.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

enum ml_expr_op {
	ML_EXPR_NUMBER, /* value */
	ML_EXPR_PARAM,  /* parameter number `value` */
	ML_EXPR_ADD,
	ML_EXPR_SUB,
	ML_EXPR_MUL,
	ML_EXPR_DIV,
	ML_EXPR_MOD,
	ML_EXPR_MIN,
	ML_EXPR_MAX,
	ML_EXPR_NEG,
	ML_EXPR_ABS,
	ML_EXPR_EQ, /* from here to ML_EXPR_NOT: truth values */
	ML_EXPR_NE,
	ML_EXPR_LT,
	ML_EXPR_LE,
	ML_EXPR_GT,
	ML_EXPR_GE,
	ML_EXPR_AND,
	ML_EXPR_OR,
	ML_EXPR_NOT,
	ML_EXPR_IF,     /* a ? b : c */
	ML_EXPR_LOOKUP, /* entry a of table `value` */
};

/* 2^62: intervals of values stay within it. */
#define ML_EXPR_LIMIT (INT64_C(1) << 62)

struct ml_expr {
	enum ml_expr_op op;
	uint32_t a, b, c; /* children, as far as the operation has them */
	int64_t value;
	int64_t lo, hi;        /* all values lie in lo..hi */
	uint64_t deps;         /* bit p: depends on parameter p */
	int level;             /* greatest parameter it depends on; -1: it is constant */
	unsigned line, column; /* where it is written first; 0: nowhere */
	bool used; /* a constraint or a range needs it: only then it is computed */
};

struct ml_expr_table {
	const int64_t *values;
	size_t count;
};

/* All nodes of a space; zero bytes are an empty one. */
struct ml_exprs {
	struct ml_expr *at;
	size_t count, cap;
	struct ml_expr_table *tables; /* of ML_EXPR_LOOKUP */
	size_t table_count, table_cap;
	uint32_t *slots; /* number + 1 by hash; 0 is empty */
	size_t slot_cap;
};

enum ml_expr_bad { ML_EXPR_FINE, ML_EXPR_TOO_LARGE, ML_EXPR_ZERO_DIVISOR };

void ml_exprs_release(struct ml_exprs *x);

unsigned ml_expr_arity(enum ml_expr_op op);
static inline bool ml_expr_is_truth(enum ml_expr_op op)
{
	return op >= ML_EXPR_EQ && op <= ML_EXPR_NOT;
}

/*
 * The node of an operation; constants are folded. TOO_LARGE: its values may leave the
 * limit. ZERO_DIVISOR: the divisor is always zero. Then *node is not set.
 */
enum ml_expr_bad ml_expr_add(struct ml_exprs *x, enum ml_expr_op op, uint32_t a,
			     uint32_t b, uint32_t c, uint32_t *node);
uint32_t ml_expr_number(struct ml_exprs *x, int64_t value);
/* lo and hi are those of the parameter's range. */
uint32_t ml_expr_param(struct ml_exprs *x, unsigned param, int64_t lo, int64_t hi);
/* Marks a node and all that it needs as used. */
void ml_expr_use(struct ml_exprs *x, uint32_t node);
/* Entry a of a table, whose index always lies inside it. */
uint32_t ml_expr_lookup(struct ml_exprs *x, uint32_t a, uint32_t table);
uint32_t ml_expr_table(struct ml_exprs *x, const int64_t *values, size_t count);

/*
 * One operation on values; sets *bad on a division by zero, whose value is then 0. The
 * interpreter and the constant folding share it.
 */
static inline int64_t ml_expr_apply(enum ml_expr_op op, int64_t a, int64_t b, int64_t c,
				    bool *bad)
{
	switch (op) {
	case ML_EXPR_ADD: return a + b;
	case ML_EXPR_SUB: return a - b;
	case ML_EXPR_MUL: return a * b;
	case ML_EXPR_DIV: return b ? a / b : (*bad = true, 0);
	case ML_EXPR_MOD: return b ? a % b : (*bad = true, 0);
	case ML_EXPR_MIN: return a < b ? a : b;
	case ML_EXPR_MAX: return a > b ? a : b;
	case ML_EXPR_NEG: return -a;
	case ML_EXPR_ABS: return a < 0 ? -a : a;
	case ML_EXPR_EQ: return a == b;
	case ML_EXPR_NE: return a != b;
	case ML_EXPR_LT: return a < b;
	case ML_EXPR_LE: return a <= b;
	case ML_EXPR_GT: return a > b;
	case ML_EXPR_GE: return a >= b;
	case ML_EXPR_AND: return a && b;
	case ML_EXPR_OR: return a || b;
	case ML_EXPR_NOT: return !a;
	case ML_EXPR_IF: return a ? b : c;
	case ML_EXPR_NUMBER:
	case ML_EXPR_PARAM:
	case ML_EXPR_LOOKUP: break;
	}
	return 0;
}
