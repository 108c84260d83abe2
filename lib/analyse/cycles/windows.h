/*
 * Windows: a sequence of symbols seen through a frame of `width` consecutive ones. Equal
 * windows are one; an automaton finds them: (window, next symbol) leads to the next
 * window, so a window that follows as it did before costs a compare. Sequences may break
 * (a gap in a trace); no window spans a break.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { ML_WINDOW_MIN = 2, ML_WINDOW_MAX = 64 };

struct ml_window_step {
	uint32_t from, to; /* windows */
	uint64_t count;    /* how often */
};

struct ml_windows {
	uint32_t width;
	uint32_t *symbols; /* distinct * width */
	size_t distinct, symbols_cap;
	uint32_t *series; /* the window at each moment */
	uint64_t count;   /* of moments */
	size_t series_cap;
	uint64_t *breaks; /* moments before which the sequence broke, ascending */
	size_t break_count, break_cap;
	struct ml_window_step *steps; /* what follows what; not across breaks */
	size_t step_count, step_cap;

	/* Of the automaton: */
	struct ml_window_state {
		uint32_t symbol, to; /* what followed first, and the window then */
		uint32_t step;       /* number of that step; NONE: nothing followed yet */
	} * states;                  /* by window */
	size_t state_cap;
	struct ml_window_cell {
		uint32_t from, symbol, to, step;
	} * cells; /* the other steps, by hash; step = NONE is empty */
	size_t cell_count, cell_cap;
	uint32_t *by_content; /* window + 1, by hash */
	size_t content_cap;
	uint32_t partial[ML_WINDOW_MAX]; /* symbols since the last break */
	uint32_t partial_count;
	uint32_t current;
};

void ml_windows_init(struct ml_windows *w, uint32_t width);
void ml_windows_add(struct ml_windows *w, const uint32_t *symbols, size_t count);
void ml_windows_break(struct ml_windows *w);
void ml_windows_release(struct ml_windows *w);

static inline const uint32_t *ml_windows_at(const struct ml_windows *w, uint32_t window)
{
	return w->symbols + (size_t)window * w->width;
}

uint32_t ml_windows_other_step(const struct ml_windows *w, uint32_t from, uint32_t to);

/* Number of the step that leads from a window to the one that follows it. */
static inline uint32_t ml_windows_step(const struct ml_windows *w, uint32_t from,
				       uint32_t to)
{
	return w->states[from].to == to ? w->states[from].step
					: ml_windows_other_step(w, from, to);
}
