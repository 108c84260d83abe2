/*
 * The functions of isl, the library of integer sets (Verdoolaege 2010), that dependence.h
 * calls, loaded when they are needed. isl takes relations as text and its types are
 * opaque, so no header of it is needed: gcc brings the library along (Debian: libisl23).
 */
#pragma once

#include "lib/base/err.h"

/* clang-format off */
#define ML_ISL_FUNCTIONS(X) \
	X(void *, ctx_alloc, (void)) \
	X(void, ctx_free, (void *ctx)) \
	X(void, ctx_set_max_operations, (void *ctx, unsigned long max)) \
	X(int, options_set_on_error, (void *ctx, int what)) \
	X(void *, map_read_from_str, (void *ctx, const char *text)) \
	X(void *, map_copy, (void *map)) \
	X(void *, map_free, (void *map)) \
	X(void *, map_reverse, (void *map)) \
	X(void *, map_apply_range, (void *x, void *y)) \
	X(void *, map_intersect, (void *x, void *y)) \
	X(void *, map_lex_lt_map, (void *x, void *y)) \
	X(int, map_is_empty, (void *map))
/* clang-format on */

enum { ML_ISL_CONTINUE = 1 }; /* ISL_ON_ERROR_CONTINUE: a failed call returns NULL */

struct ml_isl {
#define X(type, name, arguments) type(*name) arguments;
	ML_ISL_FUNCTIONS(X)
#undef X
};

/* Loads it once; any thread may call it. NULL with a sentence. */
const struct ml_isl *ml_isl_load(struct ml_err *err);
