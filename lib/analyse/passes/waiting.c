#include "lib/analyse/passes/waiting.h"

#include "lib/cache/machine/machine.h"

static uint32_t latency(const struct ml_machine *m, unsigned level)
{
	return level <= m->levels ? m->level[level - 1].cycles : m->memory_cycles;
}

double ml_waiting_price(const struct ml_machine *m, unsigned level)
{
	return (double)latency(m, level) - m->level[0].cycles;
}

double ml_waiting(const struct ml_machine *m, const uint64_t served[ML_SERVED],
		  double beyond, double parts[ML_SERVED])
{
	double sum = beyond;

	if (parts)
		parts[0] = beyond;
	for (unsigned k = 1; k <= m->levels + 1; k++) {
		double part = (double)served[k] * ml_waiting_price(m, k);

		if (parts)
			parts[k] = part;
		sum += part;
	}
	return sum > 0 ? sum : 0;
}

struct ml_waiting_cell ml_waiting_cell(const struct ml_machine *m,
				       const uint64_t served[ML_SERVED], double beyond)
{
	struct ml_waiting_cell cell = { 0 };
	double cycles = beyond, most = 0;
	uint64_t refs = 0;

	for (unsigned k = 1; k <= m->levels + 1; k++) {
		double spent = (double)served[k] * latency(m, k);

		refs += served[k];
		cycles += spent;
		if (served[k] && (!cell.level || spent > most)) {
			cell.level = (uint8_t)k;
			most = spent;
		}
	}
	if (refs && beyond > most)
		cell.level = (uint8_t)(m->levels + 2);
	cell.cycles = refs ? (float)(cycles / (double)refs) : 0;
	return cell;
}
