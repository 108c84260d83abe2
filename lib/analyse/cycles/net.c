#include "lib/analyse/cycles/net.h"

#include <string.h>

#include "lib/analyse/cycles/edit_distance.h"
#include "lib/analyse/cycles/windows.h"
#include "lib/base/arena.h"
#include "lib/base/work.h"

enum { NONE = UINT32_MAX };

/* Centres by the symbols that they hold. */
struct holders {
	uint32_t *at; /* indices of centres */
	size_t count, cap;
};

struct build {
	struct ml_net *net;
	const struct ml_windows *windows;
	struct holders *holders; /* by symbol */
	uint32_t *shared;        /* places of centres that the window's symbols share */
	uint32_t *touched, *near;
	uint8_t *distance;
	struct ml_edit_pattern pattern;
	uint32_t *rows; /* the centres' windows, one behind the other: as sequences */
};

/* A centre within the radius, the nearest of them; NONE if there is none. */
static uint32_t nearest_centre(struct build *b, const uint32_t *symbols)
{
	uint32_t width = b->windows->width, best = NONE;
	size_t touched = 0, near = 0;

	for (uint32_t k = 0; k < width; k++) {
		const struct holders *h = &b->holders[symbols[k]];

		for (size_t i = 0; i < h->count; i++) {
			if (!b->shared[h->at[i]]++)
				b->touched[touched++] = h->at[i];
		}
	}
	/* a distance of r needs width - r symbols in common */
	for (size_t i = 0; i < touched; i++) {
		if (b->shared[b->touched[i]] + b->net->radius >= width)
			b->near[near++] = b->touched[i];
		b->shared[b->touched[i]] = 0;
	}
	ml_edit_pattern_set(&b->pattern, symbols);
	ml_edit_pattern_distances(&b->pattern, b->rows, b->near, near, b->distance);
	uint32_t min = b->net->radius + 1;

	for (size_t i = 0; i < near; i++)
		if (b->distance[i] < min ||
		    (b->distance[i] == min && best != NONE && b->near[i] < best)) {
			min = b->distance[i];
			best = b->near[i];
		}
	return best;
}

static void add_centre(struct build *b, uint32_t window)
{
	struct ml_net *n = b->net;
	const struct ml_windows *w = b->windows;
	const uint32_t *symbols = ml_windows_at(w, window);

	n->nearest[window] = n->count;
	n->centre[n->count] = window;
	memcpy(b->rows + (size_t)n->count * w->width, symbols,
	       w->width * sizeof(*symbols));
	for (uint32_t k = 0; k < w->width; k++) {
		struct holders *h = &b->holders[symbols[k]];

		if (h->count && h->at[h->count - 1] == n->count)
			continue;
		h->at = ml_grow(h->at, &h->cap, h->count + 1, sizeof(*h->at));
		h->at[h->count++] = n->count;
	}
	n->count++;
}

/* False: there would be more centres than allowed. */
static bool choose(struct build *b, uint32_t max_points)
{
	for (uint32_t i = 0; i < b->windows->distinct; i++) {
		const uint32_t *symbols = ml_windows_at(b->windows, i);
		uint32_t centre = nearest_centre(b, symbols);

		if (centre != NONE) {
			b->net->nearest[i] = centre;
			continue;
		}
		if (b->net->count == max_points)
			return false;
		add_centre(b, i);
	}
	return true;
}

static bool try_radius(struct ml_net *n, const struct ml_windows *w, size_t symbol_count,
		       uint32_t max_points)
{
	struct ml_arena a = { 0 };
	struct build b = { .net = n, .windows = w };
	size_t room = (size_t)max_points + 1;

	b.holders = ml_arena_alloc(&a, (symbol_count + 1) * sizeof(*b.holders));
	b.shared = ml_arena_alloc(&a, room * sizeof(*b.shared));
	b.touched = ml_arena_alloc(&a, room * sizeof(*b.touched));
	b.near = ml_arena_alloc(&a, room * sizeof(*b.near));
	b.distance = ml_arena_alloc(&a, room);
	b.rows = ml_arena_alloc(&a, room * w->width * sizeof(*b.rows));
	ml_edit_pattern_init(&b.pattern, w->width, symbol_count);
	n->count = 0;
	bool ok = choose(&b, max_points);

	for (size_t i = 0; i < symbol_count; i++)
		ml_free(b.holders[i].at);
	ml_edit_pattern_release(&b.pattern);
	ml_arena_release(&a);
	return ok;
}

bool ml_net_init(struct ml_net *n, const struct ml_windows *w, size_t symbol_count,
		 uint32_t max_points, const struct ml_work *work, struct ml_err *err)
{
	size_t bytes = (w->distinct + 1) * sizeof(uint32_t);

	*n = (struct ml_net){ .centre = ml_resize(NULL, bytes),
			      .nearest = ml_resize(NULL, bytes) };
	if (w->distinct <= max_points) {
		for (uint32_t i = 0; i < w->distinct; i++)
			n->centre[i] = n->nearest[i] = i;
		n->count = (uint32_t)w->distinct;
		return true;
	}
	for (n->radius = 1; n->radius < w->width; n->radius++) {
		ml_work_progress(work, "thinning windows", n->radius, w->width);
		if (!ml_work_goes_on(work, err)) {
			ml_net_release(n);
			return false;
		}
		if (try_radius(n, w, symbol_count, max_points))
			return true;
	}
	uint32_t width = w->width;

	ml_net_release(n);
	return ml_fail(
		err, ML_USAGE,
		"%zu distinct windows: no net of at most %u points is nearer than the "
		"width of a window, %u",
		w->distinct, max_points, width);
}

void ml_net_release(struct ml_net *n)
{
	ml_free(n->centre);
	ml_free(n->nearest);
	*n = (struct ml_net){ 0 };
}
