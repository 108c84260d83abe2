/*
 * Residuals: the differences between values and their predictions, mostly zero or small.
 * Two bits for each residual tell its width, 0, 1, 2 or 4 bytes (enum ml_code), and each
 * width has a column. A residual of 8 bytes has INT32_MIN in the column of width 4 and
 * its value in a column of its own. Eight residuals are handled at a time, with AVX-512
 * where the processor has it.
 * Held by tests/trace/test_residuals.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	ML_RESIDUALS_SLACK =
		64 /* bytes that may be accessed beyond the end of a column */
};

/* The positions in the columns at which the next residuals are written or read. */
struct ml_residuals {
	uint8_t *codes, *d1, *d2, *d4, *d8;
};

struct ml_residuals_ops {
	/* count is a multiple of 8 */
	void (*put)(struct ml_residuals *r, const int64_t *residual, size_t count);
	void (*get)(struct ml_residuals *r, int64_t *residual, size_t count);
};

extern const struct ml_residuals_ops ml_residuals_plain, ml_residuals_avx512;

/* The fastest of them that this processor can run. */
const struct ml_residuals_ops *ml_residuals_ops(void);
