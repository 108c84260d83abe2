#include "lib/query/trace/routes/route_cells.h"

#include "lib/analyse/passes/waiting.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/selection.h"
#include "lib/query/trace/open/work_shares.h"
#include "lib/query/trace/open/walk.h"

enum { SIDE_MAX = 2048 };

static void *room(struct ml_answer *a, size_t count, size_t size)
{
	return ml_arena_alloc(&a->arena, (count + 1) * size);
}

/* A region against time: rows are parts of it, columns parts of the window. */
struct plane {
	struct ml_open_sim *s;
	const struct ml_work *work;
	const struct ml_selection *selection;
	uint32_t region;
	uint64_t first, bytes, from, length;
	size_t rows, columns;
	unsigned levels;  /* with memory */
	uint32_t *served; /* [rows][columns][levels] */
	uint32_t *writes; /* [rows][columns], as all below */
	float *beyond;    /* cycles; floats have room for many cells */
	uint64_t seen;    /* references */
};

static bool paint(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct plane *p = arg;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		if (w->e.region[i] != p->region || w->offset[i] < p->first ||
		    w->offset[i] - p->first >= p->bytes ||
		    !ml_selection_has(p->selection, w, i))
			continue;
		/* neither product can overflow: sides are small, bytes and length < 2^53
		 */
		size_t row = (size_t)((w->offset[i] - p->first) * p->rows / p->bytes);
		size_t column =
			(size_t)((w->e.position + i - p->from) * p->columns / p->length);
		size_t at = row * p->columns + column;

		p->served[at * p->levels + ml_outcome_served(w->e.outcome[i]) - 1]++;
		p->writes[at] += ml_what_kind(w->e.refs->what[i]) == ML_WRITE;
		p->beyond[at] += (float)w->beyond[i];
	}
	p->seen += w->e.refs->count;
	return true;
}

static bool walk(void *worker, uint64_t from, uint64_t to, struct ml_err *err)
{
	struct plane *p = worker;

	return ml_walk_region(p->s, p->work, p->region, from, to,
			      ML_WALK_PLACES | ML_WALK_OUTCOMES | ML_WALK_BEYOND, paint,
			      p, err);
}

static void make_room(struct plane *p, struct ml_answer *a)
{
	size_t n = p->rows * p->columns;

	p->served = room(a, n * p->levels, sizeof(*p->served));
	p->writes = room(a, n, sizeof(*p->writes));
	p->beyond = room(a, n, sizeof(*p->beyond));
}

static void merge(struct plane *to, const struct plane *from)
{
	size_t n = to->rows * to->columns;

	for (size_t i = 0; i < n * to->levels; i++)
		to->served[i] += from->served[i];
	for (size_t i = 0; i < n; i++) {
		to->writes[i] += from->writes[i];
		to->beyond[i] += from->beyond[i];
	}
}

/* Each thread has a picture of its own. */
static bool fill(struct plane *p, const struct ml_work_shares *x, struct ml_answer *a,
		 struct ml_err *err)
{
	struct plane others[ML_WORK_SHARES_MAX];
	void *workers[ML_WORK_SHARES_MAX];
	size_t count = ml_work_shares_count(x);

	for (size_t i = 0; i < count; i++) {
		others[i] = *p;
		make_room(&others[i], a);
		workers[i] = &others[i];
	}
	bool ok = ml_work_shares_run(x, workers, count, walk, err);
	*p = others[0];
	for (size_t i = 1; i < count; i++) {
		merge(p, &others[i]);
		p->seen += others[i].seen;
	}
	return ok;
}

static void put_cells(struct ml_answer *a, const struct plane *p)
{
	size_t n = p->rows * p->columns;
	uint32_t *reads = room(a, n, sizeof(*reads));
	uint8_t *level = room(a, n, 1);
	float *cycles = room(a, n, sizeof(*cycles));

	for (size_t i = 0; i < n; i++) {
		uint64_t served[ML_SERVED] = { 0 };
		uint32_t refs = 0;

		for (unsigned k = 0; k < p->levels; k++) {
			served[k + 1] = p->served[i * p->levels + k];
			refs += p->served[i * p->levels + k];
		}
		struct ml_waiting_cell cell = ml_waiting_cell(&p->s->machine, served,
							      (double)p->beyond[i]);
		reads[i] = refs - p->writes[i];
		level[i] = cell.level;
		cycles[i] = cell.cycles;
	}
	ml_answer_column(a, "reads", ML_TYPE_U32, reads, n);
	ml_answer_column(a, "writes", ML_TYPE_U32, p->writes, n);
	ml_answer_column(a, "level", ML_TYPE_U8, level, n);
	ml_answer_column(a, "cycles", ML_TYPE_F32, cycles, n);
}

bool ml_route_plane(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	uint64_t region, from, to, first, bytes, rows, columns, hurry;
	struct ml_selection selection;

	if (!s || !ml_request_window(q, s->simulation.result.refs, &from, &to, err) ||
	    !ml_selection_read(&selection, q, s->trace, &a->arena, err) ||
	    !ml_request_u64(q, "region", 0, &region, err) ||
	    !ml_request_u64(q, "first", 0, &first, err) ||
	    !ml_request_u64(q, "bytes", ml_open_trace_extent(s->trace, (uint32_t)region),
			    &bytes, err) ||
	    !ml_request_u64(q, "rows", 256, &rows, err) ||
	    !ml_request_u64(q, "hurry", 0, &hurry, err) ||
	    !ml_request_u64(q, "columns", 512, &columns, err))
		return false;
	if (!rows || !columns || rows > SIDE_MAX || columns > SIDE_MAX)
		return ml_fail(err, ML_USAGE, "rows and columns are 1 to %d", SIDE_MAX);
	if (!bytes)
		return ml_fail(err, ML_USAGE,
			       "region %llu has no known extent: give bytes",
			       (unsigned long long)region);
	rows = rows < bytes ? rows : bytes;
	if (to > from && columns > to - from)
		columns = to - from;
	struct plane p = { .s = s,
			   .work = &q->work,
			   .selection = &selection,
			   .levels = s->machine.levels + 1,
			   .region = (uint32_t)region,
			   .first = first,
			   .bytes = bytes,
			   .from = from,
			   .length = to - from,
			   .rows = (size_t)rows,
			   .columns = (size_t)columns };
	struct ml_work_shares x = { from, to, hurry < 1000 ? (unsigned)hurry : 1000, 0 };
	if (s->simulation.profile->interleaved && !hurry)
		x.workers = 1;
	if (!fill(&p, &x, a, err))
		return false;
	ml_answer_columns(a);
	ml_answer_u64(a, "region", region);
	ml_answer_u64(a, "first", first);
	ml_answer_u64(a, "bytes", bytes);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "to", to);
	ml_answer_u64(a, "seen", p.seen);
	ml_answer_u64(a, "rows", rows);
	ml_answer_u64(a, "across", columns);
	put_cells(a, &p);
	return true;
}
