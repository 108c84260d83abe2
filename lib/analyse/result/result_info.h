/*
 * What was simulated: everything that the outcomes of a result (result.h) depend on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_arena;
struct ml_replay_options;
struct ml_trace;

struct ml_result_info {
	uint8_t trace[16];   /* its id */
	uint64_t trace_refs; /* references that the trace had; it may still be growing */
	const char *machine; /* canonical text of the requested machine (the profile has
				the one simulated) */
	const char *version; /* of memlamp */
	unsigned want;
	uint64_t interleave; /* as requested: ML_INTERLEAVE_AUTO is stored as such */
	uint64_t from, to;   /* the window, as times */
	const char *cores;   /* threads with a given core: "1:0 2:1", or empty */
};

/* Text lives in a. */
void ml_result_describe(struct ml_result_info *info, const struct ml_trace *t,
			const struct ml_replay_options *o, struct ml_arena *a);
bool ml_result_same(const struct ml_result_info *a, const struct ml_result_info *b);
