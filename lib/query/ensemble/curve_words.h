/*
 * Parses what the command line and the page say about curves: names of measures, weights
 * ("4,14,200"), and milestones that match each other ("a.c:12=b.c:20;mark x").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/time_match.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

bool ml_curve_words_measure(const char *text, enum ml_measure *measure,
			    struct ml_err *err);
bool ml_curve_words_time(const char *text, enum ml_time_match_how *how,
			 struct ml_err *err);
/*
 * Cycles by level, memory last. There must be one weight for each level of the deepest
 * member, and one for memory.
 */
bool ml_curve_words_weights(const char *text, const struct ml_ensemble *e,
			    struct ml_curve_options *o, struct ml_err *err);
/*
 * Rows for ml_time_match, separated by ";". A row has one name for each trace, in their
 * order, or one name for all. The rows live in a.
 */
bool ml_curve_words_pairs(const char *text, const struct ml_ensemble *e,
			  const char *const *const **pairs, size_t *count,
			  struct ml_arena *a, struct ml_err *err);
/* A finite number that is not negative; `what` names the number in the error. */
bool ml_curve_words_number(const char *text, const char *what, double *v,
			   struct ml_err *err);
