/* Saves and restores a walk. */
#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/analyse/ensemble/ensemble_walk_parts.h"
#include "lib/trace/trace.h"

enum { STATE_VERSION = 2 };

/* The number of bins that have begun at a position. */
static size_t begun(const struct ml_ensemble_walk *w, uint64_t position)
{
	return position ? (size_t)((position - 1) >> w->window->bits) + 1 : 0;
}

void ml_ensemble_walk_save(const struct ml_ensemble_walk *w, struct ml_buf *out)
{
	size_t bins = begun(w, w->position);
	struct ml_buf state = { 0 };

	ml_buf_varint(out, STATE_VERSION);
	ml_buf_varint(out, w->group.count);
	for (size_t i = 0; i < w->group.count; i++)
		ml_buf_string(out, w->e->members[w->group.member[i]].machine);
	for (size_t i = 0; i < w->decoder.futures; i++)
		ml_buf_varint(out, w->decoder.future[i].requests);
	for (size_t i = 0; i < w->unit_count; i++) {
		const struct ml_ensemble_unit *u = &w->units[i];

		if (u->stack) {
			ml_stack_save(u->stack, bins, out);
			continue;
		}
		const struct ml_member *m = &w->e->members[u->member];
		for (unsigned s = 1; !u->tlbs_only && s <= m->parsed.levels + 1; s++)
			for (size_t k = 0; k < bins; k++)
				ml_buf_varint(out, m->served[s][k]);
		for (size_t k = 0; m->beyond && k < bins; k++)
			ml_buf_zigzag(out, m->beyond[k]);
		state.size = 0;
		if (u->engine)
			ml_engine_save(u->engine, &state);
		else if (u->state.at)
			ml_buf_put(&state, u->state.at,
				   (size_t)(u->state.end - u->state.at));
		ml_buf_varint(out, state.size);
		ml_buf_put(out, state.data, state.size);
	}
	ml_buf_release(&state);
}

static bool restore_simulator(struct ml_ensemble_walk *w, struct ml_ensemble_unit *u,
			      size_t bins, struct ml_bytes *in)
{
	struct ml_member *m = &w->e->members[u->member];

	for (unsigned s = 1; !u->tlbs_only && s <= m->parsed.levels + 1; s++)
		for (size_t k = 0; k < bins && !in->bad; k++)
			m->served[s][k] = (uint32_t)ml_bytes_varint(in);
	for (size_t k = 0; m->beyond && k < bins && !in->bad; k++)
		m->beyond[k] = ml_bytes_zigzag(in);
	uint64_t size = ml_bytes_varint(in);
	const uint8_t *at = size <= (uint64_t)(in->end - in->at) ? ml_bytes_take(in, size)
								 : NULL;
	if (!at)
		return false;
	/* kept until some thread opens the simulator */
	if (size)
		u->state = (struct ml_bytes){ at, at + size, false };
	return true;
}

static const char *get_string(struct ml_bytes *in, struct ml_arena *a)
{
	uint64_t size = ml_bytes_varint(in);
	const uint8_t *at = size <= (uint64_t)(in->end - in->at) ? ml_bytes_take(in, size)
								 : NULL;

	in->bad |= !at;
	return at ? ml_arena_copy(a, at, size) : "";
}

static bool get_members(struct ml_bytes *in, struct ml_arena *a, const char ***machine,
			size_t *count)
{
	uint64_t version = ml_bytes_varint(in), n = ml_bytes_varint(in);

	if (in->bad || version != STATE_VERSION || n > (uint64_t)(in->end - in->at))
		return false;
	*count = (size_t)n;
	*machine = ml_arena_alloc(a, (*count + 1) * sizeof(**machine));
	for (size_t i = 0; i < *count; i++)
		(*machine)[i] = get_string(in, a);
	return !in->bad;
}

bool ml_ensemble_state_members(const struct ml_ensemble_state *s, struct ml_arena *a,
			       const char ***machine, size_t *count)
{
	const uint8_t *data = s->data;
	struct ml_bytes in = { data, data + s->size, false };

	return get_members(&in, a, machine, count);
}

bool ml_ensemble_walk_restore(struct ml_ensemble_walk *w, struct ml_err *err)
{
	struct ml_bytes in = { w->group.data, w->group.data + w->group.size, false };
	size_t count, bins = begun(w, w->position);
	struct ml_arena a = { 0 };
	const char **machine;
	bool ok = get_members(&in, &a, &machine, &count) && count == w->group.count;

	ml_arena_release(&a);
	for (size_t i = 0; ok && i < w->decoder.futures; i++)
		ok = ml_ensemble_future_seek(&w->decoder, i, ml_bytes_varint(&in));
	for (size_t i = 0; ok && i < w->unit_count; i++) {
		struct ml_ensemble_unit *u = &w->units[i];

		ok = u->stack ? ml_stack_restore(u->stack, bins, &in)
			      : restore_simulator(w, u, bins, &in);
	}
	return (ok && !in.bad && in.at == in.end) ||
	       ml_fail(err, ML_FORMAT,
		       "the state of the members of %s that were under way is damaged",
		       w->window->label);
}
