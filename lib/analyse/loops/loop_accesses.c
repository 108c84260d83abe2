#include "lib/analyse/loops/loop_accesses.h"

#include "lib/base/arena.h"

void ml_loop_accesses_release(struct ml_loop_accesses *a)
{
	ml_free(a->at);
	ml_map_release(&a->known);
	*a = (struct ml_loop_accesses){ 0 };
}

/* Different accesses may have one key where there are very many: then the key is moved. */
uint32_t ml_loop_accesses_of(struct ml_loop_accesses *a, uint32_t node, uint32_t site,
			     uint16_t what)
{
	uint64_t key = ((uint64_t)node << 32 | site) ^ (uint64_t)what << 47;

	for (;; key++) {
		uint64_t *known = ml_map_add(&a->known, key, NULL);

		if (!*known) {
			a->at = ml_grow(a->at, &a->cap, a->count + 1, sizeof(*a->at));
			a->at[a->count++] = (struct ml_loop_access){ .node = node,
								     .site = site,
								     .what = what };
			*known = a->count;
		}
		const struct ml_loop_access *x = &a->at[*known - 1];
		if (x->node == node && x->site == site && x->what == what)
			return (uint32_t)*known - 1;
	}
}

/* Counts a step; of more than ML_LOOP_STEPS different ones the frequent stay (Misra and
 * Gries 1982). */
static void count_step(struct ml_loop_steps *s, int64_t step)
{
	s->count++;
	for (unsigned i = 0; i < ML_LOOP_STEPS; i++) {
		if (s->times[i] && s->step[i] != step)
			continue;
		s->step[i] = step;
		s->times[i]++;
		return;
	}
	for (unsigned i = 0; i < ML_LOOP_STEPS; i++)
		s->times[i]--;
}

void ml_loop_access_moves(struct ml_loop_access *a, uint64_t addr,
			  const struct ml_loop_around *around, size_t loops)
{
	size_t levels = loops < ML_LOOP_LEVELS ? loops : ML_LOOP_LEVELS;

	a->refs++;
	if (levels > a->levels)
		a->levels = (uint16_t)levels;
	for (size_t i = 0; i < levels; i++) {
		const struct ml_loop_around *l = &around[-1 - (ptrdiff_t)i];
		struct ml_loop_steps *s = &a->level[i];

		if (s->iteration == l->iteration)
			return; /* so it is in the loops around */
		if (s->entry == l->entry && s->number + 1 == l->number)
			count_step(s, (int64_t)(addr - s->addr));
		s->entry = l->entry;
		s->iteration = l->iteration;
		s->number = l->number;
		s->addr = addr;
	}
}

enum ml_loop_motion ml_loop_access_motion(const struct ml_loop_access *a, unsigned level,
					  int64_t *step)
{
	const struct ml_loop_steps *s = &a->level[level];
	unsigned most = 0;

	*step = 0;
	if (!s->count)
		return ML_LOOP_UNKNOWN;
	for (unsigned i = 1; i < ML_LOOP_STEPS; i++)
		most = s->times[i] > s->times[most] ? i : most;
	*step = s->step[most];
	if (s->times[most] == s->count)
		return *step ? ML_LOOP_CONSTANT : ML_LOOP_INVARIANT;
	return s->times[most] * 4 >= s->count * 3 ? ML_LOOP_REGULAR : ML_LOOP_IRREGULAR;
}
