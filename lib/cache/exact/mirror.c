#include "lib/cache/exact/mirror.h"

void ml_mirror_show(struct ml_cache *to, uint32_t set, const uint64_t *row,
		    const uint8_t *flags)
{
	size_t first = (size_t)set * to->ways;

	for (uint32_t way = 0; way < to->ways; way++) {
		to->tags[first + way] = row[way];
		to->flags[first + way] = row[way] ? flags[way] : 0;
		to->order.word[first + way] = row[way] ? to->ways - way : 0;
	}
}

uint32_t ml_mirror_places(const struct ml_cache *from, uint32_t set, size_t *places)
{
	const uint64_t *word = from->order.word;
	size_t first = (size_t)set * from->ways;
	uint32_t held = 0;

	for (size_t at = first; at < first + from->ways; at++) {
		uint32_t i = held;

		if (!from->tags[at])
			continue;
		for (; i > 0 && word[places[i - 1]] < word[at]; i--)
			places[i] = places[i - 1];
		places[i] = at;
		held++;
	}
	return held;
}
