/*
 * The windows of a trace: each reference becomes a symbol, and the references that pass
 * the filters, every so many, are the sequence. The sequence breaks at gaps.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/cycles/windows.h"
#include "lib/base/err.h"
#include "lib/base/map.h"

struct ml_region_lookup;
struct ml_trace;
struct ml_work;

/* What makes two references the same symbol, besides being both reads or both writes. */
enum ml_cycles_by {
	ML_CYCLES_BY_SITE, /* the instruction, and the region that it touches */
	ML_CYCLES_BY_REGION,
	ML_CYCLES_BY_LINE, /* of the user's code */
	ML_CYCLES_BY_ADDRESS,
};

extern const char *const ml_cycles_by_names[]; /* by enum; ends with NULL */

struct ml_trace_windows_options {
	uint32_t width; /* of a window */
	enum ml_cycles_by by;
	uint64_t from, to;  /* time; to is cut at the end of the trace */
	uint64_t every;     /* take each so-many-th reference; 0 is 1 */
	uint16_t thread;    /* 0: all, if there is one; else the first */
	const char *region; /* only references to it; NULL: all */
	const char *func;   /* only references made in this function, or for it */
};

/* An example of the references of a symbol. */
struct ml_symbol {
	uint32_t site, caller, region;
	uint64_t addr;
	uint8_t kind; /* enum ml_kind */
};

struct ml_trace_windows {
	struct ml_windows windows;
	struct ml_symbol *symbols;
	size_t symbol_count, symbol_cap;
	struct ml_region_lookup *lookup; /* names regions, also after the walk */
	uint16_t thread;                 /* whose references these are; 0: all */
	uint64_t taken;                  /* references in the sequence */
	/* Pieces between breaks: moment and place in the sequence where each begins. */
	struct ml_trace_windows_piece {
		uint64_t moment, place, time;
	} * pieces;
	size_t piece_count, piece_cap;
	uint64_t stride; /* references between two places, where nothing is filtered */
	uint64_t *times; /* of each place, where something is; else NULL */
	size_t times_cap;
	uint64_t window_end; /* time behind the last reference looked at */
};

bool ml_trace_windows_init(struct ml_trace_windows *t, struct ml_trace *trace,
			   const struct ml_trace_windows_options *o,
			   const struct ml_work *work, struct ml_err *err);
void ml_trace_windows_release(struct ml_trace_windows *t);

/* Time of the first reference of the window at a moment. */
uint64_t ml_trace_windows_time(const struct ml_trace_windows *t, uint64_t moment);
/* The first moment at or behind a time; windows.count if there is none. */
uint64_t ml_trace_windows_moment(const struct ml_trace_windows *t, uint64_t time);
