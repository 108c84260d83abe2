/*
 * A compact description of many variants: text with braces, each standing for several
 * values.
 *
 *	L1 {4K..256K x2} {1,2,4,8,full}w {lru,fifo,opt}    7 * 5 * 3 machines
 *	cc -DPAD={0..15} -o {out} pad.c                    16 programs
 *
 * {a..b} counts by 1, {a..b +s} by s, {a..b xf} multiplies by f; sizes may have K, M, G.
 * {a,b,c} lists words (a list may contain ranges). {name: ...} names the parameter. A
 * parameter without a name is called after its place: "L1 size", "L1 ways", "L1 policy"
 * in a machine, the word before it ("PAD" of -DPAD=) in a command. A name that is used
 * twice takes the same value at both places: L1 {s: 1K..8K x2} | L2 {s}. {{ and }} are
 * literal braces. The first brace varies slowest.
 * Held by tests/analyse/test_variants.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

struct ml_variant {
	const char *text; /* the text, with all braces replaced */
	struct ml_parameter *params;
	size_t param_count;
};

struct ml_variants {
	struct ml_variant *at;
	size_t count, cap;
};

enum { ML_VARIANTS_MAX = 100000 };

enum ml_variants_of { ML_VARIANTS_MACHINE, ML_VARIANTS_COMMAND };

/*
 * Expands a text to all its variants. keep lists names of braces that stay as they are
 * ({out}), ending with NULL; it may be NULL. Fails on bad syntax, quoting it, and on more
 * than ML_VARIANTS_MAX variants.
 */
bool ml_variants_expand(struct ml_variants *v, const char *text, enum ml_variants_of of,
			const char *const *keep, struct ml_arena *a, struct ml_err *err);
