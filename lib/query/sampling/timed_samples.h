/*
 * Samples out of timed loads: a trace that holds the timed references only, what was
 * measured of each, and the calibration.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/samples/samples.h"
#include "lib/samples/timed_ref.h"

struct ml_trace;

/* What the sampling did to the program, and to the choice of the loads. */
struct ml_timed_bias {
	uint64_t timed, interrupted; /* loads */
	uint64_t repeated; /* at the same instruction as the load before of the thread */
	double ticks;      /* that measurements took */
	double span;       /* ticks from the first to the last load, of all threads */
};

static inline double ml_timed_bias_repeated(const struct ml_timed_bias *b)
{
	return b->timed ? (double)b->repeated / (double)b->timed : 0;
}

/* The part of the time that measurements took; the hooks of memlamp cc take more. */
static inline double ml_timed_bias_cost(const struct ml_timed_bias *b)
{
	return b->ticks < b->span ? b->ticks / b->span : b->span > 0;
}

/* refs has an element for each reference of the trace. Closes the table if it fails. */
bool ml_timed_samples(struct ml_samples *s, struct ml_trace *t,
		      const struct ml_timed_ref *refs, const struct ml_calibration *c,
		      uint64_t period, struct ml_timed_bias *bias, struct ml_err *err);
