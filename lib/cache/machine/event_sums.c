#include "lib/cache/machine/event_sums.h"

static void open_level(struct ml_level_sums *l, const struct ml_level_spec *spec,
		       unsigned want)
{
	size_t cap = 0;

	if (want & ML_SIM_CAUSES)
		l->set = ml_grow(NULL, &cap, spec->sets, sizeof(*l->set));
	l->use_wanted = want & ML_SIM_USE;
}

void ml_event_sums_open(struct ml_event_sums *s, const struct ml_machine *m,
			unsigned want)
{
	if (s->open)
		return;
	s->open = true;
	for (unsigned i = 0; i < m->levels; i++)
		open_level(&s->level[i + 1], &m->level[i], want);
	if (m->split)
		open_level(&s->level[0], &m->icache, want);
}

void ml_event_sums_release(struct ml_event_sums *s)
{
	for (unsigned i = 0; i <= ML_LEVELS; i++) {
		struct ml_level_sums *l = &s->level[i];

		ml_free(l->set);
		ml_free(l->uses);
		ml_free(l->pairs);
		ml_map_release(&l->use_row);
		ml_map_release(&l->pair_row);
	}
	*s = (struct ml_event_sums){ 0 };
}

struct ml_use_sum *ml_level_sums_use(struct ml_level_sums *l, uint32_t owner)
{
	bool is_new;
	uint64_t *row = ml_map_add(&l->use_row, owner, &is_new);

	if (is_new) {
		*row = l->use_count;
		l->uses = ml_grow(l->uses, &l->use_cap, l->use_count + 1,
				  sizeof(*l->uses));
		l->uses[l->use_count++] = (struct ml_use_sum){ .owner = owner };
	}
	l->use_hint[owner % ML_SUM_HINTS] = (uint32_t)*row + 1;
	return &l->uses[*row];
}

struct ml_pair_sum *ml_level_sums_pair(struct ml_level_sums *l, uint32_t loser,
				       uint32_t winner)
{
	bool is_new;
	uint64_t *row = ml_map_add(&l->pair_row, (uint64_t)loser << 32 | winner, &is_new);

	if (is_new) {
		*row = l->pair_count;
		l->pairs = ml_grow(l->pairs, &l->pair_cap, l->pair_count + 1,
				   sizeof(*l->pairs));
		l->pairs[l->pair_count++] = (struct ml_pair_sum){ .loser = loser,
								  .winner = winner };
	}
	l->pair_hint[ml_event_sums_pair_hint(loser, winner)] = (uint32_t)*row + 1;
	return &l->pairs[*row];
}
