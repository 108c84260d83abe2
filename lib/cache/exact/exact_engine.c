/* The exact simulator as an engine: the last of the list, which takes every job. */
#include "lib/cache/engine.h"
#include "lib/cache/exact/sim.h"

static const char *refuses(const struct ml_machine *m, const struct ml_engine_job *j)
{
	(void)m;
	(void)j;
	return NULL;
}

static void *open(const struct ml_machine *m, const struct ml_engine_job *j,
		  struct ml_err *err)
{
	return ml_sim_open(m, j->want, err);
}

static void close(void *e)
{
	ml_sim_close(e);
}

static void observe(void *e, const struct ml_observer *o, struct ml_event_sums *sums)
{
	(void)sums;
	ml_sim_observe(e, o);
}

static bool run(void *e, unsigned stage, const struct ml_accesses *a, void *carry,
		uint16_t *outcome, struct ml_err *err)
{
	(void)stage;
	(void)carry;
	return ml_sim_run(e, a, outcome, err);
}

static void gap(void *e)
{
	ml_sim_gap(e);
}

static void flush(void *e)
{
	ml_sim_flush(e);
}

static void counts(void *e, unsigned level, struct ml_level_counts *c)
{
	*c = *ml_sim_counts(e, level);
}

static void tlb_counts(void *e, unsigned tlb, struct ml_level_counts *c)
{
	*c = *ml_sim_tlb_counts(e, tlb);
}

static void save(void *e, struct ml_buf *out)
{
	ml_sim_save(e, out);
}

static bool restore(void *e, struct ml_bytes *in, struct ml_err *err)
{
	return ml_sim_restore(e, in, err);
}

static void copy(void *to, const void *from)
{
	ml_sim_copy(to, from);
}

static void hints(void *e, unsigned level, const struct ml_hints *h)
{
	ml_sim_hints(e, level, h);
}

static const struct ml_move *moves(const void *e, size_t *count)
{
	return ml_sim_moves(e, count);
}

static void set(const void *e, unsigned level, unsigned core, uint32_t number,
		struct ml_cached_way *slots)
{
	ml_sim_set(e, level, core, number, slots);
}

const struct ml_engine_kind ml_engine_exact = {
	.name = "exact",
	.refuses = refuses,
	.open = open,
	.close = close,
	.observe = observe,
	.run = run,
	.gap = gap,
	.flush = flush,
	.counts = counts,
	.tlb_counts = tlb_counts,
	.save = save,
	.restore = restore,
	.copy = copy,
	.hints = hints,
	.moves = moves,
	.set = set,
};
