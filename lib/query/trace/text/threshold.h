/*
 * --fail-if: a small expression over the numbers of a result.
 *
 *	L1.miss_ratio > 0.05
 *	region("A").L2.misses >= 1M or cycles > 10
 *	line("a.c:12").L1.conflict / line("a.c:12").L1.misses > 50%
 *
 * Comparisons (< <= > >= == !=) joined by and, or, not and parentheses; + - * / on
 * either side; numbers with k, M, G (powers of 1000) or %. A name is a path of
 * parts with dots between them, each a word and perhaps a text or number in parentheses;
 * the command that tests the expression looks its value up.
 * Held by tests/program/test_threshold.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_buf;

enum { ML_THRESHOLD_PARTS = 4, ML_THRESHOLD_TEXT = 256 };

struct ml_threshold_part {
	char word[32];
	char arg[ML_THRESHOLD_TEXT]; /* the text in its parentheses */
	bool has_arg;
};

struct ml_threshold_path {
	struct ml_threshold_part part[ML_THRESHOLD_PARTS];
	size_t count; /* number of parts */
};

/* Finds the value of a path. The error lists the names that exist. */
typedef bool ml_threshold_value(void *arg, const struct ml_threshold_path *path,
				double *value, struct ml_err *err);

/*
 * Sets *crossed if the expression holds. Then *why gets a line for each comparison that
 * holds: "L1.miss_ratio > 0.05: it is 0.0731". Fails (ML_USAGE) if the text is no
 * expression, and quotes the place.
 */
bool ml_threshold_test(const char *text, ml_threshold_value *value, void *arg,
		       bool *crossed, struct ml_buf *why, struct ml_err *err);

/*
 * Tests all expressions, so that a person sees all that hold: *crossed gets
 * "memlamp COMMAND: --fail-if 'L1.misses > 5' holds" for each, with its comparisons, and
 * stays empty if none does.
 */
bool ml_thresholds_test(const char *const *texts, size_t count, const char *command,
			ml_threshold_value *value, void *arg, struct ml_buf *crossed,
			struct ml_err *err);
/* Checks the syntax, and the names as far as `value` knows them; any value will do. */
bool ml_thresholds_check(const char *const *texts, size_t count,
			 ml_threshold_value *value, void *arg, struct ml_err *err);
