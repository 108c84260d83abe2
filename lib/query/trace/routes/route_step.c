#include "lib/query/trace/routes/route_step.h"

#include <string.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/selection.h"
#include "lib/query/trace/open/walk.h"

/*
 * A step leads to the next moment of some kind, or the last one before. A moment is a
 * reference of which something holds, or at which something differs from the reference
 * before it.
 */
enum by { BY_LINE, BY_REGION, BY_MISS, BY_FIRST, BY_SELECTION };

struct hunt {
	const struct ml_work *work;
	enum by by;
	unsigned level; /* BY_MISS: served by none up to this one */
	const struct ml_selection *selection;
	struct ml_user_lines places;
	uint64_t from, to; /* positions at which a moment counts */
	bool last;         /* look for the last one, not the first */
	bool any;          /* a reference was seen: */
	uint64_t before;   /* its line or region */
	uint64_t found;
	size_t sites; /* that the trace has */
};

enum { NEAR = 1 << 12, RUN = 64 };

#define NOWHERE UINT64_MAX

static bool is_moment(struct hunt *h, const struct ml_walk_events *w, size_t i)
{
	const struct ml_batch *b = w->e.refs;
	uint64_t now;
	bool is_new;

	switch (h->by) {
	case BY_MISS: return ml_outcome_served(w->e.outcome[i]) > h->level;
	case BY_FIRST: {
		enum ml_cause c = ml_outcome_cause(w->e.outcome[i], 1);

		return c == ML_CAUSE_COLD || c == ML_CAUSE_UNKNOWN;
	}
	case BY_SELECTION: return ml_selection_has(h->selection, w, i);
	case BY_LINE:
		now = ml_user_lines_line(&h->places, b->site[i], b->caller[i], &is_new);
		break;
	default: now = w->e.region[i];
	}
	bool differs = h->any && now != h->before;
	h->any = true;
	h->before = now;
	return differs;
}

static bool look(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct hunt *h = arg;

	(void)err;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		uint64_t position = w->e.position + i;

		if (!is_moment(h, w, i) || position < h->from || position >= h->to)
			continue;
		h->found = position;
		if (!h->last)
			return false;
	}
	return true;
}

/* Looks at positions [from, to); what is at from is compared with the one before. */
static bool search(struct ml_open_sim *s, struct hunt *h, uint64_t from, uint64_t to,
		   struct ml_err *err)
{
	unsigned want = h->by == BY_MISS || h->by == BY_FIRST ? ML_WALK_OUTCOMES : 0u;

	if (h->by == BY_SELECTION)
		want |= ml_selection_want(h->selection);
	h->from = from;
	h->to = to;
	h->any = false;
	return ml_walk(s, h->work, from ? from - 1 : 0, to, want, look, h, err);
}

/* Whether references of a row may be what is looked for. */
static bool may_be(const struct hunt *h, const struct ml_result_row *row)
{
	enum ml_cause c = ml_outcome_cause(row->outcome, 1);

	switch (h->by) {
	case BY_MISS: return ml_outcome_served(row->outcome) > h->level;
	case BY_FIRST: return c == ML_CAUSE_COLD || c == ML_CAUSE_UNKNOWN;
	case BY_SELECTION:
		return row->site < h->sites && ml_selection_has_row(h->selection, row);
	default: return true;
	}
}

/* Whether the moment may be among the 2^16 references of a part of the result. */
static bool in_part(struct ml_open_sim *s, const struct hunt *h, uint64_t part, bool *may,
		    struct ml_err *err)
{
	const struct ml_result_row *rows;
	size_t count;

	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_alike(&s->simulation.result, part * ML_RESULT_PART, &rows,
				  &count, err);
	*may = false;
	for (size_t i = 0; ok && !*may && i < count; i++)
		*may = may_be(h, &rows[i]);
	pthread_mutex_unlock(&s->lock);
	return ok;
}

/*
 * Searches the parts of [from, to) that may have the moment. Parts that cannot have it
 * cost next to nothing; neighbouring parts that may have it are one walk. A walk goes
 * forwards only, so a search backwards begins with walks over few parts and lengthens
 * them.
 */
static bool search_parts(struct ml_open_sim *s, struct hunt *h, uint64_t from,
			 uint64_t to, bool back, struct ml_err *err)
{
	uint64_t first = from / ML_RESULT_PART;
	uint64_t end = (to + ML_RESULT_PART - 1) / ML_RESULT_PART;
	uint64_t max = back ? 1 : RUN;
	bool ok = true;

	while (ok && first < end && h->found == NOWHERE) {
		uint64_t n = 0, low, high;
		bool may = true;

		for (; ok && may && n < max && first + n < end; n += may)
			ok = in_part(s, h, back ? end - 1 - n : first + n, &may, err);
		low = (back ? end - n : first) * ML_RESULT_PART;
		high = low + n * ML_RESULT_PART;
		if (ok && n)
			ok = search(s, h, low > from ? low : from, high < to ? high : to,
				    err);
		/* the one that ended the run need not be looked at again */
		n += !may;
		first += back ? 0 : n;
		end -= back ? n : 0;
		max = max < RUN ? 4 * max : RUN;
	}
	return ok;
}

static bool hunt(struct ml_open_sim *s, struct hunt *h, uint64_t at, bool back,
		 struct ml_err *err)
{
	bool ok;

	h->last = back;
	h->found = NOWHERE;
	h->sites = s->trace->trace.tables.sites.count;
	ml_user_lines_init(&h->places, &s->trace->trace.tables);
	/* most moments are near: before whole parts are looked at, a few references are
	 */
	if (back) {
		uint64_t near = at > NEAR ? at - NEAR : 0;

		ok = search(s, h, near, at, err) &&
		     (h->found != NOWHERE || search_parts(s, h, 0, near, true, err));
	} else
		ok = search_parts(s, h, at + 1, s->simulation.result.refs, false, err);
	ml_user_lines_release(&h->places);
	return ok;
}

/* A phase that ends with the run ends behind the last reference: no step leads there. */
static uint64_t phase_step(const struct ml_tables *t, uint64_t at, uint64_t end,
			   bool back)
{
	uint64_t found = NOWHERE;

	for (size_t i = 0; i < t->marks.count; i++) {
		uint64_t time = t->marks.at[i].time;

		if (back ? time < at && (found == NOWHERE || time > found)
			 : time > at && time < end && time < found)
			found = time;
	}
	return found;
}

bool ml_route_step(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_answer *a, struct ml_err *err)
{
	static const char *const names[] = {
		[BY_LINE] = "line",   [BY_REGION] = "region",       [BY_MISS] = "miss",
		[BY_FIRST] = "first", [BY_SELECTION] = "selection",
	};
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	const char *by = ml_request_text(q, "by"), *dir = ml_request_text(q, "dir");
	bool back = dir && *dir == '-';
	struct ml_selection selection;
	struct hunt h = { .work = &q->work, .selection = &selection };
	uint64_t at, level, found = NOWHERE;
	size_t i = 0;

	if (!s || !ml_request_u64(q, "at", 0, &at, err) ||
	    !ml_request_u64(q, "level", s->machine.levels, &level, err))
		return false;
	by = by ? by : "reference";
	if (!strcmp(by, "reference"))
		found = back                                 ? at ? at - 1 : NOWHERE
			: at + 1 < s->simulation.result.refs ? at + 1
							     : NOWHERE;
	else if (!strcmp(by, "phase"))
		found = phase_step(&s->trace->trace.tables, at, s->simulation.result.refs,
				   back);
	else {
		while (i < sizeof(names) / sizeof(*names) && strcmp(names[i], by) != 0)
			i++;
		if (i == sizeof(names) / sizeof(*names))
			return ml_fail(err, ML_USAGE, "a step by %s is not known", by);
		h.by = (enum by)i;
		h.level = (unsigned)level;
		if ((h.by == BY_SELECTION &&
		     !ml_selection_read(&selection, q, s->trace, &a->arena, err)) ||
		    !hunt(s, &h, at, back, err))
			return false;
		found = h.found;
	}
	ml_json_object(&a->json);
	ml_json_key(&a->json, "at");
	if (found == NOWHERE)
		ml_json_null(&a->json);
	else
		ml_json_u64(&a->json, found);
	ml_json_end(&a->json);
	return true;
}
