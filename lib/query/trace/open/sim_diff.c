#include "lib/query/trace/open/sim_diff.h"

#include <string.h>

#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"

enum { BIN = 1 << ML_SIM_DIFF_BITS, KEPT = 8, STRETCH = ML_RESULT_BLOCK };

#define NOWHERE UINT64_MAX

/* One pair whose bins are kept; bins of whole stretches, in order. */
struct pair {
	const struct ml_open_sim *b;
	struct pair *next;
	unsigned users; /* under the lock of the list */
	pthread_mutex_t lock;
	struct bin {
		uint16_t nearer_a, nearer_b;
	} * bins;
	uint64_t done; /* references compared */
};

bool ml_sim_diff_paired(const struct ml_open_sim *a, const struct ml_open_sim *b)
{
	bool turns = a->simulation.profile->interleaved;

	return a->trace == b->trace &&
	       a->simulation.result.refs == b->simulation.result.refs &&
	       turns == b->simulation.profile->interleaved &&
	       (!turns || a->interleave == b->interleave);
}

static void close_pair(struct pair *p)
{
	pthread_mutex_destroy(&p->lock);
	ml_free(p->bins);
	ml_free(p);
}

/* The pairs of which a simulation is the first. */
struct pairs {
	pthread_mutex_t lock; /* of the list and of users */
	struct pair *list;
};

static void *make_pairs(void)
{
	struct pairs *x = ml_resize(NULL, sizeof(*x));

	x->list = NULL;
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

static void close_pairs(void *data)
{
	struct pairs *x = data;

	while (x->list) {
		struct pair *p = x->list;

		x->list = p->next;
		close_pair(p);
	}
	pthread_mutex_destroy(&x->lock);
	ml_free(x);
}

static struct pairs *pairs_of(struct ml_open_sim *a)
{
	return ml_open_sim_attach(a, "sim_diff", make_pairs, close_pairs);
}

/* The entry of a pair, first in the list. An unused pair goes when there are many. */
static struct pair *take(struct ml_open_sim *a, const struct ml_open_sim *b)
{
	struct pairs *x = pairs_of(a);
	struct pair **at, *p;
	size_t count = 0;

	pthread_mutex_lock(&x->lock);
	for (at = &x->list; *at && (*at)->b != b; at = &(*at)->next)
		;
	p = *at;
	if (p)
		*at = p->next;
	else {
		size_t bins = (size_t)((a->simulation.result.refs + BIN - 1) / BIN);

		p = ml_resize(NULL, sizeof(*p));
		*p = (struct pair){ .b = b };
		pthread_mutex_init(&p->lock, NULL);
		p->bins = ml_resize(NULL, (bins + 1) * sizeof(*p->bins));
	}
	p->users++;
	p->next = x->list;
	x->list = p;
	for (at = &x->list; *at;)
		if (++count > KEPT && !(*at)->users) {
			struct pair *old = *at;

			*at = old->next;
			close_pair(old);
		} else
			at = &(*at)->next;
	pthread_mutex_unlock(&x->lock);
	return p;
}

static void give(struct ml_open_sim *a, struct pair *p)
{
	struct pairs *x = pairs_of(a);

	pthread_mutex_lock(&x->lock);
	p->users--;
	pthread_mutex_unlock(&x->lock);
}

/* Outcomes of both side by side, a stretch at a time. */
struct reader {
	struct ml_open_sim *a, *b;
	const struct ml_work *work;
	uint16_t *x, *y; /* room for a stretch */
};

static void open_reader(struct reader *r, struct ml_open_sim *a, struct ml_open_sim *b,
			const struct ml_work *work)
{
	*r = (struct reader){ .a = a, .b = b, .work = work };
	r->x = ml_resize(NULL, 2 * STRETCH * sizeof(*r->x));
	r->y = r->x + STRETCH;
}

static bool read_both(struct reader *r, uint64_t from, uint64_t to, struct ml_err *err)
{
	if (ml_stopped(&r->a->job.workspace->stop) || ml_work_cancelled(r->work))
		return ml_fail(err, ML_STOPPED, "nobody waits for the answer any more");
	return ml_open_sim_outcomes(r->a, from, to, r->x, err) &&
	       ml_open_sim_outcomes(r->b, from, to, r->y, err);
}

/* Counts a bin. Levels of both are made comparable first, so that this is all vectors. */
static struct bin count_bin(const uint16_t *x, const uint16_t *y, size_t count,
			    unsigned levels_a, unsigned levels_b)
{
	struct bin b = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint16_t p = x[i] & 15, q = y[i] & 15;

		p = p > levels_a ? (uint16_t)ML_SIM_DIFF_MEMORY : p;
		q = q > levels_b ? (uint16_t)ML_SIM_DIFF_MEMORY : q;
		b.nearer_a = (uint16_t)(b.nearer_a + (p < q));
		b.nearer_b = (uint16_t)(b.nearer_b + (q < p));
	}
	return b;
}

/* All bins up to the end of the stretch that `to` lies in. */
static bool fill(struct reader *r, struct pair *p, uint64_t to, struct ml_err *err)
{
	bool ok = true;

	pthread_mutex_lock(&p->lock);
	while (ok && p->done < to) {
		uint64_t end = p->done + STRETCH;

		if (end > r->a->simulation.result.refs)
			end = r->a->simulation.result.refs;
		ok = read_both(r, p->done, end, err);
		for (uint64_t at = p->done; ok && at < end; at += BIN)
			p->bins[at / BIN] =
				count_bin(r->x + (at - p->done), r->y + (at - p->done),
					  (size_t)(end - at < BIN ? end - at : BIN),
					  r->a->machine.levels, r->b->machine.levels);
		if (ok)
			p->done = end;
	}
	pthread_mutex_unlock(&p->lock);
	return ok;
}

static int order(const struct reader *r, size_t i)
{
	return (int)ml_sim_diff_level(r->x[i], r->a->machine.levels) -
	       (int)ml_sim_diff_level(r->y[i], r->b->machine.levels);
}

/* Reference by reference. */
static bool count_each(struct reader *r, uint64_t from, uint64_t to,
		       const struct ml_sim_diff_cells *c, struct ml_err *err)
{
	for (uint64_t end; from < to; from = end) {
		end = from / STRETCH * STRETCH + STRETCH;
		end = end < to ? end : to;
		if (!read_both(r, from, end, err))
			return false;
		for (uint64_t at = from; at < end; at++) {
			size_t cell = (size_t)((at - c->first) >> c->bits);
			int o = order(r, (size_t)(at - from));

			c->nearer_a[cell] += o < 0;
			c->nearer_b[cell] += o > 0;
		}
	}
	return true;
}

bool ml_sim_diff_count(struct ml_open_sim *a, struct ml_open_sim *b,
		       const struct ml_work *work, uint64_t from, uint64_t to,
		       const struct ml_sim_diff_cells *c, struct ml_err *err)
{
	uint64_t refs = a->simulation.result.refs;
	/* whole bins; the end of the run ends one */
	uint64_t low = (from + BIN - 1) / BIN * BIN;
	uint64_t high = to == refs ? refs : to / BIN * BIN;
	struct reader r;
	bool ok;

	open_reader(&r, a, b, work);
	if (c->bits < ML_SIM_DIFF_BITS || low >= high)
		ok = count_each(&r, from, to, c, err);
	else {
		struct pair *p = take(a, b);

		ok = fill(&r, p, high, err) && count_each(&r, from, low, c, err) &&
		     count_each(&r, high, to, c, err);
		for (uint64_t at = low; ok && at < high; at += BIN) {
			size_t cell = (size_t)((at - c->first) >> c->bits);

			c->nearer_a[cell] += p->bins[at / BIN].nearer_a;
			c->nearer_b[cell] += p->bins[at / BIN].nearer_b;
		}
		give(a, p);
	}
	ml_free(r.x);
	return ok;
}

/* The first or the last one of [from, to), which is at most a stretch. */
static bool find_within(struct reader *r, uint64_t from, uint64_t to, bool last,
			uint64_t *found, struct ml_err *err)
{
	if (from >= to)
		return true;
	if (!read_both(r, from, to, err))
		return false;
	for (size_t i = 0, n = (size_t)(to - from); i < n && *found == NOWHERE; i++) {
		size_t k = last ? n - 1 - i : i;

		if (order(r, k))
			*found = from + k;
	}
	return true;
}

bool ml_sim_diff_find(struct ml_open_sim *a, struct ml_open_sim *b,
		      const struct ml_work *work, uint64_t at, bool back, uint64_t *found,
		      struct ml_err *err)
{
	uint64_t refs = a->simulation.result.refs;
	struct reader r;
	bool ok = true;

	*found = NOWHERE;
	at = at < refs ? at : refs;
	open_reader(&r, a, b, work);
	struct pair *p = take(a, b);
	while (ok && *found == NOWHERE && (back ? at > 0 : at < refs)) {
		uint64_t bin = (back ? at - 1 : at) / BIN, low = bin * BIN;
		uint64_t high = low + BIN < refs ? low + BIN : refs;

		ok = fill(&r, p, high, err);
		if (ok && (p->bins[bin].nearer_a || p->bins[bin].nearer_b))
			ok = find_within(&r, back ? low : at, back ? at : high, back,
					 found, err);
		at = back ? low : high;
	}
	give(a, p);
	ml_free(r.x);
	return ok;
}
