#include "lib/analyse/ensemble/time_match.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/search.h"

const char *const ml_time_match_names[] = { "raw", "normalised", "matched", NULL };

/* One visit that all traces make. */
struct visit {
	const char *name;
	uint64_t number;
	const uint64_t *at; /* [trace] */
	uint64_t base;      /* position in the base, by which they are sorted */
};

struct visits {
	struct visit *at;
	size_t count, cap;
};

static const struct ml_milestones *find(const struct ml_ensemble_trace *t,
					const char *name)
{
	for (size_t i = 0; i < t->milestone_count; i++)
		if (!strcmp(t->milestones[i].name, name))
			return &t->milestones[i];
	return NULL;
}

static const char *taken(struct ml_arena *a, struct ml_buf *b)
{
	const char *text = ml_arena_copy(a, b->data, b->size);

	ml_buf_release(b);
	return text;
}

/* "sorts.c:12, mark sweep", or "none". */
static const char *list(const struct ml_ensemble_trace *t, struct ml_arena *a)
{
	enum { SHOWN = 8 };
	struct ml_buf b = { 0 };

	for (size_t i = 0; i < t->milestone_count && i < SHOWN; i++) {
		ml_buf_text(&b, i ? ", " : "");
		ml_buf_text(&b, t->milestones[i].name);
	}
	ml_buf_text(&b, !t->milestone_count          ? "none"
			: t->milestone_count > SHOWN ? ", ..."
						     : "");
	return taken(a, &b);
}

static void say(struct ml_time_matching *m, struct ml_arena *a, const char *sentence)
{
	if (m->unequal_count == m->unequal_cap) {
		size_t cap = m->unequal_cap ? 2 * m->unequal_cap : 8;
		const char **more = ml_arena_alloc(a, cap * sizeof(*more));

		if (m->unequal_count)
			memcpy(more, m->unequal, m->unequal_count * sizeof(*more));
		m->unequal = more;
		m->unequal_cap = cap;
	}
	m->unequal[m->unequal_count++] = sentence;
}

/* "a comes to x 16 times, b 15 times: the last is not used" */
static void say_unequal(struct ml_time_matching *m, const struct ml_ensemble *e,
			const struct ml_milestones *const *row, size_t min, size_t max,
			struct ml_arena *a)
{
	struct ml_buf b = { 0 };

	for (size_t t = 0; t < e->trace_count; t++) {
		bool named = !t || strcmp(row[t]->name, row[t - 1]->name) != 0;

		ml_buf_text(&b, t ? ", " : "");
		ml_buf_text(&b, e->traces[t].label);
		ml_buf_text(&b, t ? "" : " comes");
		ml_buf_text(&b, named ? " to " : "");
		ml_buf_text(&b, named ? row[t]->name : "");
		ml_buf_text(&b, ml_arena_printf(a, " %zu time%s", row[t]->count,
						row[t]->count == 1 ? "" : "s"));
	}
	ml_buf_text(&b,
		    max - min == 1
			    ? ": the last is not used"
			    : ml_arena_printf(a, ": only the first %zu are used", min));
	say(m, a, taken(a, &b));
}

static void add_row(struct visits *v, struct ml_time_matching *m,
		    const struct ml_ensemble *e, const struct ml_milestones *const *row,
		    struct ml_arena *a)
{
	size_t min = SIZE_MAX, max = 0;

	for (size_t t = 0; t < e->trace_count; t++) {
		min = row[t]->count < min ? row[t]->count : min;
		max = row[t]->count > max ? row[t]->count : max;
	}
	if (min != max)
		say_unequal(m, e, row, min, max, a);
	v->at = ml_grow(v->at, &v->cap, v->count + min, sizeof(*v->at));
	uint64_t *at = ml_arena_alloc(a, min * e->trace_count * sizeof(*at));
	for (size_t k = 0; k < min; k++, at += e->trace_count) {
		for (size_t t = 0; t < e->trace_count; t++)
			at[t] = row[t]->at[k];
		v->at[v->count++] = (struct visit){ row[m->base]->name, k + 1, at,
						    at[m->base] };
	}
}

static bool add_pairs(struct visits *v, struct ml_time_matching *m,
		      const struct ml_ensemble *e, const char *const *const *pairs,
		      size_t count, struct ml_arena *a, struct ml_err *err)
{
	const struct ml_milestones **row = ml_arena_alloc(a,
							  e->trace_count * sizeof(*row));

	for (size_t i = 0; i < count; i++) {
		for (size_t t = 0; t < e->trace_count; t++) {
			row[t] = find(&e->traces[t], pairs[i][t]);
			if (!row[t])
				return ml_fail(err, ML_USAGE,
					       "%s has no milestone '%s'; it has %s",
					       e->traces[t].label, pairs[i][t],
					       list(&e->traces[t], a));
		}
		add_row(v, m, e, row, a);
	}
	return true;
}

static void add_common(struct visits *v, struct ml_time_matching *m,
		       const struct ml_ensemble *e, struct ml_arena *a)
{
	const struct ml_milestones **row = ml_arena_alloc(a,
							  e->trace_count * sizeof(*row));
	const struct ml_ensemble_trace *first = &e->traces[0];

	for (size_t i = 0; i < first->milestone_count; i++) {
		bool all = true;

		for (size_t t = 0; t < e->trace_count && all; t++) {
			row[t] = find(&e->traces[t], first->milestones[i].name);
			all = row[t] != NULL;
		}
		if (all)
			add_row(v, m, e, row, a);
	}
}

static int by_base(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	return x->base < y->base ? -1 : x->base > y->base;
}

/* Whether this visit comes after the knots so far, in all traces. */
static bool follows(const struct ml_time_matching *m, const struct ml_ensemble *e,
		    const struct visit *v)
{
	size_t last = m->knots - 1;

	if (v->base <= m->at[m->base][last] ||
	    v->base >= ml_ensemble_refs(&e->traces[m->base]))
		return false;
	for (size_t t = 0; t < e->trace_count; t++)
		if (v->at[t] < m->at[t][last] ||
		    v->at[t] > ml_ensemble_refs(&e->traces[t]))
			return false;
	return true;
}

static void add_knot(struct ml_time_matching *m, const struct ml_ensemble *e,
		     const struct visit *v)
{
	for (size_t t = 0; t < e->trace_count; t++)
		m->at[t][m->knots] = v->at[t];
	m->name[m->knots] = v->name;
	m->visit[m->knots++] = v->number;
}

static void tie(struct ml_time_matching *m, const struct ml_ensemble *e, struct visits *v,
		struct ml_arena *a)
{
	size_t room = v->count + 2, left_out = 0;

	m->at = ml_arena_alloc(a, e->trace_count * sizeof(*m->at));
	for (size_t t = 0; t < e->trace_count; t++)
		m->at[t] = ml_arena_alloc(a, room * sizeof(**m->at));
	m->name = ml_arena_alloc(a, room * sizeof(*m->name));
	m->visit = ml_arena_alloc(a, room * sizeof(*m->visit));
	m->name[0] = "start";
	m->knots = 1;
	if (v->count)
		qsort(v->at, v->count, sizeof(*v->at), by_base);
	for (size_t i = 0; i < v->count; i++) {
		if (follows(m, e, &v->at[i]))
			add_knot(m, e, &v->at[i]);
		else if (v->at[i].base > 0) /* the start is already a knot */
			left_out++;
	}
	for (size_t t = 0; t < e->trace_count; t++)
		m->at[t][m->knots] = ml_ensemble_refs(&e->traces[t]);
	m->name[m->knots++] = "end";
	if (left_out)
		say(m, a,
		    ml_arena_printf(
			    a,
			    "%zu milestone%s not used: the traces come to them in "
			    "another order",
			    left_out, left_out == 1 ? " is" : "s are"));
}

static uint32_t longest(const struct ml_ensemble *e)
{
	uint32_t best = 0;

	for (uint32_t t = 1; t < e->trace_count; t++)
		if (ml_ensemble_refs(&e->traces[t]) > ml_ensemble_refs(&e->traces[best]))
			best = t;
	return best;
}

static bool nothing_common(const struct ml_ensemble *e, struct ml_arena *a,
			   struct ml_err *err)
{
	return ml_fail(
		err, ML_USAGE,
		"the traces have no milestone in common: %s has %s, %s has %s; say "
		"which are the same, as in a.c:12=b.c:20",
		e->traces[0].label, list(&e->traces[0], a), e->traces[1].label,
		list(&e->traces[1], a));
}

bool ml_time_match(struct ml_time_matching *m, const struct ml_ensemble *e,
		   enum ml_time_match_how how, const char *const *const *pairs,
		   size_t count, uint32_t base, struct ml_arena *a, struct ml_err *err)
{
	struct visits v = { 0 };
	bool ok = true;

	*m = (struct ml_time_matching){ .how = how,
					.base = how == ML_TIME_MATCH_RAW ? longest(e)
									 : base };
	if (!e->trace_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no traces");
	if (m->base >= e->trace_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no trace %u", m->base);
	if (how == ML_TIME_MATCH_MILESTONES) {
		if (pairs)
			ok = add_pairs(&v, m, e, pairs, count, a, err);
		else
			add_common(&v, m, e, a);
		if (ok && !v.count && e->trace_count > 1)
			ok = nothing_common(e, a, err);
	}
	if (ok)
		tie(m, e, &v, a);
	ml_free(v.at);
	return ok;
}

static double refs_of(const struct ml_time_matching *m, uint32_t trace)
{
	return (double)m->at[trace][m->knots - 1];
}

/* The last knot, but for the end, at or before a position. */
static size_t stretch(const uint64_t *at, size_t knots, double position)
{
	uint64_t whole = position > 0 ? (uint64_t)position : 0;

	return ml_search_last(at, knots - 1, sizeof(*at), 0, whole);
}

/* Maps a position among the knots `from` to the knots `to`. */
static double carry(const uint64_t *from, const uint64_t *to, size_t knots,
		    double position)
{
	size_t k = stretch(from, knots, position);
	double length = (double)(from[k + 1] - from[k]);
	double part = length > 0 ? (position - (double)from[k]) / length : 0;

	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return (double)to[k] + part * (double)(to[k + 1] - to[k]);
}

double ml_time_match_position(const struct ml_time_matching *m, uint32_t trace,
			      double common)
{
	switch (m->how) {
	case ML_TIME_MATCH_NORMALISED: return common * refs_of(m, trace);
	case ML_TIME_MATCH_MILESTONES:
		return carry(m->at[m->base], m->at[trace], m->knots, common);
	default: return common;
	}
}

double ml_time_match_common(const struct ml_time_matching *m, uint32_t trace,
			    double position)
{
	double refs = refs_of(m, trace);

	switch (m->how) {
	case ML_TIME_MATCH_NORMALISED: return refs > 0 ? position / refs : 0;
	case ML_TIME_MATCH_MILESTONES:
		return carry(m->at[trace], m->at[m->base], m->knots, position);
	default: return position;
	}
}

double ml_time_match_end(const struct ml_time_matching *m)
{
	return m->how == ML_TIME_MATCH_NORMALISED ? 1 : refs_of(m, m->base);
}
