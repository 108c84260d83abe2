/*
 * A search space: parameters with ranges, derived values, and constraints, each of which
 * eliminates the variants for which it is true. It is read from a small text language
 * (docs/commands/prune.md is its manual):
 *
 *	space gemm
 *	dim_m in 1..320
 *	blk_m in multiples of dim_m up to 320
 *	T = dim_m * 8
 *	hard over_max_threads: T > 1024  "more threads than the device has"
 *	soft partial_warps: T mod 32 != 0
 *
 * The range of a parameter may depend on the parameters before it. A variant is one value
 * for each parameter; variants are counted as nested loops run, the first parameter
 * slowest. An expression is computed as soon as its inputs are known: a zero divisor is
 * an error even where the ranges of later parameters turn out to be empty.
 * Held by tests/prune/test_space.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/prune/expr.h"

enum {
	ML_SPACE_PARAMS = 16,
	ML_SPACE_CONSTRAINTS = 24, /* a variant's result is a mask of so many bits */
	ML_SPACE_TRIPS = 1 << 26,  /* values of one parameter, at the most */
	ML_SPACE_TEXT = 1 << 20,   /* bytes of a description */
};

enum ml_range_kind {
	ML_RANGE_STEPS,    /* first, first + step, ... up to last */
	ML_RANGE_LIST,     /* values */
	ML_RANGE_DIVISORS, /* all divisors of last, ascending */
	ML_RANGE_POWERS,   /* first, first * step, ... up to last */
};

struct ml_param_range {
	const char *name;
	enum ml_range_kind kind;
	uint32_t first, step, last; /* nodes */
	int64_t *values;            /* of a list */
	size_t value_count;
	/* Words instead of numbers: value i is words[i]; NULL: the values are numbers.
	 * Of permutations value i is the i-th, and its text is made when asked for. */
	const char **words;
	size_t word_count;
	bool permutations; /* of the words */
	int64_t lo, hi;    /* all values */
	uint64_t trips;    /* how many values there are at the most */
	uint64_t deps;     /* parameters that the range depends on */
	uint32_t node;     /* the parameter as an expression */
};

struct ml_constraint {
	const char *name;
	const char *about; /* a sentence; NULL: none */
	const char *text;  /* of the expression, as written; NULL: of a table */
	bool soft;
	uint32_t node; /* true: eliminated */
};

struct ml_derived {
	const char *name;
	uint32_t node;
};

/*
 * A program that the space is about, as lib/flow reads it: texts in which {NAME} is the
 * value of a parameter. Each may be NULL.
 */
struct ml_space_flow {
	const char *file; /* from the folder of the description; NULL: there is none */
	const char *function, *set, *tile, *order, *layout;
};

struct ml_space {
	const char *name;
	const char *path; /* for messages */
	struct ml_exprs exprs;
	struct ml_param_range params[ML_SPACE_PARAMS];
	size_t param_count;
	struct ml_constraint constraints[ML_SPACE_CONSTRAINTS];
	size_t constraint_count;
	struct ml_derived *derived;
	size_t derived_count, derived_cap;
	struct ml_space_flow flow;
	struct ml_arena arena; /* names, tables and texts */
};

/* Reads a description; a message names path, line and column. */
bool ml_space_parse(struct ml_space *s, const char *path, const char *text, size_t size,
		    struct ml_err *err);
bool ml_space_open(struct ml_space *s, const char *path, struct ml_err *err);
void ml_space_release(struct ml_space *s);
/* Whether a file begins like a description: its first word is "space". */
bool ml_space_is(const char *path);

/* In how many orders n words can stand. */
int64_t ml_space_orders(size_t n);
/* A value of a parameter as text: "16", or "k_,j_,i_,k,j,i". */
const char *ml_space_value(const struct ml_space *s, size_t param, int64_t value,
			   struct ml_arena *a);
/*
 * The value of a word or number of a parameter; false: there is none. Whether the value
 * lies in the range is another question.
 */
bool ml_space_read_value(const struct ml_space *s, size_t param, const char *text,
			 int64_t *value);

/*
 * The values of a parameter, those of the parameters before it being given. Values of
 * steps are computed: first + i * step. All others stand in `values`.
 */
struct ml_range_now {
	int64_t first, step;
	uint64_t count;
	const int64_t *values; /* NULL: steps */
};

/* Divisors and powers: writes at most ML_SPACE_FEW values into `values`. */
enum { ML_SPACE_FEW = 1536 }; /* no number below 2^31 has more divisors */
size_t ml_space_divisors(int64_t of, int64_t *values);
size_t ml_space_powers(int64_t first, int64_t factor, int64_t last, int64_t *values);

static inline int64_t ml_range_value(const struct ml_range_now *r, uint64_t i)
{
	return r->values ? r->values[i] : r->first + (int64_t)i * r->step;
}
