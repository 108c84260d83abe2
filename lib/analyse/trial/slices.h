/*
 * The parts of a long trace that stand for the whole. A run has phases, in which the same
 * code runs; as in SimPoint (Sherwood, Perelman, Hamerly, Calder, ASPLOS 2002) intervals
 * of the run whose references come from the same sites, in the same shares, are of one
 * phase. Each phase gets at least one slice, and longer phases get more. A slice has a
 * weight: how much of the run it stands for.
 * Held by tests/analyse/test_slices.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_trace;

enum { ML_SLICES = 8, ML_SLICES_MAX = 24, ML_SLICE_PHASES = 4 };

struct ml_slice {
	uint64_t from, to; /* times */
	unsigned phase;    /* from 0 */
	double weight;     /* references of the run for one of the slice */
};

struct ml_slices {
	struct ml_slice at[ML_SLICES_MAX]; /* in the order of time */
	size_t count;
	unsigned phases;
	uint64_t refs; /* of all slices */
};

/*
 * Chooses ML_SLICES slices of the references from `from` to `to` (0: the end), `window`
 * references in all (0: everything). If that is everything, it is one slice. Fails on a
 * damaged trace.
 */
bool ml_slices_choose(struct ml_slices *s, const struct ml_trace *t, uint64_t from,
		      uint64_t to, uint64_t window, struct ml_err *err);
/* The same with a number of slices, at most ML_SLICES_MAX. */
bool ml_slices_choose_many(struct ml_slices *s, const struct ml_trace *t, uint64_t from,
			   uint64_t to, uint64_t window, size_t slices,
			   struct ml_err *err);
/* Cuts the ends of the slices, so that they have `refs` references at most. */
void ml_slices_cut(struct ml_slices *s, uint64_t refs);

/*
 * From what was measured in each slice, x and y: the sum of y over the run if that of x
 * is `whole`. *error is the standard error of the answer, from how much slices of one
 * phase differ; 0 if there is one slice.
 */
double ml_slices_scale(const struct ml_slices *s, const double *x, const double *y,
		       double whole, double *error);
