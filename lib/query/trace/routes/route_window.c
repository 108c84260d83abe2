#include "lib/query/trace/routes/route_window.h"

#include "lib/analyse/passes/temperature.h"
#include "lib/analyse/passes/waiting.h"
#include "lib/query/trace/routes/temperature_request.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/counts.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/open/selection.h"
#include "lib/query/trace/open/walk.h"
#include "lib/query/trace/open/work_shares.h"

enum { CELLS = 1024, CELLS_MAX = 65536 };

/* Cells of 2^bits references from `first` on, the first and last cut to the window. */
struct cells {
	uint64_t first;
	unsigned bits;
	size_t count;
	unsigned levels;            /* with memory */
	struct ml_result_bin *bins; /* [count] */
};

static bool read_cells(const struct ml_request *q, uint64_t *cells, struct ml_err *err)
{
	if (!ml_request_u64(q, "cells", CELLS, cells, err))
		return false;
	if (*cells < 2 || *cells > CELLS_MAX)
		return ml_fail(err, ML_USAGE, "cells=%llu is not 2 to %d",
			       (unsigned long long)*cells, CELLS_MAX);
	return true;
}

/* The narrowest cells, aligned to their width, of which so many cover the window. */
static void lay_out(struct cells *c, uint64_t from, uint64_t to, uint64_t max,
		    unsigned levels, struct ml_arena *a)
{
	*c = (struct cells){ .levels = levels };
	while (to > from && ((to - 1) >> c->bits) - (from >> c->bits) + 1 > max)
		c->bits++;
	c->first = from >> c->bits << c->bits;
	c->count = to > from ? (size_t)(((to - 1) >> c->bits) - (from >> c->bits) + 1)
			     : 0;
	c->bins = ml_arena_alloc(a, (c->count + 1) * sizeof(*c->bins));
}

static void put_cells(struct ml_answer *a, const struct cells *c, uint64_t from,
		      uint64_t to, uint64_t until)
{
	ml_answer_columns(a);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "to", to);
	ml_answer_u64(a, "first", c->first);
	ml_answer_u64(a, "width", (uint64_t)1 << c->bits);
	ml_answer_u64(a, "cells", c->count);
	ml_answer_u64(a, "levels", c->levels);
	ml_answer_u64(a, "until", until);
}

/* What is known while the simulation runs: whole bins of the profile. */
static uint64_t partial(struct ml_open_sim *s, struct cells *c, uint64_t from,
			uint64_t to)
{
	pthread_mutex_lock(&s->job.workspace->lock);
	uint64_t until = s->job.done;
	for (size_t i = 0; i < s->partial_count; i++) {
		uint64_t at = i * s->partial_bin;

		if (at < from || at >= to)
			continue;
		struct ml_result_bin *cell = &c->bins[(at - c->first) >> c->bits];
		for (unsigned k = 1; k <= c->levels; k++)
			cell->served[k] += s->partial[i].served[k];
	}
	pthread_mutex_unlock(&s->job.workspace->lock);
	return until;
}

/* From the series of the result. */
static bool from_series(struct ml_open_sim *s, struct cells *c, uint64_t from,
			uint64_t to, struct ml_answer *a, struct ml_err *err)
{
	struct ml_result_series series;

	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_series(&s->simulation.result, from, to, c->count, &series,
				   &a->arena, err);
	pthread_mutex_unlock(&s->lock);
	if (!ok)
		return false;
	for (size_t i = 0; i < series.count; i++) {
		uint64_t at = series.first + i * series.width;
		struct ml_result_bin *cell =
			&c->bins[(at < c->first ? 0 : at - c->first) >> c->bits];

		for (unsigned k = 1; k <= c->levels; k++)
			cell->served[k] += series.cell[i].served[k];
		cell->beyond += series.cell[i].beyond;
	}
	return true;
}

/* The selected references of a stretch, as one thread counts them. */
struct counting {
	struct ml_open_sim *sim;
	const struct ml_work *work;
	const struct ml_selection *selection;
	struct cells cells;
};

static void add(struct cells *c, uint64_t position, uint16_t outcome, uint32_t count,
		int64_t beyond)
{
	struct ml_result_bin *cell = &c->bins[(position - c->first) >> c->bits];

	cell->served[ml_outcome_served(outcome)] += count;
	cell->beyond += beyond;
}

static void count_row(void *arg, uint64_t position, const struct ml_result_row *row)
{
	struct counting *x = arg;

	if (ml_selection_has_row(x->selection, row))
		add(&x->cells, position, row->outcome, row->count, row->beyond);
}

static bool count_each(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct counting *x = arg;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++)
		if (ml_selection_has(x->selection, w, i))
			add(&x->cells, w->e.position + i, w->e.outcome[i], 1,
			    w->beyond[i]);
	return true;
}

static bool count_walk(void *worker, uint64_t from, uint64_t to, struct ml_err *err)
{
	struct counting *x = worker;
	unsigned want = ml_selection_want(x->selection) | ML_WALK_OUTCOMES |
			ML_WALK_BEYOND;

	if (x->selection->regions)
		return ml_walk_region(x->sim, x->work, x->selection->region, from, to,
				      want, count_each, x, err);
	return ml_walk(x->sim, x->work, from, to, want, count_each, x, err);
}

/*
 * Rows of references that are alike stand for 2^16 references each, and do not have bytes
 * of a region. They count cells that are at least as wide, hundreds of times as fast as a
 * walk, which all others need.
 */
static bool in_rows(const struct cells *c, const struct ml_selection *x)
{
	return (uint64_t)1 << c->bits >= ML_RESULT_PART && !x->offsets;
}

/* Counts the selected references in the cells of all. */
static bool count_selected(struct ml_open_sim *s, const struct ml_request *q,
			   const struct ml_selection *selection, struct cells *c,
			   uint64_t from, uint64_t to, struct ml_arena *a,
			   struct ml_err *err)
{
	/* where threads are interleaved, a block is merged from its start */
	struct ml_work_shares shares = { from, to, 0,
					 s->simulation.result.profile.interleaved };
	bool rows = in_rows(c, selection);
	size_t count = rows ? 1 : ml_work_shares_count(&shares);
	struct counting *x = ml_arena_alloc(a, count * sizeof(*x));
	void *workers[ML_WORK_SHARES_MAX];

	for (size_t i = 0; i < count; i++) {
		workers[i] = &x[i];
		x[i] = (struct counting){ s, &q->work, selection, *c };
		x[i].cells.bins = ml_arena_alloc(a, (c->count + 1) * sizeof(*c->bins));
	}
	if (!(rows ? ml_counts(s, &q->work, from, to, count_row, x, err)
		   : ml_work_shares_run(&shares, workers, count, count_walk, err)))
		return false;
	*c = x->cells;
	for (size_t i = 1; i < count; i++)
		for (size_t cell = 0; cell < c->count; cell++) {
			const struct ml_result_bin *from_cell = &x[i].cells.bins[cell];

			for (unsigned k = 1; k <= c->levels; k++)
				c->bins[cell].served[k] += from_cell->served[k];
			c->bins[cell].beyond += from_cell->beyond;
		}
	return true;
}

/* Columns of numbers by serving level, and of waiting, whose last part is the surcharge. */
static void put_bins(struct ml_answer *a, const struct cells *c,
		     const struct ml_machine *m, const char *served, const char *waiting)
{
	unsigned parts = c->levels + 1;
	double *n = ml_arena_alloc(&a->arena, (c->count * c->levels + 1) * sizeof(*n));
	double *w = ml_arena_alloc(&a->arena, (c->count * parts + 1) * sizeof(*w));

	for (size_t i = 0; i < c->count; i++) {
		double part[ML_SERVED];

		ml_waiting(m, c->bins[i].served, (double)c->bins[i].beyond, part);
		for (unsigned k = 0; k < c->levels; k++) {
			n[i * c->levels + k] = (double)c->bins[i].served[k + 1];
			w[i * parts + k] = part[k + 1];
		}
		w[i * parts + c->levels] = part[0];
	}
	ml_answer_column(a, served, ML_TYPE_F64, n, c->count * c->levels);
	ml_answer_column(a, waiting, ML_TYPE_F64, w, c->count * parts);
}

bool ml_route_timeline(struct ml_workspace *ws, const struct ml_request *q,
		       struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(ws, q->number[0], err);
	struct ml_selection selection;
	struct cells c;
	struct ml_err unready;
	uint64_t from, to, cells;

	if (!s)
		return false;
	bool ready = ml_open_sim_ready(ws, q->number[0], &unready);
	/* that of a damaged trace ends with the references that can be read */
	uint64_t until = ready ? s->simulation.result.refs : s->trace->trace.count;
	if (!ml_request_window(q, until, &from, &to, err) ||
	    !read_cells(q, &cells, err) ||
	    !ml_selection_read(&selection, q, s->trace, &a->arena, err))
		return false;
	lay_out(&c, from, to, cells, s->machine.levels + 1, &a->arena);
	if (!ready) {
		if (s->job.state != ML_JOB_RUNNING || selection.any) {
			*err = unready;
			return false;
		}
		until = partial(s, &c, from, to);
	} else if (c.count && !from_series(s, &c, from, to, a, err))
		return false;
	struct cells selected = c;
	if (selection.any &&
	    !count_selected(s, q, &selection, &selected, from, to, &a->arena, err))
		return false;
	put_cells(a, &c, from, to, until);
	put_bins(a, &c, &s->machine, "served", "waiting");
	if (selection.any)
		put_bins(a, &selected, &s->machine, "selected", "selected_waiting");
	return true;
}

/* Moving average of scores over the last references, as ml_thermometer has it. */
bool ml_route_temperature(struct ml_workspace *ws, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct ml_temperature_options o = ml_temperature_default();
	struct cells c;
	uint64_t from, to, cells;

	if (!s || !ml_request_window(q, s->simulation.result.refs, &from, &to, err) ||
	    !read_cells(q, &cells, err) || !ml_temperature_request(q, &o, err))
		return false;
	lay_out(&c, from, to, cells, s->machine.levels + 1, &a->arena);
	if (c.count && !from_series(s, &c, from, to, a, err))
		return false;
	unsigned levels = s->machine.levels;
	float *out = ml_arena_alloc(&a->arena, (c.count * levels + 1) * sizeof(*out));
	/* cells that the window of the average reaches back over */
	size_t back = (size_t)((o.last + ((uint64_t)1 << c.bits) - 1) >> c.bits);
	for (unsigned k = 0; k < levels; k++) {
		double score = 0, refs = 0;

		for (size_t i = 0; i < c.count; i++) {
			for (int leaving = 0; leaving < 2; leaving++) {
				if (leaving && i < back)
					continue;
				const uint64_t *served =
					c.bins[leaving ? i - back : i].served;
				double sign = leaving ? -1 : 1,
				       hits = (double)served[k + 1], misses = 0;

				for (unsigned j = k + 2; j <= c.levels; j++)
					misses += (double)served[j];
				for (unsigned j = 1; j <= c.levels; j++)
					refs += sign * (double)served[j];
				score += sign * (o.hit[k] * hits + o.miss[k] * misses);
			}
			out[i * levels + k] = refs > 0 ? (float)(score / refs) : 0;
		}
	}
	put_cells(a, &c, from, to, s->simulation.result.refs);
	ml_answer_u64(a, "window", o.last);
	ml_answer_column(a, "temperature", ML_TYPE_F32, out, c.count * levels);
	return true;
}

bool ml_route_event_map(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct cells c;
	uint64_t from, to, cells;

	if (!s || !ml_request_window(q, s->simulation.result.refs, &from, &to, err) ||
	    !read_cells(q, &cells, err))
		return false;
	lay_out(&c, from, to, cells, s->machine.levels + 1, &a->arena);
	if (c.count && !from_series(s, &c, from, to, a, err))
		return false;
	uint8_t *level = ml_arena_alloc(&a->arena, c.count + 1);
	float *cycles = ml_arena_alloc(&a->arena, (c.count + 1) * sizeof(*cycles));
	for (size_t i = 0; i < c.count; i++) {
		struct ml_waiting_cell cell = ml_waiting_cell(
			&s->machine, c.bins[i].served, (double)c.bins[i].beyond);

		level[i] = cell.level;
		cycles[i] = cell.cycles;
	}
	put_cells(a, &c, from, to, s->simulation.result.refs);
	ml_answer_column(a, "level", ML_TYPE_U8, level, c.count);
	ml_answer_column(a, "cycles", ML_TYPE_F32, cycles, c.count);
	return true;
}
