/*
 * Which references of a recording are kept. The filter decides for whole steps where it
 * can; where a step is cut, it decides for each slot. References left out are counted and
 * become a gap before the next kept reference.
 * Held by tests/record/test_filter.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/trace/tables.h"
#include "record/reader/options.h"

struct ml_filter {
	const struct ml_record_options *options;
	bool recording; /* the program has not stopped it (memlamp.h) */
	bool marked;    /* between --from-mark and --to-mark */
	bool all;       /* no option restricts anything: keep everything */
	bool full; /* the limit is reached or the last mark has passed: keep no more */
	uint64_t seen; /* references while active, apart from those to stacks */
	uint64_t kept;
	uint64_t gap; /* left out since the last kept one */
	enum ml_gap_reason reason;
	uint64_t stack; /* references to stacks left out */
	uint64_t spin;  /* references of waiting threads left out */
};

void ml_filter_init(struct ml_filter *f, const struct ml_record_options *options);
void ml_filter_record(struct ml_filter *f, bool on);
/* A mark of the program: recording starts at a mark or the begin of a phase, and ends at
 * a mark or the end of a phase. */
void ml_filter_mark(struct ml_filter *f, const char *name, enum ml_mark_kind kind);

/* Can references of this moment be kept at all? `inside`: the function of --only-in is
 * running. */
bool ml_filter_is_active(const struct ml_filter *f, bool inside);
/* Counts references that are left out because the filter is not active. */
void ml_filter_skip(struct ml_filter *f, uint64_t count, enum ml_gap_reason reason);

/* How many of the next references are kept for certain, without looking at them. */
uint64_t ml_filter_certain(const struct ml_filter *f);
/* Counts references that were kept without asking again. */
void ml_filter_count_kept(struct ml_filter *f, uint64_t count);

enum ml_filter_verdict { ML_FILTER_ALL, ML_FILTER_NONE, ML_FILTER_SOME };

/* Decides about the next `count` references, and counts them unless it says SOME. */
enum ml_filter_verdict ml_filter_next(struct ml_filter *f, uint64_t count);
/* After SOME: decides about the next reference and counts it. */
bool ml_filter_one(struct ml_filter *f);
