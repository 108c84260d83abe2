/*
 * The cycles of a trace, or of a list of symbols, as tables: which lines and functions
 * turn, when, and how often. The command line and the page print these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_cycle;
struct ml_cycles;
struct ml_json;
struct ml_symbol_list;
struct ml_tables;
struct ml_trace_windows;

/* Where the references of a symbol are made. Texts are NULL where nothing is known. */
struct ml_cycle_place {
	const char *file; /* of the user's line, or of the instruction */
	const char *func, *region;
	uint32_t line;
	char kind;       /* r, w, f; or 0 */
	bool own;        /* a line of the user's */
	uint32_t number; /* equal for symbols of the same file, line and function */
};

/* What is shown. */
struct ml_cycle_view {
	const struct ml_cycles *cycles;
	const struct ml_trace_windows *trace; /* NULL: no trace */
	struct ml_cycle_place *places;        /* by symbol; NULL: plain distances */
	size_t place_count;                   /* of symbols */
	size_t line_count;                    /* of different place numbers */
	struct ml_arena arena;
};

void ml_cycle_view_of_trace(struct ml_cycle_view *v, const struct ml_cycles *c,
			    const struct ml_trace_windows *t,
			    const struct ml_tables *tables);
void ml_cycle_view_of_symbols(struct ml_cycle_view *v, const struct ml_cycles *c,
			      const struct ml_symbol_list *symbols);
void ml_cycle_view_release(struct ml_cycle_view *v);

/* A line that turns with a cycle. */
struct ml_cycle_line {
	const struct ml_cycle_place *place;
	double share;   /* of all turning of the cycle */
	uint64_t moves; /* references of the line that turn the cycle */
};

/* The lines of a cycle, those that turn most first; they live in the view. */
const struct ml_cycle_line *ml_cycle_lines(struct ml_cycle_view *v,
					   const struct ml_cycle *y, size_t *count);

/* The share of a cycle's turning that lines of the user's own code do. */
double ml_cycle_own(struct ml_cycle_view *v, const struct ml_cycle *y);

/* Time of a moment; behind the last moment, the end of what was looked at. */
uint64_t ml_cycle_time(const struct ml_cycle_view *v, uint64_t moment);

/* windows, distinct, bars, classes, reduced, short: keys and values of an open object.
 * Of each cycle at most `lines` lines are named. */
void ml_cycle_json(struct ml_cycle_view *v, size_t lines, struct ml_json *w);
