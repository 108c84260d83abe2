/*
 * Time matching (Choudhury, section 7.3.2): a common time for traces of different
 * programs. Raw: each trace's own position. Normalised: the share of its run. Matched:
 * traces meet at common milestones and are stretched evenly between them; common time is
 * then that of the base, the trace that all others are fitted to.
 * Held by tests/analyse/test_time_match.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/arena.h"

enum ml_time_match_how {
	ML_TIME_MATCH_RAW,
	ML_TIME_MATCH_NORMALISED,
	ML_TIME_MATCH_MILESTONES
};
extern const char *const ml_time_match_names[]; /* "raw", "normalised", "matched" */

struct ml_time_matching {
	enum ml_time_match_how how;
	uint32_t base; /* the trace whose positions are common time; raw: the longest */
	size_t knots;  /* milestones that all traces share, with start and end */
	uint64_t **at; /* [trace][knot]: positions, ascending */
	const char **name; /* name of each knot in the base: "start", ..., "end" */
	uint64_t *visit; /* of each knot: the number of the visit, from 1; 0 at start and
			    end */
	const char **unequal; /* sentences: "bubble comes to sorts.c:12 16 times,
				 insertion 15 times: the last is not used" */
	size_t unequal_count, unequal_cap;
};

/*
 * pairs list the milestones that are the same: {"a.c:12", "b.c:20"} for each trace in
 * order, names of ml_milestones; NULL: those with the same name in all traces. count is
 * the number of such rows. Visits that the traces make in different order are left out,
 * and `unequal` says so. Memory lives in a. Fails if the traces have no milestone in
 * common.
 */
bool ml_time_match(struct ml_time_matching *m, const struct ml_ensemble *e,
		   enum ml_time_match_how how, const char *const *const *pairs,
		   size_t count, uint32_t base, struct ml_arena *a, struct ml_err *err);

/* Converts a common time to the position of a trace, and back. */
double ml_time_match_position(const struct ml_time_matching *m, uint32_t trace,
			      double common);
double ml_time_match_common(const struct ml_time_matching *m, uint32_t trace,
			    double position);
/* The end of common time. */
double ml_time_match_end(const struct ml_time_matching *m);
