/*
 * The steps of a model, which model.c parses and model_steps.c runs. No other file
 * includes this.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/text/model.h"

enum {
	ML_MODEL_ARGS = 4,
	ML_MODEL_SITES = 4, /* largest number of references in the body of a step */
	ML_MODEL_POINTER = 8,
};

/* The limit of addresses in a model, so that sums of a few cannot overflow. */
#define ML_MODEL_ADDRESSES (1ull << 62)

/* The options of a kind of step, as bits. */
enum {
	ML_MODEL_KIND = 1,
	ML_MODEL_REPEAT = 2,
	ML_MODEL_SEED = 4,
	ML_MODEL_NAME = 8,
	ML_MODEL_ORDER = 16,
	ML_MODEL_BLOCK = 32,
	ML_MODEL_REGISTER = 64,
	ML_MODEL_PAD = 128,
	ML_MODEL_BASE = 256,
};

struct ml_model_run;
struct ml_model_step;

struct ml_model_step_kind {
	const char *name;
	unsigned min, max; /* how many numbers follow the name */
	int elem;   /* index of the one that is the size of a reference; -1: none */
	bool based; /* the first is an address, which may be 0 */
	unsigned options;
	/* Counts the references of the step; returns a reason if the step is invalid. */
	const char *(*check)(struct ml_model_step *s);
	bool (*run)(struct ml_model_run *r, struct ml_model_step *s);
};

extern const struct ml_model_step_kind ml_model_step_kinds[]; /* the last has no name */

enum { ML_MODEL_I, ML_MODEL_J, ML_MODEL_K };

struct ml_model_step {
	const struct ml_model_step_kind *kind; /* NULL: repeat ( body ) */
	struct ml_model_step *next, *body;
	uint64_t arg[ML_MODEL_ARGS];
	uint64_t repeat, seed, block, pad, base;
	bool reads, writes, in_register;
	uint8_t order[3]; /* of the loops i, j, k, the outermost first */
	const char *name;
	uint32_t line; /* in the source text that the trace stores */

	uint64_t refs;      /* of one repetition */
	uint64_t nodes;     /* of a chase */
	uint64_t matrix[3]; /* addresses of A, B, C */
	uint64_t row;       /* bytes of a row of these */
	uint32_t site[ML_MODEL_SITES];
};

/* Products and sums that saturate at UINT64_MAX. */
static inline uint64_t ml_model_product(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

static inline uint64_t ml_model_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
