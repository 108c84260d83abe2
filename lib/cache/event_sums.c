#include "lib/cache/event_sums.h"

static void open_level(struct ml_event_sums *s, unsigned level,
		       const struct ml_level_spec *spec)
{
	size_t cap = 0;

	s->set[level] = ml_grow(NULL, &cap, spec->sets, sizeof(*s->set[level]));
}

void ml_event_sums_open(struct ml_event_sums *s, const struct ml_machine *m,
			unsigned want)
{
	if (s->open)
		return;
	s->open = true;
	s->use_wanted = want & ML_SIM_USE;
	if (!(want & ML_SIM_CAUSES))
		return;
	for (unsigned i = 0; i < m->levels; i++)
		open_level(s, i + 1, &m->level[i]);
	if (m->split)
		open_level(s, 0, &m->icache);
}

void ml_event_sums_release(struct ml_event_sums *s)
{
	for (unsigned i = 0; i <= ML_LEVELS; i++) {
		ml_free(s->set[i]);
		ml_map_release(&s->pair_row[i]);
	}
	ml_map_release(&s->use_row);
	ml_free(s->uses);
	ml_free(s->pairs);
	*s = (struct ml_event_sums){ 0 };
}

struct ml_use_sum *ml_event_sums_use(struct ml_event_sums *s, unsigned level,
				     uint32_t owner)
{
	bool is_new;
	uint64_t *row = ml_map_add(&s->use_row, (uint64_t)level << 32 | owner, &is_new);

	if (is_new) {
		*row = s->use_count;
		s->uses = ml_grow(s->uses, &s->use_cap, s->use_count + 1,
				  sizeof(*s->uses));
		s->uses[s->use_count++] = (struct ml_use_sum){ .level = level,
							       .owner = owner };
	}
	s->use_hint[level][owner % ML_SUM_HINTS] = (uint32_t)*row + 1;
	return &s->uses[*row];
}

struct ml_pair_sum *ml_event_sums_pair(struct ml_event_sums *s, unsigned level,
				       uint32_t loser, uint32_t winner)
{
	bool is_new;
	uint64_t *row = ml_map_add(&s->pair_row[level], (uint64_t)loser << 32 | winner,
				   &is_new);

	if (is_new) {
		*row = s->pair_count;
		s->pairs = ml_grow(s->pairs, &s->pair_cap, s->pair_count + 1,
				   sizeof(*s->pairs));
		s->pairs[s->pair_count++] = (struct ml_pair_sum){ .level = level,
								  .loser = loser,
								  .winner = winner };
	}
	s->pair_hint[level][ml_event_sums_pair_hint(loser, winner)] = (uint32_t)*row + 1;
	return &s->pairs[*row];
}
