/*
 * Two tables of samples, before and after: totals by line, function, variable or level
 * side by side. Lines and functions meet by their names. The number of samples follows
 * from the sampling, so what is compared is the mean latency and the share of all cycles;
 * `sure` is the difference of the means in standard errors: beyond 3 it is hardly chance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/table.h"

struct ml_samples;

extern const char *const ml_compare_samples_tables[]; /* "totals"...; ends with NULL */

/* The rows whose share changed most come first. Fails if there is no such table, or a
 * side lacks a column for it. *all gets the number of rows before it was cut to `top`. */
bool ml_compare_samples(struct ml_table *t, size_t *all, const char *name,
			const struct ml_samples *a, const struct ml_samples *b,
			size_t top, struct ml_err *err);
bool ml_compare_samples_has(const char *name, const struct ml_samples *a,
			    const struct ml_samples *b);
