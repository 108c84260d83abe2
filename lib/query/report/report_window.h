/*
 * The profile of a window of a simulation: references, causes and serving levels by site,
 * caller and region. The caches are as the run before the window left them. For the whole
 * run, the profile is the result's own.
 *
 * The result does not have use of lines, pairs, sets, strides and counters of levels for
 * a part of the run. These need a simulation of all references up to the end of the
 * window.
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
	bool whole;        /* the window is the whole run */
	const struct ml_profile *profile;
	struct ml_profile own; /* the profile, if the window is not the whole run */
	bool simulated;        /* own owns all its memory; otherwise region names are the
				  result's */
};

/* The caller sets w->from and w->to, which must lie in the result. */
bool ml_report_window_open(struct ml_report_window *w, struct ml_open_sim *s,
			   const struct ml_work *work, struct ml_err *err);
/*
 * The complete profile, by simulating up to the end of the window. A line that leaves a
 * level within the window counts, whenever it came.
 */
bool ml_report_window_simulate(struct ml_report_window *w, struct ml_open_sim *s,
			       const struct ml_work *work, struct ml_err *err);
void ml_report_window_close(struct ml_report_window *w);
