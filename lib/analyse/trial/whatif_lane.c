#include "lib/analyse/trial/whatif_lane.h"

#include "lib/base/arena.h"
#include "lib/cache/lru/fast_lru.h"
#include "lib/cache/lru/lean_lru.h"
#include "lib/cache/exact/sim.h"
#include "lib/cache/lru/tlb_lru.h"

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
	if (!ml_fast_lru_refuses(m))
		l->fast = ml_fast_lru_open(m, ML_FAST_LRU_BEST);
	else if (!ml_lean_lru_refuses(m))
		l->lean = ml_lean_lru_open(m, ML_LEAN_LRU_BEST);
	else
		l->sim = ml_sim_open(m, 0, err);
	return l->fast || l->lean || l->sim;
}

void ml_lane_close(struct ml_lane *l)
{
	if (l->fast)
		ml_fast_lru_close(l->fast);
	ml_lean_lru_close(l->lean);
	if (l->sim)
		ml_sim_close(l->sim);
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
	if (l->fast) {
		ml_fast_lru_run(l->fast, a, served);
		return true;
	}
	if (l->lean) {
		ml_lean_lru_run(l->lean, a, served);
		return true;
	}
	if (!ml_sim_run(l->sim, a, outcome, err))
		return false;
	for (size_t i = 0; i < a->count; i++)
		served[i] = (uint8_t)ml_outcome_served(outcome[i]);
	return true;
}
