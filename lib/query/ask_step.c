#include "lib/query/ask_step.h"

#include <string.h>

#include "lib/analyse/places.h"
#include "lib/query/desk_sims.h"
#include "lib/query/selection.h"
#include "lib/query/walk.h"

/*
 * A step leads to the next moment of some kind, or the last one before. A moment is a
 * reference of which something holds, or at which something differs from the reference
 * before it.
 */
enum by { BY_LINE, BY_REGION, BY_MISS, BY_FIRST, BY_SELECTION };

struct hunt {
	enum by by;
	unsigned level; /* BY_MISS: served by none up to this one */
	const struct ml_selection *selection;
	struct ml_places places;
	uint64_t from, to; /* positions at which a moment counts */
	bool last;         /* look for the last one, not the first */
	bool any;          /* a reference was seen: */
	uint64_t before;   /* its line or region */
	uint64_t found;
};

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
		now = ml_places_line(&h->places, b->site[i], b->caller[i], &is_new);
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
static bool search(struct ml_desk_sim *s, struct hunt *h, uint64_t from, uint64_t to,
		   struct ml_err *err)
{
	unsigned want = h->by == BY_MISS || h->by == BY_FIRST ? ML_WALK_OUTCOMES : 0u;

	if (h->by == BY_SELECTION)
		want |= ml_selection_want(h->selection);
	h->from = from;
	h->to = to;
	h->any = false;
	return ml_walk(s, from ? from - 1 : 0, to, want, look, h, err);
}

static bool hunt(struct ml_desk_sim *s, struct hunt *h, uint64_t at, bool back,
		 struct ml_err *err)
{
	uint64_t stretch = 1 << 12;
	bool ok = true;

	h->last = back;
	h->found = NOWHERE;
	ml_places_init(&h->places, &s->trace->trace.tables);
	if (!back)
		ok = search(s, h, at + 1, s->result.refs, err);
	else
		/* backwards in stretches that grow: a walk goes forwards only */
		for (uint64_t end = at; ok && end && h->found == NOWHERE; stretch *= 4) {
			uint64_t from = end > stretch ? end - stretch : 0;

			ok = search(s, h, from, end, err);
			end = from;
		}
	ml_places_release(&h->places);
	return ok;
}

/* What ends with the run, behind its last reference, is no place to go to. */
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

bool ml_ask_step(struct ml_desk *d, const struct ml_ask *q, struct ml_answer *a,
		 struct ml_err *err)
{
	static const char *const names[] = {
		[BY_LINE] = "line",   [BY_REGION] = "region",       [BY_MISS] = "miss",
		[BY_FIRST] = "first", [BY_SELECTION] = "selection",
	};
	struct ml_desk_sim *s = ml_desk_sim_ready(d, q->number[0], err);
	const char *by = ml_ask_text(q, "by"), *dir = ml_ask_text(q, "dir");
	bool back = dir && *dir == '-';
	struct ml_selection selection;
	struct hunt h = { .selection = &selection };
	uint64_t at, level, found = NOWHERE;
	size_t i = 0;

	if (!s || !ml_ask_u64(q, "at", 0, &at, err) ||
	    !ml_ask_u64(q, "level", s->machine.levels, &level, err))
		return false;
	by = by ? by : "reference";
	if (!strcmp(by, "reference"))
		found = back                      ? at ? at - 1 : NOWHERE
			: at + 1 < s->result.refs ? at + 1
						  : NOWHERE;
	else if (!strcmp(by, "phase"))
		found = phase_step(&s->trace->trace.tables, at, s->result.refs, back);
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
