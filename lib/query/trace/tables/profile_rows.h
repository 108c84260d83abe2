/*
 * A profile in rows for people: by region, by line of the user's own code, by function,
 * by thread and by phase, with names, misses and cycles. The rows are complete and the
 * costliest come first; the printer shortens them. Lines and functions are as in
 * summary.h: references of a library count for the line that called the library.
 *
 * Rows count references, each served by one level. The counters of a level, in the
 * profile itself, count requests for lines: a reference that overlaps two lines makes two
 * requests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/passes/profile.h"
#include "lib/base/arena.h"
#include "lib/query/trace/tables/code_rows.h"
#include "lib/trace/tables.h"

struct ml_trace;

struct ml_profile_count {
	uint64_t refs, kind[3], bytes;
	uint64_t served[ML_SERVED];
	uint64_t missed[ML_LEVELS]; /* references that the level did not serve */
	uint64_t cause[ML_LEVELS][ML_CAUSES];
	struct ml_surcharge surcharge;
	double cycles; /* of all references, by the latencies of the machine */
	double lost;   /* of these cycles, those beyond the latency of the first level */
};

struct ml_profile_region_row {
	uint32_t region;
	const char *name;
	enum ml_region_kind kind;
	struct ml_profile_count count;
	uint64_t own; /* references by the user's code or on its behalf */
	const struct ml_profile_use *use[ML_LEVELS]; /* by level; NULL: unknown */
	size_t first;
};

struct ml_profile_line_row {
	struct ml_code_line at;
	struct ml_profile_count count;
	const struct ml_profile_cell *main; /* the cell that costs most */
	size_t first;
};

struct ml_profile_function_row {
	struct ml_code_function at;
	struct ml_profile_count made; /* by its own instructions */
	struct ml_profile_count with; /* and by libraries on its behalf; see summary.h */
	size_t first;
};

struct ml_profile_thread_row {
	uint16_t id, parent;
	uint32_t core;
	const char *name;
	struct ml_profile_count count; /* no kinds, no causes */
};

struct ml_profile_phase_row {
	const char *name;
	uint32_t depth;
	uint64_t times;
	bool open;
	struct ml_profile_count count; /* no kinds, no causes */
};

struct ml_profile_rows {
	struct ml_trace *trace;
	const struct ml_profile *profile;
	struct ml_profile_count total;
	ML_ROWS(struct ml_profile_region_row) regions;
	ML_ROWS(struct ml_profile_line_row) lines;
	ML_ROWS(struct ml_profile_function_row) functions;
	ML_ROWS(struct ml_profile_thread_row) threads; /* by number */
	ML_ROWS(struct ml_profile_phase_row) phases;   /* in the order of nesting */
	struct ml_arena arena;
};

/* p is a profile of t; both must outlive the rows. */
void ml_profile_rows_make(struct ml_profile_rows *x, struct ml_trace *t,
			  const struct ml_profile *p);
void ml_profile_rows_release(struct ml_profile_rows *x);

/* The spread of a level's misses over its sets. */
struct ml_profile_pressure {
	uint32_t sets, used; /* used: sets that held some line */
	uint64_t missed, conflict;
	uint32_t half,
		nine_tenths; /* the fewest sets that take that part of the misses */
	double busiest;      /* misses of the busiest set / those of an average one */
};
/*
 * False: the profile has no causes, or the level has no misses. Levels count from 1, 0 is
 * L1i.
 */
bool ml_profile_pressure(const struct ml_profile *p, unsigned level,
			 struct ml_profile_pressure *out);
/* The same, but true only if misses crowd in some sets more than by chance. */
bool ml_profile_crowded(const struct ml_profile *p, unsigned level,
			struct ml_profile_pressure *out);

/* part / whole; 0 if whole is 0. */
double ml_profile_ratio(uint64_t part, uint64_t whole);
/* The name of a level of a profile: from 1, 0 is L1i. */
const char *ml_profile_level_name(const struct ml_profile *p, unsigned level);

/* "false sharing"; "" for NONE. */
const char *ml_profile_cause_text(enum ml_cause cause);
/* The causes of at least one in 2000 misses, the largest first; returns their number. */
size_t ml_profile_causes(const uint64_t cause[ML_CAUSES], uint64_t missed,
			 enum ml_cause out[ML_CAUSES]);
/* The main cause at the farthest level that misses often; NONE: unknown. */
enum ml_cause ml_profile_main_cause(const struct ml_profile_count *c, unsigned levels);

/* Sums of a level's counters over reads, writes and fetches. */
uint64_t ml_profile_asked(const struct ml_level_counts *c);
uint64_t ml_profile_missed(const struct ml_level_counts *c);
