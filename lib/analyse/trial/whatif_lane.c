#include "lib/analyse/trial/whatif_lane.h"

#include "lib/base/arena.h"
#include "lib/cache/engine.h"
#include "lib/cache/lru/tlb_lru.h"

void ml_lane_open_tlbs(struct ml_lane *l, const struct ml_machine *m, unsigned cores)
{
	if (!m->tlbs || ml_tlb_lru_refuses(m))
		return;
	l->tlbs = ml_resize(NULL, cores * sizeof(*l->tlbs));
	for (l->cores = 0; l->cores < cores; l->cores++)
		l->tlbs[l->cores] = ml_tlb_lru_open(m, false);
}

bool ml_lane_open(struct ml_lane *l, const struct ml_machine *m,
		  const struct ml_machine *tlbs, struct ml_err *err)
{
	ml_lane_open_tlbs(l, tlbs, m->cores);
	l->engine = ml_engine_open(m, &(struct ml_engine_job){ 0 }, err);
	return l->engine;
}

void ml_lane_close(struct ml_lane *l)
{
	ml_engine_close(l->engine);
	for (unsigned i = 0; l->tlbs && i < l->cores; i++)
		ml_tlb_lru_close(l->tlbs[i]);
	ml_free(l->tlbs);
}

/* Runs of references of one core are one call. */
void ml_lane_translate(struct ml_lane *l, const struct ml_accesses *a,
		       const uint64_t *addr)
{
	for (size_t from = 0, to; from < a->count; from = to) {
		unsigned core = a->core ? a->core[from] : 0;
		struct ml_accesses run = { .addr = addr + from, .what = a->what + from };

		for (to = from; to < a->count && (!a->core || a->core[to] == core); to++)
			run.count++;
		ml_tlb_lru_run(l->tlbs[core], &run, l->paged + from, NULL);
	}
}

bool ml_lane_run(struct ml_lane *l, const struct ml_accesses *a, uint8_t *served,
		 uint16_t *outcome, struct ml_err *err)
{
	l->run = a->count;
	if (l->tlbs)
		ml_lane_translate(l, a, a->addr);
	if (!ml_engine_run(l->engine, a, outcome, err))
		return false;
	for (size_t i = 0; i < a->count; i++)
		served[i] = (uint8_t)ml_outcome_served(outcome[i]);
	return true;
}
