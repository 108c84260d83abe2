/*
 * A step of a model: what model.c understands and model_steps.c carries out.
 * Nobody else includes this.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/model.h"

enum {
	ML_STEP_ARGS = 4,
	ML_STEP_SITES = 4, /* references that the body of a step has at most */
	ML_STEP_POINTER = 8,
};

/* No model reaches beyond; sums of a few addresses cannot overflow. */
#define ML_STEP_ADDRESSES (1ull << 62)

/* Which options a kind of step takes, as bits. */
enum {
	ML_STEP_KIND = 1,
	ML_STEP_REPEAT = 2,
	ML_STEP_SEED = 4,
	ML_STEP_NAME = 8,
	ML_STEP_ORDER = 16,
	ML_STEP_BLOCK = 32,
	ML_STEP_REGISTER = 64,
	ML_STEP_PAD = 128,
	ML_STEP_BASE = 256,
};

struct ml_step_run;
struct ml_step;

struct ml_step_kind {
	const char *name;
	unsigned least, most; /* numbers behind the name */
	int elem;             /* which of them is the size of a reference, -1: none */
	bool based;           /* the first is an address, which may be 0 */
	unsigned options;
	/* Counts; a reason if it makes no sense. */
	const char *(*check)(struct ml_step *s);
	bool (*run)(struct ml_step_run *r, struct ml_step *s);
};

extern const struct ml_step_kind ml_step_kinds[]; /* ends with a zero one */

enum { ML_STEP_I, ML_STEP_J, ML_STEP_K };

struct ml_step {
	const struct ml_step_kind *kind; /* NULL: repeat ( body ) */
	struct ml_step *next, *body;
	uint64_t arg[ML_STEP_ARGS];
	uint64_t repeat, seed, block, pad, base;
	bool reads, writes, in_register;
	uint8_t order[3]; /* of i, j, k from the outermost */
	const char *name;
	uint32_t line; /* in the source that the trace keeps */

	uint64_t refs;      /* of one repetition */
	uint64_t nodes;     /* of a chase */
	uint64_t matrix[3]; /* addresses of A, B, C */
	uint64_t row;       /* bytes of theirs */
	uint32_t site[ML_STEP_SITES];
};

/* Sums and products that stick to UINT64_MAX. */
static inline uint64_t ml_step_product(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

static inline uint64_t ml_step_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
