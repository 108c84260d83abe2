/*
 * Rows of a table grouped by the values of one or two columns, once. Totals of any
 * selection then cost a pass over its rows without hashing: ml_totals_by (totals.h) gives
 * the same answer and is the plain version.
 * Held by tests/query/test_row_groups.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/samples/totals.h"

struct ml_arena;
struct ml_samples;
struct ml_selection;

struct ml_row_groups {
	int first, second;     /* columns; second is -1: one column */
	uint32_t *of_row;      /* group of each row; of ml_resize */
	struct ml_total *list; /* values of each group, no counts; of ml_resize */
	size_t count, cap;
};

void ml_row_groups_init(struct ml_row_groups *g, const struct ml_samples *s, int first,
			int second);
void ml_row_groups_release(struct ml_row_groups *g);
/* As ml_totals_by; groups without samples are left out. */
void ml_row_groups_totals(const struct ml_row_groups *g, struct ml_totals *t,
			  const struct ml_samples *s, const struct ml_selection *sel,
			  enum ml_total_order order, struct ml_arena *a);
