/*
 * Ensembles written down by hand: traces of so many references in bins, members whose
 * counts are given.
 */
#pragma once

#include "lib/analyse/ensemble/ensemble.h"
#include "tests/test.h"

static inline uint32_t hand_trace(struct ml_ensemble *e, const char *label, uint64_t refs,
				  unsigned bits)
{
	e->traces = ml_grow(e->traces, &e->trace_cap, e->trace_count + 1,
			    sizeof(*e->traces));
	e->traces[e->trace_count] = (struct ml_ensemble_trace){
		.path = "", .label = label, .to = refs, .bits = bits
	};
	e->traces[e->trace_count].bins = (size_t)((refs + (1ull << bits) - 1) >> bits);
	return (uint32_t)e->trace_count++;
}

/* Milestones of the last trace that was added. */
static inline void hand_milestones(struct ml_ensemble *e, const char *name, size_t count,
				   const uint64_t *at)
{
	struct ml_ensemble_trace *t = &e->traces[e->trace_count - 1];

	t->milestones = ml_grow(t->milestones, &t->milestone_cap, t->milestone_count + 1,
				sizeof(*t->milestones));
	struct ml_milestones *m = &t->milestones[t->milestone_count++];
	m->name = name;
	m->at = ml_grow(NULL, &m->cap, count, sizeof(*m->at));
	m->count = count;
	memcpy(m->at, at, count * sizeof(*at));
}

/*
 * A member of which missed[bin] references were served by memory, all others by the
 * first level; its machine must have one level.
 */
static inline uint32_t hand_member(struct ml_ensemble *e, uint32_t trace,
				   const char *machine, const uint32_t *missed)
{
	const struct ml_ensemble_trace *t = &e->traces[trace];
	struct ml_err wrong;

	e->members = ml_grow(e->members, &e->member_cap, e->member_count + 1,
			     sizeof(*e->members));
	struct ml_member *m = &e->members[e->member_count];
	*m = (struct ml_member){
		.label = machine, .trace = trace, .machine = machine, .done = true
	};
	CHECK_OK(ml_machine_parse(&m->parsed, machine, &wrong), &wrong);
	for (unsigned k = 1; k <= m->parsed.levels + 1; k++)
		m->served[k] = ml_arena_alloc(&e->arena,
					      (t->bins + 1) * sizeof(**m->served));
	for (size_t b = 0; b < t->bins; b++) {
		m->served[1][b] = (uint32_t)ml_ensemble_bin_refs(t, b) - missed[b];
		m->served[m->parsed.levels + 1][b] = missed[b];
		m->total[1] += m->served[1][b];
		m->total[m->parsed.levels + 1] += missed[b];
	}
	return (uint32_t)e->member_count++;
}

static inline void hand_param(struct ml_ensemble *e, uint32_t member, const char *name,
			      const char *value, double number)
{
	struct ml_member *m = &e->members[member];

	m->params = ml_grow(m->params, &m->param_cap, m->param_count + 1,
			    sizeof(*m->params));
	m->params[m->param_count++] = (struct ml_parameter){ name, value, number };
}
