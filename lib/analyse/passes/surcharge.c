#include "lib/analyse/passes/surcharge.h"

enum { NUMBERS = sizeof(struct ml_surcharge) / sizeof(uint64_t) };
_Static_assert(sizeof(struct ml_surcharge) == NUMBERS * sizeof(uint64_t),
	       "a surcharge is an array of numbers");

void ml_surcharge_take(struct ml_surcharge *from, const struct ml_surcharge *s)
{
	for (unsigned k = 0; k < NUMBERS; k++)
		((uint64_t *)from)[k] -= ((const uint64_t *)s)[k];
}

uint64_t ml_surcharge_missed(const struct ml_surcharge *s, const struct ml_machine *m,
			     unsigned tlb)
{
	uint64_t missed = 0;

	for (unsigned k = tlb + 1; k <= m->tlbs; k++)
		missed += s->pages[k];
	return missed;
}

double ml_surcharge_translation(const struct ml_surcharge *s, const struct ml_machine *m,
				uint64_t refs)
{
	double cycles = 0;

	if (!m->tlbs)
		return 0;
	cycles += (double)(refs - s->fetches + s->more - ml_surcharge_missed(s, m, 0)) *
		  m->tlb[0].cycles;
	for (unsigned k = 1; k < m->tlbs; k++)
		cycles += (double)s->pages[k] * m->tlb[k].cycles;
	return cycles + (double)s->pages[m->tlbs] * m->walk_cycles;
}

double ml_surcharge_transfer(const struct ml_surcharge *s, const struct ml_machine *m)
{
	return (double)s->transfers * m->transfer_cycles - (double)s->instead;
}

double ml_surcharge_cycles(const struct ml_surcharge *s, const struct ml_machine *m,
			   uint64_t refs)
{
	double cycles = ml_surcharge_translation(s, m, refs) +
			ml_surcharge_transfer(s, m);

	if (m->split)
		cycles += (double)s->fetched *
			  ((double)m->icache.cycles - m->level[0].cycles);
	return cycles;
}

bool ml_surcharged(const struct ml_machine *m)
{
	return m->tlbs || m->cores > 1 ||
	       (m->split && m->icache.cycles != m->level[0].cycles);
}

int64_t ml_surcharge_base(const struct ml_machine *m, uint16_t what, uint16_t outcome)
{
	if (what >> 14 != ML_ACCESS_FETCH)
		return m->tlbs ? m->tlb[0].cycles : 0;
	return m->split && ml_outcome_served(outcome) == 1
		       ? (int64_t)m->icache.cycles - m->level[0].cycles
		       : 0;
}

int64_t ml_charge_cycles(const struct ml_machine *m, const struct ml_charge *c,
			 uint16_t outcome)
{
	unsigned served = ml_outcome_served(outcome);

	/* the first page has paid for a hit of the first TLB */
	if (c->page)
		return (int64_t)(c->tlb < m->tlbs ? m->tlb[c->tlb].cycles
						  : m->walk_cycles) -
		       (c->more ? 0 : m->tlb[0].cycles);
	return (int64_t)m->transfer_cycles -
	       (served <= m->levels ? m->level[served - 1].cycles : m->memory_cycles);
}
