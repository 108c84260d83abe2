#include "lib/cache/exact/sharing.h"

void ml_sharing_lose(struct ml_sharing *s, uint64_t unit, unsigned core, unsigned levels)
{
	bool is_new;
	uint64_t *index = ml_map_add(&s->index, unit, &is_new);

	if (is_new) {
		size_t count = s->count + 1;

		s->lost = ml_grow(s->lost, &s->cap, count, sizeof(*s->lost));
		s->written = ml_grow(s->written, &s->written_cap, count * s->cores,
				     sizeof(*s->written));
		s->levels = ml_grow(s->levels, &s->levels_cap, count * s->cores,
				    sizeof(*s->levels));
		*index = s->count++;
	}
	uint64_t *lost = &s->lost[*index];
	size_t at = *index * s->cores + core;
	if (!(*lost >> core & 1))
		s->written[at] = 0;
	*lost |= (uint64_t)1 << core;
	s->levels[at] = (uint8_t)levels;
}

void ml_sharing_write(struct ml_sharing *s, uint64_t unit, unsigned core, uint64_t mask)
{
	const uint64_t *index = ml_map_find(&s->index, unit);

	if (!index)
		return;
	uint64_t others = s->lost[*index] & ~((uint64_t)1 << core);
	for (unsigned other = 0; other < s->cores; other++)
		if (others >> other & 1)
			s->written[*index * s->cores + other] |= mask;
}

enum ml_cause ml_sharing_ask(struct ml_sharing *s, uint64_t unit, unsigned core,
			     uint64_t mask, unsigned *levels)
{
	const uint64_t *index = ml_map_find(&s->index, unit);

	*levels = 0;
	if (!index || !(s->lost[*index] >> core & 1))
		return ML_CAUSE_NONE;
	size_t at = *index * s->cores + core;
	s->lost[*index] &= ~((uint64_t)1 << core);
	*levels = s->levels[at];
	return s->written[at] & mask ? ML_CAUSE_SHARING : ML_CAUSE_FALSE_SHARING;
}

void ml_sharing_release(struct ml_sharing *s)
{
	ml_map_release(&s->index);
	ml_free(s->lost);
	ml_free(s->written);
	ml_free(s->levels);
	*s = (struct ml_sharing){ .cores = s->cores };
}
