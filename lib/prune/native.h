/*
 * A space as machine code: the text of native_code.h, compiled by the system's C compiler
 * in a private folder that is removed at once, and loaded. There is no cache: nothing
 * that another program could have written is ever loaded.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/prune/native_code.h"

struct ml_space;
struct ml_work;

struct ml_native {
	void *library;
	ml_native_count_fn *count;
	ml_native_select_fn *select;
};

/*
 * cc: the compiler, found by PATH; NULL: $CC, or cc. False where there is none, or it
 * fails, or the code cannot be loaded: the caller then interprets.
 */
bool ml_native_open(struct ml_native *n, const struct ml_space *s, const char *cc,
		    const struct ml_work *work, struct ml_err *err);
void ml_native_close(struct ml_native *n);
