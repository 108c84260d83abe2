#include "lib/analyse/ensemble/ensemble.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/analyse/ensemble/ensemble_surcharge.h"
#include "lib/base/buf.h"
#include "lib/base/map.h"
#include "lib/base/path.h"
#include "lib/trace/trace.h"

void ml_ensemble_init(struct ml_ensemble *e)
{
	*e = (struct ml_ensemble){ 0 };
}

static void release_trace(struct ml_ensemble_trace *t)
{
	for (size_t k = 0; k < t->milestone_count; k++)
		ml_free(t->milestones[k].at);
	ml_free(t->milestones);
}

static void clear_states(struct ml_ensemble *e)
{
	for (size_t i = 0; i < e->state_count; i++)
		ml_free((void *)e->states[i].data);
	e->state_count = 0;
}

void ml_ensemble_release(struct ml_ensemble *e)
{
	for (size_t i = 0; i < e->trace_count; i++)
		release_trace(&e->traces[i]);
	for (size_t i = 0; i < e->member_count; i++)
		ml_free(e->members[i].params);
	clear_states(e);
	ml_free(e->states);
	ml_free(e->choices);
	ml_free(e->traces);
	ml_free(e->members);
	ml_arena_release(&e->arena);
	*e = (struct ml_ensemble){ 0 };
}

uint64_t ml_ensemble_refs(const struct ml_ensemble_trace *t)
{
	return t->to - t->from;
}

uint64_t ml_ensemble_bin_refs(const struct ml_ensemble_trace *t, size_t bin)
{
	uint64_t first = (uint64_t)bin << t->bits, left = ml_ensemble_refs(t) - first;

	assert(bin < t->bins);
	return left >> t->bits ? (uint64_t)1 << t->bits : left;
}

static void set_bins(struct ml_ensemble_trace *t, size_t max)
{
	uint64_t refs = ml_ensemble_refs(t);

	t->bits = 0;
	while (refs && (refs - 1) >> t->bits >= max)
		t->bits++;
	t->bins = refs ? (size_t)((refs - 1) >> t->bits) + 1 : 0;
}

static struct ml_ensemble_trace *
find_trace(const struct ml_ensemble *e, const uint8_t id[16], uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < e->trace_count; i++) {
		struct ml_ensemble_trace *t = &e->traces[i];

		if (!memcmp(t->id, id, sizeof(t->id)) && t->from == from && t->to == to)
			return t;
	}
	return NULL;
}

/* The name of a file without folder and ending. */
static const char *short_name(struct ml_ensemble *e, const char *path)
{
	const char *name = ml_path_name(path), *dot = strrchr(name, '.');

	return ml_arena_copy(&e->arena, name,
			     dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

struct ml_ensemble_trace *ml_ensemble_new_trace(struct ml_ensemble *e)
{
	e->traces = ml_grow(e->traces, &e->trace_cap, e->trace_count + 1,
			    sizeof(*e->traces));
	return &e->traces[e->trace_count++];
}

uint32_t ml_ensemble_add_trace(struct ml_ensemble *e, const struct ml_trace *t,
			       const char *label, uint64_t from, uint64_t to, size_t bins)
{
	if (!to || to > t->count)
		to = t->count;
	if (from > to)
		from = to;
	struct ml_ensemble_trace *x = find_trace(e, t->id, from, to);
	if (!x) {
		x = ml_ensemble_new_trace(e);
		x->path = ml_arena_strdup(&e->arena, t->path);
		x->label = label ? ml_arena_strdup(&e->arena, label)
				 : short_name(e, t->path);
		x->from = from;
		x->to = to;
		memcpy(x->id, t->id, sizeof(x->id));
		set_bins(x, bins ? bins : ML_ENSEMBLE_BINS);
	}
	return (uint32_t)(x - e->traces);
}

static uint64_t key_of(uint32_t trace, const char *machine)
{
	return ml_hash(machine, strlen(machine)) + trace * 0x9e3779b97f4a7c15u;
}

size_t ml_ensemble_member(const struct ml_ensemble *e, uint32_t trace,
			  const char *machine)
{
	uint64_t key = key_of(trace, machine);

	for (size_t i = 0; i < e->member_count; i++)
		if (e->members[i].key == key && e->members[i].trace == trace &&
		    !strcmp(e->members[i].machine, machine))
			return i;
	return SIZE_MAX;
}

struct ml_member *ml_ensemble_new_member(struct ml_ensemble *e, uint32_t trace,
					 const char *machine,
					 const struct ml_machine *parsed)
{
	e->members = ml_grow(e->members, &e->member_cap, e->member_count + 1,
			     sizeof(*e->members));
	struct ml_member *m = &e->members[e->member_count++];
	m->label = "";
	m->trace = trace;
	m->machine = ml_arena_strdup(&e->arena, machine);
	m->parsed = *parsed;
	m->key = key_of(trace, machine);
	return m;
}

void ml_ensemble_add_param(struct ml_ensemble *e, struct ml_member *m, const char *name,
			   const char *value, double number)
{
	m->params = ml_grow(m->params, &m->param_cap, m->param_count + 1,
			    sizeof(*m->params));
	m->params[m->param_count++] = (struct ml_parameter){
		ml_arena_strdup(&e->arena, name),
		ml_arena_strdup(&e->arena, value),
		number,
	};
}

bool ml_ensemble_add_member(struct ml_ensemble *e, uint32_t trace,
			    const struct ml_machine *m, const struct ml_parameter *params,
			    size_t count)
{
	struct ml_buf text = { 0 };
	struct ml_machine nameless = *m;

	assert(trace < e->trace_count);
	memset(nameless.name, 0, sizeof(nameless.name));
	ml_machine_print(m, &text);
	ml_buf_u8(&text, 0);
	const char *machine = (const char *)text.data;
	bool is_new = ml_ensemble_member(e, trace, machine) == SIZE_MAX;
	if (is_new) {
		struct ml_member *x = ml_ensemble_new_member(e, trace, machine,
							     &nameless);

		for (size_t i = 0; params && i < count; i++)
			ml_ensemble_add_param(e, x, params[i].name, params[i].value,
					      params[i].number);
	}
	ml_buf_release(&text);
	return is_new;
}

void ml_ensemble_make_series(struct ml_ensemble *e, struct ml_member *m)
{
	size_t size = e->traces[m->trace].bins * sizeof(**m->served);

	for (unsigned s = 1; s <= m->parsed.levels + 1; s++) {
		if (!m->served[s]) /* a member that was stopped has some */
			m->served[s] = ml_arena_alloc(&e->arena, size + 1);
		memset(m->served[s], 0, size);
		m->total[s] = 0;
	}
	if (!ml_ensemble_surcharged(&m->parsed))
		return;
	size = e->traces[m->trace].bins * sizeof(*m->beyond);
	if (!m->beyond)
		m->beyond = ml_arena_alloc(&e->arena, size + 1);
	memset(m->beyond, 0, size);
	m->beyond_total = 0;
}

double ml_member_cycles(const struct ml_member *m)
{
	uint64_t refs = 0;

	for (unsigned s = 1; s <= m->parsed.levels + 1; s++)
		refs += m->total[s];
	return ml_profile_cycles(&m->parsed, m->total) +
	       (refs ? (double)m->beyond_total / (double)refs : 0);
}

void ml_ensemble_finish(const struct ml_ensemble *e, struct ml_member *m)
{
	size_t bins = e->traces[m->trace].bins;

	for (unsigned s = 1; s <= m->parsed.levels + 1; s++) {
		m->total[s] = 0;
		for (size_t i = 0; i < bins; i++)
			m->total[s] += m->served[s][i];
	}
	m->beyond_total = 0;
	for (size_t i = 0; m->beyond && i < bins; i++)
		m->beyond_total += m->beyond[i];
	m->done = true;
}

/* ---- states ---- */

void ml_ensemble_add_state(struct ml_ensemble *e, uint32_t trace, uint64_t position,
			   const void *data, size_t size)
{
	e->states = ml_grow(e->states, &e->state_cap, e->state_count + 1,
			    sizeof(*e->states));
	e->states[e->state_count++] = (struct ml_ensemble_state){
		trace,
		position,
		memcpy(ml_resize(NULL, size + 1), data, size),
		size,
	};
}

void ml_ensemble_drop_state(struct ml_ensemble *e, size_t state)
{
	ml_free((void *)e->states[state].data);
	e->state_count--;
	memmove(&e->states[state], &e->states[state + 1],
		(e->state_count - state) * sizeof(*e->states));
}

/* ---- choices ---- */

static struct ml_ensemble_choice *find_choice(const struct ml_ensemble *e,
					      const char *name)
{
	for (size_t i = 0; i < e->choice_count; i++)
		if (!strcmp(e->choices[i].name, name))
			return &e->choices[i];
	return NULL;
}

void ml_ensemble_choose(struct ml_ensemble *e, const char *name, const char *value)
{
	struct ml_ensemble_choice *c = find_choice(e, name);

	if (!c) {
		e->choices = ml_grow(e->choices, &e->choice_cap, e->choice_count + 1,
				     sizeof(*e->choices));
		c = &e->choices[e->choice_count++];
		c->name = ml_arena_copy(&e->arena, name, strlen(name));
	}
	c->value = ml_arena_copy(&e->arena, value, strlen(value));
}

/* ---- finding ---- */

/* Whether all words of text are words of label. */
static bool has_words(const char *label, const char *text)
{
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t size = strcspn(text, " ");
		const char *at = label + strspn(label, " ");

		while (*at && (strcspn(at, " ") != size || memcmp(at, text, size))) {
			at += strcspn(at, " ");
			at += strspn(at, " ");
		}
		if (!*at)
			return false;
		text += size;
	}
	return true;
}

/* Lists the labels that match, as many as fit into a sentence. */
static void list(const struct ml_ensemble *e, const char *words, char *room, size_t size)
{
	size_t used = 0;

	room[0] = 0;
	for (size_t i = 0; i < e->member_count; i++) {
		if (words && !has_words(e->members[i].label, words))
			continue;
		int n = snprintf(room + used, size - used, "%s%s", used ? ", " : "",
				 e->members[i].label);

		if (n < 0 || (size_t)n + 8 >= size - used) {
			snprintf(room + used, size - used, ", ...");
			return;
		}
		used += (size_t)n;
	}
}

bool ml_ensemble_find(const struct ml_ensemble *e, const char *text, size_t *member,
		      struct ml_err *err)
{
	size_t found = 0;
	char *end, labels[600];

	for (size_t i = 0; i < e->member_count; i++)
		if (!strcmp(e->members[i].label, text)) {
			*member = i;
			return true;
		}
	if (text[strspn(text, " ")])
		for (size_t i = 0; i < e->member_count; i++)
			if (has_words(e->members[i].label, text)) {
				*member = i;
				found++;
			}
	if (found == 1)
		return true;
	unsigned long long number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && number < e->member_count) {
		*member = (size_t)number;
		return true;
	}
	list(e, found ? text : NULL, labels, sizeof(labels));
	return found ? ml_fail(err, ML_USAGE, "'%.100s' may be any of %zu members: %s",
			       text, found, labels)
		     : ml_fail(err, ML_USAGE, "there is no member '%.100s'; there %s: %s",
			       text, e->member_count == 1 ? "is" : "are", labels);
}

/* ---- merging ---- */

struct ml_milestones *ml_ensemble_new_milestones(struct ml_ensemble *e,
						 struct ml_ensemble_trace *t,
						 const char *name)
{
	for (size_t i = 0; i < t->milestone_count; i++)
		if (!strcmp(t->milestones[i].name, name))
			return NULL;
	t->milestones = ml_grow(t->milestones, &t->milestone_cap, t->milestone_count + 1,
				sizeof(*t->milestones));
	struct ml_milestones *m = &t->milestones[t->milestone_count++];
	m->name = ml_arena_strdup(&e->arena, name);
	return m;
}

static void merge_milestones(struct ml_ensemble *e, struct ml_ensemble_trace *t,
			     const struct ml_ensemble_trace *from)
{
	for (size_t i = 0; i < from->milestone_count; i++) {
		const struct ml_milestones *m = &from->milestones[i];
		struct ml_milestones *x = ml_ensemble_new_milestones(e, t, m->name);

		if (!x)
			continue;
		x->at = ml_grow(NULL, &x->cap, m->count, sizeof(*x->at));
		x->count = m->count;
		if (m->count)
			memcpy(x->at, m->at, m->count * sizeof(*x->at));
	}
}

static void merge_member(struct ml_ensemble *e, uint32_t trace, const struct ml_member *m)
{
	size_t bins = e->traces[trace].bins;
	size_t at = ml_ensemble_member(e, trace, m->machine);

	if (at == SIZE_MAX) {
		struct ml_member *x = ml_ensemble_new_member(e, trace, m->machine,
							     &m->parsed);

		at = e->member_count - 1;
		for (size_t i = 0; i < m->param_count; i++)
			ml_ensemble_add_param(e, x, m->params[i].name, m->params[i].value,
					      m->params[i].number);
	}
	struct ml_member *x = &e->members[at];
	if (x->done || !m->done)
		return;
	ml_ensemble_make_series(e, x);
	for (unsigned s = 1; s <= x->parsed.levels + 1; s++)
		if (bins)
			memcpy(x->served[s], m->served[s], bins * sizeof(*x->served[s]));
	if (x->beyond && m->beyond && bins)
		memcpy(x->beyond, m->beyond, bins * sizeof(*x->beyond));
	ml_ensemble_finish(e, x);
}

void ml_ensemble_drop_trace(struct ml_ensemble *e, uint32_t trace)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->member_count; i++) {
		struct ml_member m = e->members[i];

		if (m.trace == trace) {
			ml_free(m.params);
			continue;
		}
		m.trace -= m.trace > trace;
		m.key = key_of(m.trace, m.machine);
		e->members[kept++] = m;
	}
	/* entries behind the last are zero, as new members expect */
	memset(&e->members[kept], 0, (e->member_count - kept) * sizeof(*e->members));
	e->member_count = kept;
	clear_states(e); /* states refer to members by number */
	release_trace(&e->traces[trace]);
	e->trace_count--;
	memmove(&e->traces[trace], &e->traces[trace + 1],
		(e->trace_count - trace) * sizeof(*e->traces));
	memset(&e->traces[e->trace_count], 0, sizeof(*e->traces));
}

bool ml_ensemble_merge(struct ml_ensemble *e, const struct ml_ensemble *other,
		       struct ml_err *err)
{
	uint32_t *number;

	for (size_t i = 0; i < other->trace_count; i++) {
		const struct ml_ensemble_trace *t = &other->traces[i];
		const struct ml_ensemble_trace *mine = find_trace(e, t->id, t->from,
								  t->to);

		if (mine && mine->bits != t->bits)
			return ml_fail(err, ML_USAGE,
				       "%s is cut into %zu bins in one ensemble and into "
				       "%zu in the other: simulate it anew to merge them",
				       mine->label, mine->bins, t->bins);
	}
	number = ml_resize(NULL, (other->trace_count + 1) * sizeof(*number));
	for (size_t i = 0; i < other->trace_count; i++) {
		const struct ml_ensemble_trace *t = &other->traces[i];
		struct ml_ensemble_trace *mine = find_trace(e, t->id, t->from, t->to);

		if (!mine) {
			mine = ml_ensemble_new_trace(e);
			mine->path = ml_arena_strdup(&e->arena, t->path);
			mine->label = ml_arena_strdup(&e->arena, t->label);
			memcpy(mine->id, t->id, sizeof(mine->id));
			mine->from = t->from;
			mine->to = t->to;
			mine->bits = t->bits;
			mine->bins = t->bins;
		}
		merge_milestones(e, mine, t);
		number[i] = (uint32_t)(mine - e->traces);
	}
	for (size_t i = 0; i < other->member_count; i++)
		merge_member(e, number[other->members[i].trace], &other->members[i]);
	for (size_t i = 0; i < other->state_count; i++)
		ml_ensemble_add_state(e, number[other->states[i].trace],
				      other->states[i].position, other->states[i].data,
				      other->states[i].size);
	ml_free(number);
	for (size_t i = 0; i < other->choice_count; i++)
		if (!find_choice(e, other->choices[i].name))
			ml_ensemble_choose(e, other->choices[i].name,
					   other->choices[i].value);
	ml_ensemble_label(e);
	return true;
}
