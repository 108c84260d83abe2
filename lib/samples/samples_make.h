/*
 * Making a table of samples: add columns, add one value a column a row, then finish.
 */
#pragma once

#include <stdint.h>

#include "lib/samples/samples.h"

size_t ml_samples_add_column(struct ml_samples *s, const char *name,
			     enum ml_samples_kind kind);
void ml_samples_put(struct ml_samples *s, size_t column, uint64_t row, uint64_t bits);
void ml_samples_put_name(struct ml_samples *s, size_t column, uint64_t row,
			 const char *text, size_t size);
void ml_samples_put_missing(struct ml_samples *s, size_t column, uint64_t row);
void ml_samples_set_role(struct ml_samples *s, size_t column, enum ml_samples_role role);
void ml_samples_add_bad(struct ml_samples *s, uint64_t line, const char *reason);
/* Packs the columns into as few bytes as their values need. */
void ml_samples_pack(struct ml_samples *s);
