/*
 * What is in a trace, in tables that a person can read: totals, what is missing,
 * threads, phases, state variables, and the references by region, by line and by
 * function. All rows are there, the largest first; whoever prints cuts.
 *
 * A reference made in a library belongs to two lines: the library's, and the one
 * in the user's own code that called. Lines are the user's; functions count both
 * ways.
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
#include "lib/query/tables/code_rows.h"
#include "lib/query/tables/phases.h"
#include "lib/trace/tables.h"

struct ml_trace;
struct ml_region_lookup;

struct ml_summary_count {
	uint64_t refs, reads, writes, fetches;
};

struct ml_summary_region {
	uint32_t region; /* of the space */
	const char *name;
	struct ml_summary_count count;
	uint64_t own;    /* of these, made by the user's code or on its behalf */
	uint64_t lines;  /* distinct cache lines touched */
	uint64_t blocks; /* instances; 0: not made of blocks */
	uint64_t size;   /* bytes, all blocks that live at once, at the most; 0 unknown */
	uint64_t first;  /* time of the first reference */
	uint64_t low, high; /* addresses between which it was touched, whole lines */
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
	 * Of the user's functions: what they made and what libraries made for them. Of
	 * others: what they made for nobody, such as the loader before main.
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
	uint64_t gaps, missing; /* references, as far as known */
	bool unknown;           /* of some gaps no count is known */
};

struct ml_summary {
	struct ml_trace *trace;
	struct ml_region_lookup *space;
	const char *
		damage; /* why it counts only the references before some point, or NULL */
	struct ml_summary_count total;
	struct ml_footprint_size touched;
	ML_ROWS(struct ml_summary_region) regions;
	ML_ROWS(struct ml_summary_line) lines;
	ML_ROWS(struct ml_summary_function) functions;
	ML_ROWS(struct ml_summary_thread) threads;
	ML_ROWS(struct ml_phase)
	phases; /* in the order of a walk over the nesting */
	ML_ROWS(struct ml_summary_mark) marks;
	ML_ROWS(struct ml_summary_state) states;
	ML_ROWS(struct ml_summary_gap) gaps;
	struct ml_arena arena;
};

/* A damaged chunk is no failure as long as there is something before it. */
bool ml_summary_open(struct ml_summary *s, struct ml_trace *t, const struct ml_work *work,
		     struct ml_err *err);
void ml_summary_close(struct ml_summary *s);
