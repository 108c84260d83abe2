/*
 * Cache temperature (Choudhury, section 5.2.4). At each level a reference is a hit, a
 * miss, or does not reach the level. These have scores: positive, negative and zero. The
 * temperature of a level is the average score of the last references. It is above zero
 * where data are reused often enough to pay for fetching them, and drifts back to zero
 * where a level is idle.
 *
 * The default scores define "often enough": a hit is +1 and a miss in the first level -7,
 * so that a walk through consecutive doubles, with one miss in eight references, is
 * neutral; -3 in the second level and -1 further out, because less reuse is left for
 * these.
 * Held by tests/analyse/test_temperature.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/access.h"

struct ml_pass;

struct ml_temperature_options {
	uint64_t last;          /* references that are averaged */
	double hit[ML_LEVELS];  /* scores, the innermost level first */
	double miss[ML_LEVELS]; /* negative */
	size_t points;          /* points of the series, at most; at least 2 */
};

/* 1000 references, the scores above, 1024 points. */
struct ml_temperature_options ml_temperature_default(void);

/*
 * Parses scores that a user gives: "1,1,0.5", the innermost level first. Levels that are
 * not listed keep their scores, and so do all levels if the text is NULL.
 */
bool ml_temperature_scores(struct ml_temperature_options *o, const char *hit,
			   const char *miss, struct ml_err *err);

/*
 * Computes the temperature of each level from the references that each level served:
 * served[k] by level k from 1, memory last. It depends on these counts only, so other
 * scores need no other simulation.
 */
void ml_temperature_of(const struct ml_temperature_options *o, unsigned levels,
		       const uint64_t *served, double *temperature);

struct ml_temperature {
	unsigned levels;
	uint64_t step;  /* references between two points */
	size_t count;   /* number of points; the first is after `step` references */
	double *series; /* [count][levels] */
};

/* A pass; closing it fills t, which the caller releases. */
struct ml_thermometer;
struct ml_thermometer *ml_thermometer_open(const struct ml_temperature_options *o);
struct ml_pass ml_thermometer_pass(struct ml_thermometer *x);
void ml_thermometer_close(struct ml_thermometer *x, struct ml_temperature *t);

/*
 * The same over a column of outcomes, for callers without batches; may be called again
 * and again.
 */
void ml_thermometer_run(struct ml_thermometer *x, unsigned levels,
			const uint16_t *outcome, size_t count);

void ml_temperature_release(struct ml_temperature *t);
