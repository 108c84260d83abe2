#include "lib/query/trace/routes/route_disagreements.h"

#include <stdlib.h>
#include <string.h>

#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/sim_diff.h"

enum {
	CELLS = 1024,
	CELLS_MAX = 65536,
	/* Limits where the two simulations are of different traces. Up to EXACT_MAX
	 * references are read one by one; longer windows are counted in bins, and a
	 * cell is at least one bin. */
	EXACT_MAX = 4 << 20,
	MATCHED_MAX = EXACT_MAX >> ML_RESULT_BIN_BITS,
	BINS = 1 << 16, /* at the most, of the longest windows */
	ANCHORS = 256,
	MEMORY = ML_LEVELS,
};

bool ml_route_pair(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_open_sim **a, struct ml_open_sim **b, struct ml_err *err)
{
	uint64_t one, other;

	if (!ml_request_u64(q, "a", UINT64_MAX, &one, err) ||
	    !ml_request_u64(q, "b", UINT64_MAX, &other, err))
		return false;
	*a = ml_open_sim_ready(ws, one, err);
	if (!*a)
		return false;
	*b = ml_open_sim_ready(ws, other, err);
	return *b != NULL;
}

/*
 * How times of b follow from times of a, where they run over different traces: pairs of
 * times that belong together, and in proportion between them.
 */
struct match {
	struct anchor {
		uint64_t a, b;
	} at[ANCHORS + 1];
	size_t count; /* at least 2 */
};

/* "A:B,A:B,..."; the same share of the run where nothing is said. */
static bool read_match(struct match *m, const struct ml_request *q, uint64_t end_a,
		       uint64_t end_b, struct ml_err *err)
{
	const char *text = ml_request_text(q, "match");

	*m = (struct match){ .at = { { 0, 0 }, { end_a, end_b } }, .count = 2 };
	if (!text || !*text)
		return true;
	for (m->count = 0; *text; text += *text == ',') {
		struct anchor *now = &m->at[m->count];
		char *end;

		now->a = strtoull(text, &end, 10);
		if (end == text || *end != ':')
			break;
		text = end + 1;
		now->b = strtoull(text, &end, 10);
		if (end == text || (*end && *end != ',') || now->a > end_a ||
		    now->b > end_b ||
		    (m->count && (now->a <= now[-1].a || now->b < now[-1].b)))
			break;
		text = end;
		if (++m->count > ANCHORS)
			break;
	}
	if (*text || m->count < 2)
		return ml_fail(err, ML_USAGE,
			       "match is 2 to %d pairs TIME:TIME in growing order, near "
			       "'%.20s'",
			       ANCHORS, text);
	return true;
}

/* Before the first pair and behind the last one nothing corresponds. */
static uint64_t matched(const struct match *m, uint64_t time)
{
	size_t i = 1;

	if (time <= m->at[0].a)
		return m->at[0].b;
	while (i + 1 < m->count && m->at[i].a < time)
		i++;
	const struct anchor *low = &m->at[i - 1], *high = &m->at[i];
	if (time >= high->a)
		return high->b;
	uint64_t here = high->a - low->a, there = high->b - low->b, by = time - low->a;
	/* the same pace needs no division, which could lose one */
	if (here == there)
		return low->b + by;
	return low->b + (uint64_t)((double)by * (double)there / (double)here);
}

/* References by serving level: caches first, then memory, whatever its number is. */
struct tally {
	double served[ML_LEVELS + 1];
	double all;
};

static void add(struct tally *t, const uint64_t *served, unsigned levels)
{
	for (unsigned k = 1; k <= levels + 1; k++) {
		t->served[k > levels ? MEMORY : k - 1] += (double)served[k];
		t->all += (double)served[k];
	}
}

/* Bins by which a long window is counted have 2^this references. */
static unsigned bin_bits(uint64_t window)
{
	unsigned bits = ML_RESULT_BIN_BITS;

	while (window >> bits > BINS)
		bits++;
	return bits;
}

/*
 * Counts between neighbouring edges, which grow. Where the window is long they were
 * rounded to bins of the series, of which then whole ones are added.
 */
static bool count_between(struct ml_open_sim *s, const uint64_t *edge, size_t cells,
			  unsigned bits, struct tally *t, struct ml_answer *a,
			  struct ml_err *err)
{
	uint64_t from = edge[0], to = edge[cells];
	unsigned levels = s->machine.levels;
	bool ok;

	if (to - from <= EXACT_MAX) {
		uint16_t *outcome = ml_arena_alloc(&a->arena,
						   (to - from + 1) * sizeof(*outcome));

		ok = ml_open_sim_outcomes(s, from, to, outcome, err);
		for (size_t i = 0; ok && i < cells; i++) {
			uint64_t served[ML_SERVED] = { 0 };

			for (uint64_t at = edge[i]; at < edge[i + 1]; at++)
				served[ml_outcome_served(outcome[at - from])]++;
			add(&t[i], served, levels);
		}
		return ok;
	}
	struct ml_result_series series;
	uint64_t bins = ((to - from) >> bits) + 2;
	pthread_mutex_lock(&s->lock);
	ok = ml_result_series(&s->simulation.result, from, to, (size_t)bins, &series,
			      &a->arena, err);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0, cell = 0; ok && i < series.count; i++) {
		uint64_t at = series.first + i * series.width;

		while (cell + 1 < cells && edge[cell + 1] <= at)
			cell++;
		add(&t[cell], series.cell[i].served, levels);
	}
	return ok;
}

/*
 * Compares how two simulations spread their references over the levels: the smallest
 * share of references that would have to be served by another level to turn one spread
 * into the other. A share counts for the simulation that serves it from nearer.
 */
static void moved(const struct tally *a, const struct tally *b, double *nearer_a,
		  double *nearer_b)
{
	double left[ML_LEVELS + 1], wanted[ML_LEVELS + 1];

	for (unsigned k = 0; k <= MEMORY; k++) {
		double more = a->served[k] / a->all - b->served[k] / b->all;

		left[k] = more > 0 ? more : 0;
		wanted[k] = more < 0 ? -more : 0;
	}
	for (unsigned i = 0, k = 0; i <= MEMORY && k <= MEMORY;) {
		double part = left[i] < wanted[k] ? left[i] : wanted[k];

		*(i < k ? nearer_a : nearer_b) += part;
		left[i] -= part;
		wanted[k] -= part;
		if (left[i] <= 0)
			i++;
		else
			k++;
	}
}

static bool count_matched(struct ml_open_sim *a, struct ml_open_sim *b,
			  const struct match *m, uint64_t from, uint64_t to,
			  const struct ml_sim_diff_cells *c, size_t cells,
			  struct ml_answer *out, struct ml_err *err)
{
	uint64_t *edge_a = ml_arena_alloc(&out->arena, (cells + 1) * sizeof(*edge_a));
	uint64_t *edge_b = ml_arena_alloc(&out->arena, (cells + 1) * sizeof(*edge_b));
	struct tally *x = ml_arena_alloc(&out->arena, (cells + 1) * sizeof(*x));
	struct tally *y = ml_arena_alloc(&out->arena, (cells + 1) * sizeof(*y));

	for (size_t i = 0; i <= cells; i++) {
		uint64_t at = c->first + ((uint64_t)i << c->bits);

		edge_a[i] = at < from ? from : at > to ? to : at;
		edge_b[i] = matched(m, edge_a[i]);
	}
	uint64_t window = edge_b[cells] - edge_b[0];
	unsigned bits = bin_bits(window);
	for (size_t i = 0; window > EXACT_MAX && i <= cells; i++)
		if (edge_b[i] < b->simulation.result.refs)
			edge_b[i] &= ~(((uint64_t)1 << bits) - 1);
	/* of a, edges that lie within bins are only those of the window: they are cut */
	if (!count_between(a, edge_a, cells, bin_bits(to - from), x, out, err) ||
	    !count_between(b, edge_b, cells, bits, y, out, err))
		return false;
	for (size_t i = 0; i < cells; i++) {
		double near_a = 0, near_b = 0;

		if (x[i].all > 0 && y[i].all > 0)
			moved(&x[i], &y[i], &near_a, &near_b);
		c->nearer_a[i] = near_a * x[i].all;
		c->nearer_b[i] = near_b * x[i].all;
	}
	ml_answer_column(out, "other", ML_TYPE_U64, edge_b, cells + 1);
	return true;
}

bool ml_route_disagreements(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *one, *other;
	struct ml_sim_diff_cells c = { 0 };
	struct match m;
	uint64_t from, to, max;

	if (!ml_route_pair(ws, q, &one, &other, err) ||
	    !ml_request_window(q, one->simulation.result.refs, &from, &to, err) ||
	    !ml_request_u64(q, "cells", CELLS, &max, err) ||
	    !read_match(&m, q, one->simulation.result.refs, other->simulation.result.refs,
			err))
		return false;
	if (max < 2 || max > CELLS_MAX)
		return ml_fail(err, ML_USAGE, "cells=%llu is not 2 to %d",
			       (unsigned long long)max, CELLS_MAX);
	bool paired = ml_sim_diff_paired(one, other);
	if (!paired && max > MATCHED_MAX)
		max = MATCHED_MAX;
	while (to > from && ((to - 1) >> c.bits) - (from >> c.bits) + 1 > max)
		c.bits++;
	c.first = from >> c.bits << c.bits;
	size_t cells = to > from ? (size_t)(((to - 1) >> c.bits) - (from >> c.bits) + 1)
				 : 0;
	c.nearer_a = ml_arena_alloc(&a->arena, (cells + 1) * sizeof(*c.nearer_a));
	c.nearer_b = ml_arena_alloc(&a->arena, (cells + 1) * sizeof(*c.nearer_b));
	ml_answer_columns(a);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "to", to);
	ml_answer_u64(a, "first", c.first);
	ml_answer_u64(a, "width", (uint64_t)1 << c.bits);
	ml_answer_u64(a, "cells", cells);
	ml_json_key(&a->json, "paired");
	ml_json_bool(&a->json, paired);
	if (paired ? !ml_sim_diff_count(one, other, &q->work, from, to, &c, err)
		   : !count_matched(one, other, &m, from, to, &c, cells, a, err))
		return false;
	ml_answer_column(a, "nearer_a", ML_TYPE_F64, c.nearer_a, cells);
	ml_answer_column(a, "nearer_b", ML_TYPE_F64, c.nearer_b, cells);
	return true;
}

bool ml_route_disagreements_step(struct ml_workspace *ws, const struct ml_request *q,
				 struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *one, *other;
	const char *dir = ml_request_text(q, "dir");
	uint64_t at, found;

	if (!ml_route_pair(ws, q, &one, &other, err) ||
	    !ml_request_u64(q, "at", 0, &at, err))
		return false;
	if (!ml_sim_diff_paired(one, other))
		return ml_fail(
			err, ML_USAGE,
			"references of simulations %u and %u are not the same ones",
			one->job.number, other->job.number);
	bool back = dir && *dir == '-';
	if (!ml_sim_diff_find(one, other, &q->work, at + !back, back, &found, err))
		return false;
	ml_json_object(&a->json);
	ml_json_key(&a->json, "at");
	if (found == UINT64_MAX)
		ml_json_null(&a->json);
	else
		ml_json_u64(&a->json, found);
	ml_json_end(&a->json);
	return true;
}
