#include "lib/cache/machine/link_bytes.h"

/* Lines that came from further out than a level. */
static uint64_t lines_in(const struct ml_machine *m,
			 const struct ml_level_counts *const *counts, unsigned level)
{
	if (level < 2 || m->level[level - 1].inclusion != ML_EXCLUSIVE)
		return counts[level]->fills;
	uint64_t asked = lines_in(m, counts, level - 1);

	if (level == 2 && m->split)
		asked += counts[0]->fills;
	return asked - counts[level]->given;
}

struct ml_link_bytes ml_link_bytes(const struct ml_machine *m,
				   const struct ml_level_counts *const *counts,
				   unsigned level)
{
	const struct ml_level_counts *c = counts[level];
	unsigned outer = level ? level : 1; /* its index */
	uint64_t line = level ? m->level[level - 1].line : m->icache.line;
	bool moves = outer < m->levels && m->level[outer].inclusion == ML_EXCLUSIVE;

	return (struct ml_link_bytes){
		.in = line * lines_in(m, counts, level),
		.out = c->through_bytes + c->past_bytes +
		       line * (moves ? c->evictions + c->taken : c->write_backs),
	};
}
