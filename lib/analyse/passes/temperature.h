/*
 * Cache temperature (Choudhury, section 5.2.4): at each level a reference is a hit,
 * a miss, or does not involve the level. These have scores, positive, negative and
 * zero, and the temperature of a level is their average over the last references.
 * It is above zero where data are used again often enough to pay for bringing them
 * in, and drifts back to zero where a level idles.
 *
 * The default scores make "often enough" concrete: a hit is +1, a miss in the first
 * level -7, so that walking through doubles one after the other, with one miss in
 * eight references, is just neutral; -3 in the second, -1 further out, because less
 * reuse is left for them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/access.h"

struct ml_pass;

struct ml_temperature_options {
	uint64_t last;          /* references that are averaged */
	double hit[ML_LEVELS];  /* scores, the innermost level first */
	double miss[ML_LEVELS]; /* negative */
	size_t points;          /* of the series, at the most; at least 2 */
};

/* 1000 references, the scores above, 1024 points. */
struct ml_temperature_options ml_temperature_default(void);

/*
 * Scores as a person gives them: "1,1,0.5", the innermost level first. Levels that are
 * not named keep theirs, and all of them where the text is NULL.
 */
bool ml_temperature_scores(struct ml_temperature_options *o, const char *hit,
			   const char *miss, struct ml_err *err);

/*
 * The temperature of each level, from how many of the references that are averaged were
 * served by each level: served[k] by level k from 1, memory last. It depends on these
 * counts only, so other scores need no other simulation.
 */
void ml_temperature_of(const struct ml_temperature_options *o, unsigned levels,
		       const uint64_t *served, double *temperature);

struct ml_temperature {
	unsigned levels;
	uint64_t step;  /* references from one point to the next */
	size_t count;   /* of points; the first is after `step` references */
	double *series; /* [count][levels] */
};

/* A pass, and what closes it: t is then filled and is to be released. */
struct ml_thermometer;
struct ml_thermometer *ml_thermometer_open(const struct ml_temperature_options *o);
struct ml_pass ml_thermometer_pass(struct ml_thermometer *x);
void ml_thermometer_close(struct ml_thermometer *x, struct ml_temperature *t);

/* The same over a column of outcomes, as far as there are no batches: call it often. */
void ml_thermometer_run(struct ml_thermometer *x, unsigned levels,
			const uint16_t *outcome, size_t count);

void ml_temperature_release(struct ml_temperature *t);
