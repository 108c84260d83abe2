#include "lib/analyse/trial/whatif_lane.h"

#include "lib/base/arena.h"
#include "lib/cache/engine.h"
#include "lib/cache/tlb/tlb_lru.h"

void ml_lane_open_tlbs(struct ml_lane *l, const struct ml_machine *m)
{
	if (!m->tlbs || ml_tlb_lru_refuses(m))
		return;
	l->tlbs = ml_tlb_lru_open(m, false);
}

bool ml_lane_open(struct ml_lane *l, const struct ml_machine *m,
		  const struct ml_machine *tlbs, struct ml_err *err)
{
	ml_lane_open_tlbs(l, tlbs);
	l->engine = ml_engine_open(m, &(struct ml_engine_job){ 0 }, err);
	return l->engine;
}

void ml_lane_close(struct ml_lane *l)
{
	ml_engine_close(l->engine);
	ml_tlb_lru_close(l->tlbs);
}

void ml_lane_translate(struct ml_lane *l, const struct ml_accesses *a,
		       const uint64_t *addr)
{
	struct ml_accesses moved = *a;

	moved.addr = addr;
	ml_tlb_lru_run(l->tlbs, &moved, l->paged, NULL);
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
