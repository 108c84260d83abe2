/*
 * What a simulation amounts to within a window of it, as a profile: references, causes
 * and serving levels by site, caller and region. The caches are as the run before the
 * window left them. Of the whole run, the profile of the result itself is taken.
 *
 * What the result does not tell of a part (use of lines, pairs, sets, strides, counters
 * of the levels) is known when the window has been simulated, which takes all references
 * before it too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/passes/profile.h"
#include "lib/base/err.h"
#include "lib/base/work.h"

struct ml_open_sim;

struct ml_report_window {
	uint64_t from, to; /* positions */
	bool whole;        /* it is the whole run */
	const struct ml_profile *profile;
	struct ml_profile own; /* that the profile is when it is not the whole run's */
	bool simulated;        /* own has all; else names of regions are the whole's */
};

/* w->from and w->to are set, and are in the result. */
bool ml_report_window_open(struct ml_report_window *w, struct ml_open_sim *s,
			   const struct ml_work *work, struct ml_err *err);
/* The same and all the rest, by simulating up to the window's end. Lines that leave a
 * level within the window count there, whenever they came. */
bool ml_report_window_simulate(struct ml_report_window *w, struct ml_open_sim *s,
			       const struct ml_work *work, struct ml_err *err);
void ml_report_window_close(struct ml_report_window *w);
