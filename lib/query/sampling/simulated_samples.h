/*
 * Samples out of a recorded trace: some of its references, each with the level and the
 * latency that a simulated machine gives it. The hardware of the table is the simulated
 * machine. So all analyses of samples work without a PMU, and a sampled table can be
 * compared with the whole (one reference of 1).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/samples/samples.h"

struct ml_trace;
struct ml_work;

struct ml_simulated_options {
	struct ml_machine machine;
	uint64_t every; /* one reference of so many; 0: at most 100,000 rows */
	bool regular;   /* exactly so many apart; else a random period */
	const struct ml_work *work; /* or NULL */
};

/* Closes the table if it fails. */
bool ml_simulated_samples(struct ml_samples *s, struct ml_trace *t,
			  const struct ml_simulated_options *o, struct ml_err *err);
