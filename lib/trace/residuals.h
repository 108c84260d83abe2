/*
 * What is left of bases when the prediction is taken away: mostly nothing, or * little.
 * Two bits for each say how many bytes it takes, 0, 1, 2 or 4, and those go to a column
 * for each width; what needs 8 has INT32_MIN among those of 4 and stands in another.
 * Eight at a time, with AVX-512 where there is some.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	ML_RESIDUALS_SLACK = 64 /* bytes that may be read or written behind each column */
};

/* Where the next ones go, or come from. */
struct ml_residuals {
	uint8_t *codes, *d1, *d2, *d4, *d8;
};

struct ml_residuals_ops {
	/* Both: count is a multiple of 8. */
	void (*put)(struct ml_residuals *r, const int64_t *rest, size_t count);
	void (*get)(struct ml_residuals *r, int64_t *rest, size_t count);
};

extern const struct ml_residuals_ops ml_residuals_plain, ml_residuals_avx512;

/* The fastest that this machine can. */
const struct ml_residuals_ops *ml_residuals_ops(void);
