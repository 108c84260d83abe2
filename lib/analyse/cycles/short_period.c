#include "lib/analyse/cycles/short_period.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/analyse/cycles/windows.h"
#include "lib/base/arena.h"
#include "lib/base/map.h"

struct loops {
	struct ml_short_loop *at;
	size_t count, cap;
	struct ml_map by_window;
};

/* The smallest period of a window as a sequence, if it is short; else 0. */
static uint32_t period_of(const struct ml_windows *w, uint32_t window)
{
	const uint32_t *s = ml_windows_at(w, window);

	for (uint32_t p = 1; p <= ML_SHORT_PERIOD_MAX && 2 * p <= w->width; p++) {
		uint32_t i = p;

		while (i < w->width && s[i] == s[i - p])
			i++;
		if (i == w->width)
			return p;
	}
	return 0;
}

static void end_run(struct loops *l, const struct ml_windows *w, uint64_t first,
		    uint64_t end, uint32_t period, uint64_t min_turns)
{
	uint64_t turns = (end - first + w->width - 1) / period;
	uint32_t smallest = w->series[first];
	bool is_new;

	if (turns < min_turns)
		return;
	for (uint64_t t = first; t < end && t < first + period; t++)
		smallest = w->series[t] < smallest ? w->series[t] : smallest;
	uint64_t *at = ml_map_add(&l->by_window, smallest, &is_new);

	if (is_new) {
		*at = l->count;
		l->at = ml_grow(l->at, &l->cap, l->count + 1, sizeof(*l->at));
		l->at[l->count++] = (struct ml_short_loop){ .period = period,
							    .window = smallest,
							    .first = first };
	}
	struct ml_short_loop *s = &l->at[*at];

	s->runs++;
	s->moments += end - first;
	s->turns += turns;
	s->longest = turns > s->longest ? turns : s->longest;
	s->end = end;
}

static int most_turns(const void *x, const void *y)
{
	const struct ml_short_loop *a = x, *b = y;

	if (a->turns != b->turns)
		return a->turns > b->turns ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

struct ml_short_loop *ml_short_loops(const struct ml_windows *w, uint64_t min_turns,
				     size_t *count)
{
	struct loops l = { 0 };
	uint8_t *period = ml_resize(NULL, w->distinct + 1);
	size_t next_break = 0;
	bool any = false;

	for (uint32_t i = 0; i < w->distinct; i++) {
		period[i] = (uint8_t)period_of(w, i);
		any |= period[i] != 0;
	}
	/* windows of one short period that follow each other are one run, because each
	 * shares all but one symbol with the next */
	for (uint64_t t = 0, first = 0; any && t < w->count; t++) {
		uint8_t p = period[w->series[t]];
		bool broken = next_break < w->break_count && w->breaks[next_break] == t;

		next_break += broken;
		if (t == 0 || broken || p != period[w->series[t - 1]]) {
			if (t && period[w->series[t - 1]])
				end_run(&l, w, first, t, period[w->series[t - 1]],
					min_turns);
			first = t;
		}
		if (p && t + 1 == w->count)
			end_run(&l, w, first, t + 1, p, min_turns);
	}
	if (l.count)
		qsort(l.at, l.count, sizeof(*l.at), most_turns);
	ml_free(period);
	ml_map_release(&l.by_window);
	*count = l.count;
	return l.at;
}
