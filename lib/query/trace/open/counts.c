#include "lib/query/trace/open/counts.h"

#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/walk.h"

enum { WANT = ML_WALK_OUTCOMES | ML_WALK_BEYOND };

struct one_by_one {
	ml_counts_fn *fn;
	void *arg;
};

static bool give_each(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	const struct one_by_one *x = arg;
	const struct ml_batch *b = w->e.refs;

	(void)err;
	for (size_t i = 0; i < b->count; i++) {
		struct ml_result_row row = { b->caller[i] ? b->caller[i] : b->site[i],
					     w->e.region[i],
					     b->thread[i],
					     w->e.outcome[i],
					     ml_what_kind(b->what[i]),
					     1,
					     w->beyond[i] };

		x->fn(x->arg, w->e.position + i, &row);
	}
	return true;
}

/* The caller holds the lock of the simulation. */
static bool give_rows(struct ml_open_sim *s, uint64_t position, ml_counts_fn *fn,
		      void *arg, struct ml_err *err)
{
	const struct ml_result_row *rows;
	size_t count;

	if (!ml_result_alike(&s->simulation.result, position, &rows, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].site >= s->trace->trace.tables.sites.count)
			return ml_fail(err, ML_FORMAT, "%s: it counts a site %u of %zu",
				       s->simulation.result.path, rows[i].site,
				       s->trace->trace.tables.sites.count);
		fn(arg, position, &rows[i]);
	}
	return true;
}

bool ml_counts(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
	       uint64_t to, ml_counts_fn *fn, void *arg, struct ml_err *err)
{
	struct one_by_one x = { fn, arg };
	uint64_t refs = s->simulation.result.refs, first, end;
	bool ok = true;

	to = to < refs ? to : refs;
	first = (from + ML_RESULT_PART - 1) / ML_RESULT_PART * ML_RESULT_PART;
	end = to == refs ? to : to / ML_RESULT_PART * ML_RESULT_PART;
	if (first >= end)
		return ml_walk(s, work, from, to, WANT, give_each, &x, err);
	ok = ml_walk(s, work, from, first, WANT, give_each, &x, err) &&
	     ml_walk(s, work, end, to, WANT, give_each, &x, err);
	for (uint64_t at = first; ok && at < end; at += ML_RESULT_PART) {
		pthread_mutex_lock(&s->lock);
		ok = give_rows(s, at, fn, arg, err);
		pthread_mutex_unlock(&s->lock);
		if (ok && at % ML_RESULT_BLOCK == 0 && ml_work_cancelled(work))
			ok = ml_fail(err, ML_STOPPED,
				     "nobody waits for the answer any more");
	}
	return ok;
}
