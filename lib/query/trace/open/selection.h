/*
 * A selection of references, as the page asks for it (docs/api.md). A reference is
 * selected if it meets every condition given. Without a condition all references are
 * selected.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/result/result_rows.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/query/trace/open/walk.h"

struct ml_open_trace;
struct ml_request;

struct ml_selection {
	bool any;    /* there is a condition */
	bool *sites; /* NULL: all. By site, of the line that a reference belongs to */
	bool regions, threads, kinds, levels, causes, offsets; /* given */
	uint32_t region;
	uint16_t thread;
	unsigned kind, level, cause;
	uint64_t low, high; /* bytes of the region: [low, high) */
};

/* Reads the parameters line, func, region, thread, offset, kind, level and cause. */
bool ml_selection_read(struct ml_selection *s, const struct ml_request *q,
		       const struct ml_open_trace *t, struct ml_arena *a,
		       struct ml_err *err);

/* The parts of a reference that a walk must supply, to decide about it. */
unsigned ml_selection_want(const struct ml_selection *s);

static inline bool ml_selection_has_cause(const struct ml_selection *s, uint16_t outcome)
{
	unsigned level = 1;

	while (level <= ML_LEVELS && ml_outcome_cause(outcome, level) != s->cause)
		level++;
	return level <= ML_LEVELS;
}

/* Are the references of a row selected? Offsets are not considered. */
static inline bool ml_selection_has_row(const struct ml_selection *s,
					const struct ml_result_row *r)
{
	return (!s->sites || s->sites[r->site]) &&
	       (!s->regions || r->region == s->region) &&
	       (!s->threads || r->thread == s->thread) &&
	       (!s->kinds || r->kind == s->kind) &&
	       (!s->levels || ml_outcome_served(r->outcome) == s->level) &&
	       (!s->causes || ml_selection_has_cause(s, r->outcome));
}

/* Is reference i of a batch selected? */
static inline bool ml_selection_has(const struct ml_selection *s,
				    const struct ml_walk_events *w, size_t i)
{
	const struct ml_batch *b = w->e.refs;

	if (s->sites && !s->sites[b->caller[i] ? b->caller[i] : b->site[i]])
		return false;
	if (s->regions && w->e.region[i] != s->region)
		return false;
	if (s->threads && b->thread[i] != s->thread)
		return false;
	if (s->kinds && ml_what_kind(b->what[i]) != s->kind)
		return false;
	if (s->levels && ml_outcome_served(w->e.outcome[i]) != s->level)
		return false;
	if (s->causes && !ml_selection_has_cause(s, w->e.outcome[i]))
		return false;
	return !s->offsets || (w->offset[i] < s->high &&
			       w->offset[i] + ml_what_size(b->what[i]) > s->low);
}
