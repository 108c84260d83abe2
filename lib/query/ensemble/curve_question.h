/*
 * The parameters that the routes about curves of an ensemble share: measure, common time,
 * members and window (CURVE in docs/api.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/base/err.h"

struct ml_answer;
struct ml_open_ensemble;
struct ml_request;
struct ml_workspace;

struct ml_curve_question {
	struct ml_open_ensemble *x;
	struct ml_curve_options o; /* a window of 0: the usual one */
	struct ml_time_matching matching;
	double from, to, end; /* common time */
	size_t cells;         /* 0: not said */
	uint32_t *members;
	size_t count;
};

/* Memory comes from the answer. */
bool ml_curve_question_read(struct ml_curve_question *x, struct ml_workspace *ws,
			    const struct ml_request *q, struct ml_answer *a,
			    struct ml_err *err);
/* A number of a route: finite and not negative. */
bool ml_curve_question_real(const struct ml_request *q, const char *key, double otherwise,
			    double *v, struct ml_err *err);
