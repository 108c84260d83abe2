/*
 * Loops whose body has three symbols or fewer. Their windows are points that are all
 * neighbours of each other, so they leave no hole and no class; but a series of windows
 * that repeats after one, two or three is easy to see.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_windows;

enum { ML_SHORT_PERIOD_MAX = 3 };

struct ml_short_loop {
	uint32_t period;
	uint32_t window;     /* the smallest of its windows */
	uint64_t runs;       /* how often the loop was entered */
	uint64_t moments;    /* windows in all runs */
	uint64_t turns;      /* symbols in all runs, divided by the period */
	uint64_t longest;    /* turns of the longest run */
	uint64_t first, end; /* moments: begin of the first run, end of the last */
};

/* Loops with at least min_turns turns in a run, the most turns first; ml_free them. */
struct ml_short_loop *ml_short_loops(const struct ml_windows *w, uint64_t min_turns,
				     size_t *count);
