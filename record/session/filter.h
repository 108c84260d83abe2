/*
 * Which references of a recording are kept. Decides for whole steps where it
 * can; where a step is cut, it says which slots stay. What is left out is
 * counted, and becomes a gap before the next reference that is kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/trace/tables.h"
#include "record/session/options.h"

struct ml_filter {
	const struct ml_record_options *options;
	bool recording; /* not stopped by the program (memlamp.h) */
	bool marked;    /* inside the marks that were asked for */
	bool all;       /* nothing was asked for: keep everything */
	bool full; /* the limit is reached or the last mark has passed: nothing more */
	uint64_t seen; /* references that passed the tests by place and kind */
	uint64_t kept;
	uint64_t gap; /* left out since the last that was kept */
	enum ml_gap_reason reason;
	uint64_t stack; /* references to stacks left out */
};

void ml_filter_init(struct ml_filter *f, const struct ml_record_options *options);
void ml_filter_record(struct ml_filter *f, bool on);
/* Recording starts at a mark or the begin of a phase, and ends at a mark or the end of
 * one. */
void ml_filter_mark(struct ml_filter *f, const char *name, enum ml_mark_kind kind);

/* Is anything of what happens now kept at all? `inside`: the function asked for is
 * running. */
bool ml_filter_open(const struct ml_filter *f, bool inside);
/* `count` references are left out because it is not. */
void ml_filter_skip(struct ml_filter *f, uint64_t count, enum ml_gap_reason reason);

/* So many of the next references are kept for sure, whatever they are. */
uint64_t ml_filter_sure(const struct ml_filter *f);
/* So many of these were. */
void ml_filter_kept(struct ml_filter *f, uint64_t count);

enum ml_filter_verdict { ML_FILTER_ALL, ML_FILTER_NONE, ML_FILTER_SOME };

/* What to do with the next `count` references, which are counted as seen unless SOME. */
enum ml_filter_verdict ml_filter_next(struct ml_filter *f, uint64_t count);
/* After SOME, for each of them. */
bool ml_filter_one(struct ml_filter *f);
