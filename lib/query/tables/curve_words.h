/*
 * Words for what is to be plotted, as the command line and the page say them: names of
 * measures, weights "4,14,200", milestones that are the same "a.c:12=b.c:20;mark x".
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
/* Cycles by level, memory's last: one for each level that a member has, and it. */
bool ml_curve_words_weights(const char *text, const struct ml_ensemble *e,
			    struct ml_curve_options *o, struct ml_err *err);
/*
 * Rows for ml_time_match, one behind each ";": the names in the order of the traces, or
 * one name that all of them use. They live in a.
 */
bool ml_curve_words_pairs(const char *text, const struct ml_ensemble *e,
			  const char *const *const **pairs, size_t *count,
			  struct ml_arena *a, struct ml_err *err);
/* A number that is finite and not negative; `what` names it in the sentence. */
bool ml_curve_words_number(const char *text, const char *what, double *v,
			   struct ml_err *err);
