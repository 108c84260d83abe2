#include "lib/cache/engine.h"

#include <assert.h>

#include "lib/base/arena.h"

extern const struct ml_engine_kind ml_engine_fast_lru, ml_engine_lean_lru,
	ml_engine_explain_lru, ml_engine_exact;

const struct ml_engine_kind *const ml_engines[] = {
	&ml_engine_fast_lru,
	&ml_engine_lean_lru,
	&ml_engine_explain_lru,
	&ml_engine_exact,
	NULL,
};

struct ml_engine *ml_engine_open(const struct ml_machine *m,
				 const struct ml_engine_job *j, struct ml_err *err)
{
	const struct ml_engine_kind *const *k = ml_engines;

	while (k[1] && (j->slow || (*k)->refuses(m, j)))
		k++;
	return ml_engine_open_as(*k, m, j, err);
}

struct ml_engine *ml_engine_open_as(const struct ml_engine_kind *kind,
				    const struct ml_machine *m,
				    const struct ml_engine_job *j, struct ml_err *err)
{
	assert(!kind->refuses(m, j));

	void *state = kind->open(m, j, err);

	if (!state)
		return NULL;
	struct ml_engine *e = ml_resize(NULL, sizeof(*e));
	*e = (struct ml_engine){ .kind = kind, .state = state };
	return e;
}

void ml_engine_close(struct ml_engine *e)
{
	if (!e)
		return;
	ml_engine_carry_close(e, e->carry);
	e->kind->close(e->state);
	ml_free(e);
}

size_t ml_engine_piece(const struct ml_engine *e)
{
	return e->kind->piece;
}

bool ml_engine_sums(const struct ml_engine *e)
{
	return e->kind->sums;
}

void ml_engine_observe(struct ml_engine *e, const struct ml_observer *o,
		       struct ml_event_sums *sums)
{
	if (e->kind->observe)
		e->kind->observe(e->state, o, sums);
}

unsigned ml_engine_stages(const struct ml_engine *e)
{
	return e->kind->stages ? e->kind->stages(e->state) : 1;
}

void *ml_engine_carry_open(const struct ml_engine *e)
{
	return e->kind->carry_open ? e->kind->carry_open() : NULL;
}

void ml_engine_carry_close(const struct ml_engine *e, void *carry)
{
	if (carry)
		e->kind->carry_close(carry);
}

bool ml_engine_stage(struct ml_engine *e, unsigned stage, const struct ml_accesses *a,
		     void *carry, uint16_t *outcome, struct ml_err *err)
{
	return e->kind->run(e->state, stage, a, carry, outcome, err);
}

bool ml_engine_run(struct ml_engine *e, const struct ml_accesses *a, uint16_t *outcome,
		   struct ml_err *err)
{
	unsigned stages = ml_engine_stages(e);

	if (!e->carry)
		e->carry = ml_engine_carry_open(e);
	for (unsigned i = 0; i < stages; i++)
		if (!ml_engine_stage(e, i, a, e->carry, outcome, err))
			return false;
	return true;
}

void ml_engine_gap(struct ml_engine *e)
{
	if (e->kind->gap)
		e->kind->gap(e->state);
}

void ml_engine_flush(struct ml_engine *e)
{
	if (e->kind->flush)
		e->kind->flush(e->state);
}

void ml_engine_counts(const struct ml_engine *e, unsigned level,
		      struct ml_level_counts *c)
{
	e->kind->counts(e->state, level, c);
}

void ml_engine_tlb_counts(const struct ml_engine *e, unsigned tlb,
			  struct ml_level_counts *c)
{
	*c = (struct ml_level_counts){ 0 };
	if (e->kind->tlb_counts)
		e->kind->tlb_counts(e->state, tlb, c);
}

void ml_engine_save(const struct ml_engine *e, struct ml_buf *out)
{
	e->kind->save(e->state, out);
}

bool ml_engine_restore(struct ml_engine *e, struct ml_bytes *in, struct ml_err *err)
{
	return e->kind->restore(e->state, in, err);
}

void ml_engine_copy(struct ml_engine *to, const struct ml_engine *from)
{
	assert(to->kind == from->kind);
	to->kind->copy(to->state, from->state);
}

void ml_engine_hints(struct ml_engine *e, unsigned level, const struct ml_hints *h)
{
	e->kind->hints(e->state, level, h);
}

const struct ml_move *ml_engine_moves(const struct ml_engine *e, size_t *count)
{
	return e->kind->moves(e->state, count);
}

void ml_engine_set(const struct ml_engine *e, unsigned level, unsigned core, uint32_t set,
		   struct ml_cached_way *slots)
{
	e->kind->set(e->state, level, core, set, slots);
}
