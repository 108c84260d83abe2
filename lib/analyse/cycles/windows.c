#include "lib/analyse/cycles/windows.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

enum { NONE = UINT32_MAX };

void ml_windows_init(struct ml_windows *w, uint32_t width)
{
	assert(width >= ML_WINDOW_MIN && width <= ML_WINDOW_MAX);
	*w = (struct ml_windows){ .width = width, .current = NONE };
}

void ml_windows_release(struct ml_windows *w)
{
	ml_free(w->symbols);
	ml_free(w->series);
	ml_free(w->breaks);
	ml_free(w->steps);
	ml_free(w->states);
	ml_free(w->cells);
	ml_free(w->by_content);
	*w = (struct ml_windows){ 0 };
}

void ml_windows_break(struct ml_windows *w)
{
	w->partial_count = 0;
	w->current = NONE;
}

static uint64_t content_hash(const struct ml_windows *w, const uint32_t *symbols)
{
	return ml_hash(symbols, w->width * sizeof(*symbols));
}

static void more_contents(struct ml_windows *w)
{
	w->content_cap = w->content_cap ? 2 * w->content_cap : 1024;
	w->by_content = ml_resize(w->by_content, w->content_cap * sizeof(*w->by_content));
	memset(w->by_content, 0, w->content_cap * sizeof(*w->by_content));
	for (uint32_t i = 0; i < w->distinct; i++) {
		size_t at = content_hash(w, ml_windows_at(w, i)) & (w->content_cap - 1);

		while (w->by_content[at])
			at = (at + 1) & (w->content_cap - 1);
		w->by_content[at] = i + 1;
	}
}

static uint32_t window_of(struct ml_windows *w, const uint32_t *symbols)
{
	size_t bytes = w->width * sizeof(*symbols);

	if (2 * w->distinct >= w->content_cap)
		more_contents(w);
	size_t at = content_hash(w, symbols) & (w->content_cap - 1);

	while (w->by_content[at]) {
		uint32_t window = w->by_content[at] - 1;

		if (!memcmp(ml_windows_at(w, window), symbols, bytes))
			return window;
		at = (at + 1) & (w->content_cap - 1);
	}
	uint32_t window = (uint32_t)w->distinct++;

	w->by_content[at] = window + 1;
	w->symbols = ml_grow(w->symbols, &w->symbols_cap, w->distinct * w->width,
			     sizeof(*w->symbols));
	memcpy(w->symbols + (size_t)window * w->width, symbols, bytes);
	w->states = ml_grow(w->states, &w->state_cap, w->distinct, sizeof(*w->states));
	w->states[window].step = NONE;
	return window;
}

static struct ml_window_cell *cell_of(const struct ml_windows *w, uint32_t from,
				      uint32_t symbol)
{
	uint64_t key = (uint64_t)from << 32 | symbol;
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 24) & (w->cell_cap - 1);

	while (w->cells[at].step != NONE &&
	       (w->cells[at].from != from || w->cells[at].symbol != symbol))
		at = (at + 1) & (w->cell_cap - 1);
	return &w->cells[at];
}

static void more_cells(struct ml_windows *w)
{
	struct ml_window_cell *old = w->cells;
	size_t count = w->cell_cap;

	w->cell_cap = count ? 2 * count : 1024;
	w->cells = ml_resize(NULL, w->cell_cap * sizeof(*w->cells));
	memset(w->cells, 0xff, w->cell_cap * sizeof(*w->cells));
	for (size_t i = 0; i < count; i++)
		if (old[i].step != NONE)
			*cell_of(w, old[i].from, old[i].symbol) = old[i];
	ml_free(old);
}

static uint32_t new_step(struct ml_windows *w, uint32_t from, uint32_t symbol,
			 uint32_t *to)
{
	uint32_t next[ML_WINDOW_MAX], step = (uint32_t)w->step_count;

	memcpy(next, ml_windows_at(w, from) + 1, (w->width - 1) * sizeof(*next));
	next[w->width - 1] = symbol;
	*to = window_of(w, next);
	w->steps = ml_grow(w->steps, &w->step_cap, w->step_count + 1, sizeof(*w->steps));
	w->steps[w->step_count++] = (struct ml_window_step){ from, *to, 0 };
	return step;
}

/* A step that is not the first one that its window took. */
static uint32_t other_step(struct ml_windows *w, uint32_t from, uint32_t symbol)
{
	if (2 * w->cell_count >= w->cell_cap)
		more_cells(w);
	struct ml_window_cell *c = cell_of(w, from, symbol);

	if (c->step == NONE) {
		*c = (struct ml_window_cell){ .from = from, .symbol = symbol };
		c->step = new_step(w, from, symbol, &c->to);
		w->cell_count++;
	}
	w->steps[c->step].count++;
	return c->to;
}

static uint32_t first_step(struct ml_windows *w, uint32_t from, uint32_t symbol)
{
	uint32_t to, step = new_step(w, from, symbol, &to);

	w->states[from] = (struct ml_window_state){ symbol, to, step };
	w->steps[step].count++;
	return to;
}

/* Fills the frame after a break; true once it is full. */
static bool fill_frame(struct ml_windows *w, uint32_t symbol)
{
	w->partial[w->partial_count++] = symbol;
	if (w->partial_count < w->width)
		return false;
	w->current = window_of(w, w->partial);
	if (w->count) {
		w->breaks = ml_grow(w->breaks, &w->break_cap, w->break_count + 1,
				    sizeof(*w->breaks));
		w->breaks[w->break_count++] = w->count;
	}
	return true;
}

void ml_windows_add(struct ml_windows *w, const uint32_t *symbols, size_t count)
{
	size_t i = 0;

	w->series = ml_grow(w->series, &w->series_cap, w->count + count,
			    sizeof(*w->series));
	while (i < count && w->current == NONE)
		if (fill_frame(w, symbols[i++]))
			w->series[w->count++] = w->current;
	uint32_t current = w->current;
	uint64_t base = w->count - i; /* may wrap; base + i does not */

	for (; i < count; i++) {
		const struct ml_window_state *s = &w->states[current];

		if (s->symbol == symbols[i] && s->step != NONE) {
			w->steps[s->step].count++;
			current = s->to;
		} else if (s->step == NONE) {
			current = first_step(w, current, symbols[i]);
		} else {
			current = other_step(w, current, symbols[i]);
		}
		w->series[base + i] = current;
	}
	w->count = base + count;
	w->current = current;
}

uint32_t ml_windows_other_step(const struct ml_windows *w, uint32_t from, uint32_t to)
{
	return cell_of(w, from, ml_windows_at(w, to)[w->width - 1])->step;
}
