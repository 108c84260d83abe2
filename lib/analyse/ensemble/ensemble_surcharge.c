#include "lib/analyse/ensemble/ensemble_surcharge.h"

#include "lib/base/arena.h"
#include "lib/cache/machine/machine.h"

bool ml_ensemble_surcharged(const struct ml_machine *m)
{
	return m->tlbs || m->cores > 1 ||
	       (m->split && m->icache.cycles != m->level[0].cycles);
}

static void charge(struct ml_ensemble_surcharge *x, uint32_t access, int64_t cycles)
{
	x->beyond[(x->position + access) >> x->bits] += cycles;
}

/* The first page of an access has paid for a hit of the first TLB with its batch. */
void ml_ensemble_surcharge_page(struct ml_ensemble_surcharge *x, const struct ml_page *p)
{
	const struct ml_machine *m = x->machine;
	int64_t cycles = p->tlb < m->tlbs ? m->tlb[p->tlb].cycles : m->walk_cycles;

	charge(x, p->access, cycles - (p->more ? 0 : m->tlb[0].cycles));
}

void ml_ensemble_surcharge_bounce(struct ml_ensemble_surcharge *x,
				  const struct ml_bounce *b)
{
	/* once, whatever number of cores gave up lines */
	if (x->moved_count && x->moved[x->moved_count - 1] == b->access)
		return;
	x->moved = ml_grow(x->moved, &x->moved_cap, x->moved_count + 1,
			   sizeof(*x->moved));
	x->moved[x->moved_count++] = b->access;
}

static int64_t cycles_of(const struct ml_machine *m, uint16_t outcome)
{
	unsigned served = ml_outcome_served(outcome);

	return served <= m->levels ? m->level[served - 1].cycles : m->memory_cycles;
}

void ml_ensemble_surcharge_batch(struct ml_ensemble_surcharge *x, const uint16_t *what,
				 const uint16_t *outcome, size_t count)
{
	const struct ml_machine *m = x->machine;
	int64_t hit = m->tlbs ? m->tlb[0].cycles : 0;
	int64_t fetch = m->split ? (int64_t)m->icache.cycles - m->level[0].cycles : 0;

	for (size_t i = 0; i < x->moved_count; i++)
		charge(x, x->moved[i],
		       (int64_t)m->transfer_cycles - cycles_of(m, outcome[x->moved[i]]));
	x->moved_count = 0;
	for (size_t i = 0; (hit || fetch) && i < count; i++) {
		bool fetched = what[i] >> 14 == ML_ACCESS_FETCH;

		if (!fetched)
			charge(x, (uint32_t)i, hit);
		else if (ml_outcome_served(outcome[i]) == 1)
			charge(x, (uint32_t)i, fetch);
	}
}

void ml_ensemble_surcharge_release(struct ml_ensemble_surcharge *x)
{
	ml_free(x->moved);
}
