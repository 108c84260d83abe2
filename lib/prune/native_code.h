/*
 * Writes a space as C: one function that counts all masks of a part, and one that selects
 * variants (interpret.h tells what both mean). The text holds nothing but what this
 * generator makes of the tree of expressions: numbers, and names of its own. No text of
 * the description gets into it.
 *
 * How the text is made fast:
 * - A node is computed in the outermost loop in which its inputs are known.
 * - In the innermost loop, comparisons are computed in lanes that the compiler turns into
 *   vectors; 64 results become the bits of a word (a plane). `and`, `or`, `not` are word
 *   operations, and variants are counted by counting bits.
 * - The plane of a comparison that does not depend on a loop around the innermost one is
 *   computed outside that loop and kept in a table.
 * - Intervals say which values fit 32 bits, and when a quotient can be computed exactly
 *   as a float or double, which has vector instructions where integers have none.
 */
#pragma once

#include <stdint.h>

struct ml_buf;
struct ml_space;

/* The functions of the module, as the program calls them. */
typedef int ml_native_row(void *arg, const int64_t *values);
typedef int ml_native_stopped(const void *work);
typedef int ml_native_count_fn(int64_t first, int64_t share, int64_t of,
			       ml_native_stopped *stopped, const void *work,
			       uint64_t *counts);
typedef int ml_native_select_fn(int64_t first, int64_t share, int64_t of,
				ml_native_stopped *stopped, const void *work,
				uint32_t care, uint32_t want, ml_native_row *row,
				void *arg);

/* What they return. `stopped` is asked every ML_NATIVE_POLL turns of loops. */
enum ml_native_end {
	ML_NATIVE_DONE,
	ML_NATIVE_DIVIDED, /* by zero */
	ML_NATIVE_ENDED,   /* row said so */
	ML_NATIVE_STOPPED,
};
enum { ML_NATIVE_POLL = 1 << 16 };

void ml_native_code(const struct ml_space *s, struct ml_buf *out);
