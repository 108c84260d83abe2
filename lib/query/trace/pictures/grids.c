#include "lib/query/trace/pictures/grids.h"

#include <string.h>

#include "lib/cache/distance/distance.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/selection.h"
#include "lib/query/trace/open/work_shares.h"
#include "lib/query/trace/open/used_bytes.h"
#include "lib/query/trace/open/walk.h"

const char *const ml_grid_names[ML_GRID_MODES] = { "last",  "count",    "served", "first",
						   "reuse", "distance", "used" };

/* Sums and products saturate: regions may be as large as the address space. */
static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Bytes that the cells of a grid stand for. */
static uint64_t bytes_of(const struct ml_grid *g)
{
	return g->pitch ? times(times(g->count / g->across, g->rows), g->pitch)
			: times(g->count, g->size);
}

/* One thread that fills grids, with its own values. */
struct worker {
	struct ml_grids *g;
	struct ml_open_sim *s;
	struct ml_grid *at; /* like g->at */
	uint32_t *grid_of;  /* grid + 1 by region */
	uint32_t regions;   /* length of grid_of */
	uint32_t *list;     /* regions of the grids */
	uint64_t seen;
	struct ml_distance *distance;
	uint64_t line[2 * ML_BATCH];
	uint32_t far[2 * ML_BATCH], nth[ML_BATCH];
	struct ml_arena arena;
};

static void *room(struct ml_arena *a, size_t count, size_t size)
{
	return ml_arena_alloc(a, (count + 1) * size);
}

static void make_values(struct ml_grid *g, enum ml_grid_mode mode, unsigned levels,
			struct ml_arena *a)
{
	struct ml_grid_values *v = &g->v;
	size_t n = g->count;

	*v = (struct ml_grid_values){ 0 };
	g->references = 0;
	switch (mode) {
	case ML_GRID_LAST: v->level = room(a, n, 1); /* fall through */
	case ML_GRID_COUNT:
		v->read = room(a, n, sizeof(double));
		v->write = room(a, n, sizeof(double));
		break;
	case ML_GRID_SERVED:
		v->served = room(a, n * levels, sizeof(double));
		v->beyond = room(a, n, sizeof(double));
		break;
	case ML_GRID_FIRST: v->time = room(a, n, sizeof(double)); break;
	case ML_GRID_REUSE:
		v->head = room(a, n, sizeof(double));
		v->tail = room(a, n, sizeof(double)); /* fall through */
	case ML_GRID_DISTANCE:
		v->sum = room(a, n, sizeof(double));
		v->times = room(a, n, sizeof(double));
		break;
	default:
		v->used = room(a, n, sizeof(double));
		v->bytes = room(a, n, sizeof(double));
	}
	if (mode == ML_GRID_LAST || mode == ML_GRID_FIRST) {
		v->site = room(a, n, sizeof(uint32_t));
		v->caller = room(a, n, sizeof(uint32_t));
	}
}

/* Touched bytes of a grid, counted from its first byte. */
struct stretch {
	uint64_t low, high;
};

static struct stretch stretch_of(const struct ml_grid *g, uint64_t offset, uint64_t size)
{
	uint64_t high = plus(offset, size ? size : 1);
	uint64_t end = plus(g->first, bytes_of(g));

	return (struct stretch){ offset < g->first ? 0 : offset - g->first,
				 high <= g->first
					 ? 0
					 : (high < end ? high : end) - g->first };
}

/* Takes the next bytes of a stretch that lie in one cell. False: there are none. */
static bool next_cell(const struct ml_grid *g, struct stretch *s, size_t *cell,
		      uint64_t *bytes)
{
	while (s->low < s->high) {
		uint64_t low = s->low;

		if (g->pitch) {
			uint64_t line = low / g->pitch, in = low % g->pitch;
			uint64_t end = times(in / g->size + 1, g->size);

			*cell = (size_t)(line / g->rows * g->across + in / g->size);
			s->low = plus(line * g->pitch, end < g->pitch ? end : g->pitch);
		} else {
			*cell = (size_t)(low / g->size);
			s->low = times(*cell + 1, g->size);
		}
		*bytes = (s->low < s->high ? s->low : s->high) - low;
		if (*cell < g->count)
			return true;
	}
	return false;
}

/* Counts a reference for one cell. Pieces of the window may come in any order. */
static void mark(struct worker *w, struct ml_grid *g, size_t cell,
		 const struct ml_walk_events *e, size_t i)
{
	struct ml_grid_values *v = &g->v;
	const struct ml_batch *b = e->e.refs;
	double now = (double)(e->e.position + i + 1);
	bool write = ml_what_kind(b->what[i]) == ML_WRITE;

	switch (w->g->mode) {
	case ML_GRID_LAST:
		if (now > v->read[cell] && now > v->write[cell]) {
			v->level[cell] = (uint8_t)ml_outcome_served(e->e.outcome[i]);
			v->site[cell] = b->site[i];
			v->caller[cell] = b->caller[i];
		}
		double *last = write ? v->write : v->read;
		last[cell] = now > last[cell] ? now : last[cell];
		break;
	case ML_GRID_COUNT: (write ? v->write : v->read)[cell]++; break;
	case ML_GRID_SERVED:
		v->served[cell * (w->s->machine.levels + 1) +
			  ml_outcome_served(e->e.outcome[i]) - 1]++;
		v->beyond[cell] += e->beyond[i];
		break;
	case ML_GRID_FIRST:
		if (v->time[cell] > 0 && v->time[cell] < now)
			break;
		v->time[cell] = now;
		v->site[cell] = b->site[i];
		v->caller[cell] = b->caller[i];
		break;
	case ML_GRID_REUSE:
		if (v->tail[cell] > 0) {
			v->sum[cell] += now - v->tail[cell];
			v->times[cell]++;
		} else
			v->head[cell] = now;
		v->tail[cell] = now;
		break;
	default:
		if (w->far[w->nth[i]] != ML_NEVER) {
			v->sum[cell] += w->far[w->nth[i]];
			v->times[cell]++;
		}
	}
}

/*
 * Computes the stack distances of the lines of a batch; nth[i] is the first line of
 * reference i.
 */
static void measure(struct worker *w, const struct ml_batch *b)
{
	unsigned line = w->s->machine.level[0].line;
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++) {
		unsigned size = ml_what_size(b->what[i]);
		uint64_t last = (b->addr[i] + (size ? size - 1 : 0)) / line;

		w->nth[i] = (uint32_t)n;
		w->line[n++] = b->addr[i] / line;
		if (last != w->line[n - 1])
			w->line[n++] = last;
	}
	ml_distance_run(w->distance, w->line, n, w->far);
}

static bool add_batch(void *arg, const struct ml_walk_events *e, struct ml_err *err)
{
	struct worker *w = arg;
	const struct ml_selection *selection = w->g->selection;
	const struct ml_batch *b = e->e.refs;
	bool first = w->g->mode == ML_GRID_FIRST;

	(void)err;
	if (w->distance)
		measure(w, b);
	for (size_t i = 0; i < b->count; i++) {
		uint32_t region = e->e.region[i];
		uint32_t grid = region < w->regions ? w->grid_of[region] : 0;

		if (!grid || (first && ml_what_kind(b->what[i]) != ML_WRITE) ||
		    (selection && !ml_selection_has(selection, e, i)) ||
		    (w->g->beyond && ml_outcome_served(e->e.outcome[i]) <= w->g->beyond))
			continue;
		struct ml_grid *g = &w->at[grid - 1];
		struct stretch s = stretch_of(g, e->offset[i], ml_what_size(b->what[i]));
		size_t cell, before = SIZE_MAX;
		uint64_t bytes;

		g->references += s.low < s.high;
		while (next_cell(g, &s, &cell, &bytes))
			if (cell != before) {
				mark(w, g, cell, e, i);
				before = cell;
			}
	}
	w->seen += b->count;
	if (w->at == w->g->at) /* the other threads have done about as much */
		ml_work_progress(w->g->work, "drawing regions", w->seen * w->g->workers,
				 w->g->to - w->g->from);
	return true;
}

static unsigned wanted(const struct ml_grids *g)
{
	unsigned want = ML_WALK_PLACES;

	if (g->selection)
		want |= ml_selection_want(g->selection);
	if (g->mode == ML_GRID_LAST || g->mode == ML_GRID_SERVED || g->beyond)
		want |= ML_WALK_OUTCOMES;
	if (g->mode == ML_GRID_SERVED)
		want |= ML_WALK_BEYOND;
	return g->mode == ML_GRID_DISTANCE ? want | ML_WALK_ALL : want;
}

/* Forgets last accesses, because the references before a piece are unknown. */
static void forget(struct worker *w)
{
	for (size_t i = 0; w->g->mode == ML_GRID_REUSE && i < w->g->count; i++)
		memset(w->at[i].v.tail, 0, w->at[i].count * sizeof(double));
}

static bool walk(void *worker, uint64_t from, uint64_t to, struct ml_err *err)
{
	struct worker *w = worker;

	if (w->g->hurry)
		forget(w);
	return ml_walk_regions(w->s, w->g->work, w->list, w->g->count, from, to,
			       wanted(w->g), add_batch, w, err);
}

static void add(double *to, const double *from, size_t count)
{
	for (size_t i = 0; to && i < count; i++)
		to[i] += from[i];
}

/*
 * Adds the values of another thread. next: that thread continued where the one before it
 * stopped.
 */
static void merge(struct ml_grid *to, const struct ml_grid *from, enum ml_grid_mode mode,
		  unsigned levels, bool next)
{
	struct ml_grid_values *a = &to->v;
	const struct ml_grid_values *b = &from->v;
	size_t n = to->count;

	to->references += from->references;
	if (mode == ML_GRID_COUNT) {
		add(a->read, b->read, n);
		add(a->write, b->write, n);
	}
	add(a->served, b->served, n * levels);
	add(a->beyond, b->beyond, n);
	for (size_t i = 0; mode == ML_GRID_REUSE && i < n; i++) {
		bool both = next && a->tail[i] > 0 && b->head[i] > 0;

		a->sum[i] += b->sum[i] + (both ? b->head[i] - a->tail[i] : 0);
		a->times[i] += b->times[i] + both;
		if (b->tail[i] > 0)
			a->tail[i] = b->tail[i];
	}
	for (size_t i = 0; mode == ML_GRID_LAST && i < n; i++) {
		double mine = a->read[i] > a->write[i] ? a->read[i] : a->write[i];
		double other = b->read[i] > b->write[i] ? b->read[i] : b->write[i];

		if (other > mine) {
			a->level[i] = b->level[i];
			a->site[i] = b->site[i];
			a->caller[i] = b->caller[i];
		}
		a->read[i] = b->read[i] > a->read[i] ? b->read[i] : a->read[i];
		a->write[i] = b->write[i] > a->write[i] ? b->write[i] : a->write[i];
	}
	for (size_t i = 0; mode == ML_GRID_FIRST && i < n; i++)
		if (b->time[i] > 0 && (a->time[i] <= 0 || b->time[i] < a->time[i])) {
			a->time[i] = b->time[i];
			a->site[i] = b->site[i];
			a->caller[i] = b->caller[i];
		}
}

static void list_regions(struct worker *w)
{
	const struct ml_grids *g = w->g;

	w->list = room(&w->arena, g->count, sizeof(*w->list));
	for (size_t i = 0; i < g->count; i++) {
		w->list[i] = g->at[i].region;
		w->regions = w->list[i] >= w->regions ? w->list[i] + 1 : w->regions;
	}
	w->grid_of = room(&w->arena, w->regions, sizeof(*w->grid_of));
	for (size_t i = 0; i < g->count; i++)
		w->grid_of[w->list[i]] = (uint32_t)i + 1;
}

/*
 * The first thread fills the grids themselves; the values of the others are in their
 * arenas.
 */
static struct worker *new_worker(struct ml_grids *g, struct ml_open_sim *s, bool first,
				 struct ml_arena *a)
{
	struct worker *w = ml_resize(NULL, sizeof(*w));
	unsigned levels = s->machine.levels + 1;

	*w = (struct worker){ .g = g, .s = s };
	list_regions(w);
	w->at = g->at;
	if (!first) {
		w->at = room(&w->arena, g->count, sizeof(*w->at));
		memcpy(w->at, g->at, g->count * sizeof(*w->at));
	}
	for (size_t i = 0; i < g->count; i++)
		make_values(&w->at[i], g->mode, levels, first ? a : &w->arena);
	if (g->mode == ML_GRID_DISTANCE)
		w->distance = ml_distance_open();
	return w;
}

static void free_worker(struct worker *w)
{
	if (w->distance)
		ml_distance_close(w->distance);
	ml_arena_release(&w->arena);
	ml_free(w);
}

static bool walk_all(struct ml_grids *g, struct ml_open_sim *s, struct ml_arena *a,
		     struct ml_err *err)
{
	struct ml_work_shares x = { g->from, g->to, g->hurry, g->workers };
	struct worker *w[ML_WORK_SHARES_MAX];
	void *workers[ML_WORK_SHARES_MAX];

	/*
	 * distances depend on all earlier references, and interleaved threads on their
	 * start
	 */
	if (g->mode == ML_GRID_DISTANCE ||
	    (s->simulation.profile->interleaved && !g->hurry))
		x.workers = 1;
	size_t count = ml_work_shares_count(&x);
	g->workers = (unsigned)count;
	for (size_t i = 0; i < count; i++)
		workers[i] = w[i] = new_worker(g, s, i == 0, a);
	bool ok = ml_work_shares_run(&x, workers, count, walk, err);
	g->seen = 0;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; i && k < g->count; k++)
			merge(&g->at[k], &w[i]->at[k], g->mode, s->machine.levels + 1,
			      !g->hurry);
		g->seen += w[i]->seen;
		free_worker(w[i]);
	}
	return ok;
}

static void add_used(void *arg, uint32_t region, uint64_t offset, uint64_t bytes,
		     bool used)
{
	struct worker *w = arg;
	struct ml_grid *g = &w->at[w->grid_of[region] - 1];
	struct stretch s = stretch_of(g, offset, bytes);
	uint64_t n;
	size_t cell;

	while (next_cell(g, &s, &cell, &n)) {
		g->v.bytes[cell] += (double)n;
		g->v.used[cell] += used ? (double)n : 0;
	}
}

static void tell_progress(void *arg, uint64_t position)
{
	const struct ml_grids *g = ((struct worker *)arg)->g;

	ml_work_progress(g->work, "drawing regions", position - g->from, g->to - g->from);
}

static bool simulate(struct ml_grids *g, struct ml_open_sim *s, struct ml_arena *a,
		     struct ml_err *err)
{
	struct worker *w = new_worker(g, s, true, a);
	struct ml_used_bytes u = { .level = g->of,
				   .from = g->from,
				   .to = g->to,
				   .regions = w->list,
				   .count = g->count,
				   .fn = add_used,
				   .at = tell_progress,
				   .arg = w };
	bool ok = ml_used_bytes_run(&u, s, g->work, err);

	g->seen = g->to - g->from;
	free_worker(w);
	return ok;
}

bool ml_grids_fill(struct ml_grids *g, struct ml_open_sim *s, struct ml_arena *a,
		   struct ml_err *err)
{
	return g->mode == ML_GRID_USED ? simulate(g, s, a, err) : walk_all(g, s, a, err);
}
