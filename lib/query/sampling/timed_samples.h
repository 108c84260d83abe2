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

/* refs has an element for each reference of the trace. Closes the table if it fails. */
bool ml_timed_samples(struct ml_samples *s, struct ml_trace *t,
		      const struct ml_timed_ref *refs, const struct ml_calibration *c,
		      uint64_t period, struct ml_err *err);
