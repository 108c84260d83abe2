/* Prints a comparison for people. */
#pragma once

#include <stddef.h>

struct ml_buf;
struct ml_compare;

/* names: the operands of the user. */
void ml_diff_text(const struct ml_compare *c, const char *const names[2], size_t top,
		  int columns, struct ml_buf *out);
/* What the findings of A promised, and what came true in B. */
void ml_diff_promises(const struct ml_compare *c, int width, struct ml_buf *out);
