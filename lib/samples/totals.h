/*
 * Totals by value: how many samples and cycles each line, function, data object, level or
 * CPU has; the top offenders are those with the most cycles.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_samples;
struct ml_selection;

struct ml_total {
	uint64_t value[2]; /* bits, of one or two columns */
	bool missing[2];
	uint64_t samples;
	uint64_t timed; /* samples with a latency */
	uint64_t cycles;
	double squares; /* sum of the squared latencies */
};

enum ml_total_order { ML_TOTAL_BY_CYCLES, ML_TOTAL_BY_SAMPLES, ML_TOTAL_BY_MEAN };

struct ml_totals {
	struct ml_total *list; /* sorted, ties in the order of the values */
	size_t count;
	struct ml_total all;
};

/* Groups the selected rows by a column, or by the pairs of two (second is -1: one). */
void ml_totals_by(struct ml_totals *t, const struct ml_samples *s,
		  const struct ml_selection *sel, int first, int second,
		  enum ml_total_order order, struct ml_arena *a);
void ml_totals_sort(struct ml_total *list, size_t count, enum ml_total_order order);
double ml_total_mean(const struct ml_total *t); /* 0 without a latency */
/* The standard error of that mean; 0 with fewer than two latencies. */
double ml_total_error(const struct ml_total *t);
