/*
 * The contents of a trace in tables for people: totals, gaps, threads, phases, state
 * variables, and the references by region, by line and by function. The rows are complete
 * and the largest come first; the printer shortens them.
 *
 * A reference made in a library belongs to two lines: the library's line, and the line of
 * the user's code that called the library. Rows by line are of the user's code; rows by
 * function count both ways.
 * Held by tests/query/test_summary.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/analyse/passes/footprint.h"
#include "lib/analyse/passes/tally.h"
#include "lib/query/trace/tables/code_rows.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/trace/tables.h"

struct ml_trace;
struct ml_region_lookup;

struct ml_summary_count {
	uint64_t refs, reads, writes, fetches;
};

struct ml_summary_region {
	uint32_t region; /* number in the region lookup */
	const char *name;
	struct ml_summary_count count;
	uint64_t own;    /* of these, those by the user's code or on its behalf */
	uint64_t lines;  /* distinct cache lines touched */
	uint64_t blocks; /* instances; 0: the region is not made of blocks */
	uint64_t size;   /* bytes, maximum over time of all living blocks; 0: unknown */
	uint64_t first;  /* time of the first reference */
	uint64_t low, high; /* bounds of the touched addresses, rounded to whole lines */
};

struct ml_summary_line {
	struct ml_code_line at;
	struct ml_summary_count count;
	uint64_t first; /* time of the first reference */
};

struct ml_summary_function {
	struct ml_code_function at;
	struct ml_summary_count made; /* by its own instructions */
	/*
	 * For functions of the user: references made by the function, and by libraries on
	 * its behalf. For other functions: references made on nobody's behalf, such as
	 * the loader's before main.
	 */
	uint64_t with_library;
};

struct ml_summary_thread {
	uint16_t id, parent;
	const char *name;
	uint64_t refs;
};

struct ml_summary_mark {
	const char *name;
	uint64_t times, first;
};

struct ml_summary_state {
	const char *name;
	int64_t low, high;
	uint64_t times;
};

struct ml_summary_gap {
	enum ml_gap_reason reason;
	uint64_t gaps, missing; /* references, where the count is known */
	bool unknown;           /* the counts of some gaps are unknown */
};

struct ml_summary {
	struct ml_trace *trace;
	struct ml_region_lookup *space;
	const char *damage; /* why the counts stop at some reference, or NULL */
	struct ml_summary_count total;
	struct ml_footprint_size touched;
	ML_ROWS(struct ml_summary_region) regions;
	ML_ROWS(struct ml_summary_line) lines;
	ML_ROWS(struct ml_summary_function) functions;
	ML_ROWS(struct ml_summary_thread) threads;
	ML_ROWS(struct ml_phase)
	phases; /* each outer phase before its inner phases */
	ML_ROWS(struct ml_summary_mark) marks;
	ML_ROWS(struct ml_summary_state) states;
	ML_ROWS(struct ml_summary_gap) gaps;
	struct ml_arena arena;
};

/* A damaged chunk is a failure only if no reference comes before it. */
bool ml_summary_open(struct ml_summary *s, struct ml_trace *t, const struct ml_work *work,
		     struct ml_err *err);
void ml_summary_close(struct ml_summary *s);
