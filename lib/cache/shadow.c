#include "lib/cache/shadow.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/sim.h"

static size_t slot_of(const struct ml_shadow *s, uint64_t line)
{
	uint64_t h = line * 0x9e3779b97f4a7c15u;
	size_t i = (h ^ h >> 32) & (s->room - 1);

	while (s->slots[i] && s->entries[s->slots[i]].line != line)
		i = (i + 1) & (s->room - 1);
	return i;
}

static void widen(struct ml_shadow *s)
{
	s->room = s->room ? s->room * 2 : 256;
	s->slots = ml_resize(s->slots, s->room * sizeof(*s->slots));
	memset(s->slots, 0, s->room * sizeof(*s->slots));
	for (size_t i = 1; i < s->count; i++)
		s->slots[slot_of(s, s->entries[i].line)] = (uint32_t)i;
}

uint32_t ml_shadow_find(struct ml_shadow *s, uint64_t line)
{
	if (s->count * 2 >= s->room)
		widen(s);
	size_t slot = slot_of(s, line);
	if (!s->slots[slot]) {
		if (!s->count)
			s->count = 1;
		s->entries = ml_grow(s->entries, &s->cap, s->count + 1,
				     sizeof(*s->entries));
		s->entries[s->count] = (struct ml_shadow_entry){
			.line = line,
			.evictor = ML_NO_OWNER,
		};
		s->slots[slot] = (uint32_t)s->count++;
	}
	return s->slots[slot];
}

static void unlink_entry(struct ml_shadow *s, uint32_t entry)
{
	struct ml_shadow_entry *e = &s->entries[entry];

	*(e->newer ? &s->entries[e->newer].older : &s->newest) = e->older;
	*(e->older ? &s->entries[e->older].newer : &s->oldest) = e->newer;
	e->listed = false;
	s->listed--;
}

enum ml_shadow_answer ml_shadow_ask(struct ml_shadow *s, uint32_t entry)
{
	struct ml_shadow_entry *e = &s->entries[entry];

	if (s->newest == entry)
		return ML_SHADOW_HAS;
	enum ml_shadow_answer answer = e->listed  ? ML_SHADOW_HAS
				       : e->asked ? ML_SHADOW_LOST
						  : ML_SHADOW_NEW;
	if (e->listed)
		unlink_entry(s, entry);
	else if (s->listed == s->lines)
		unlink_entry(s, s->oldest);
	e->asked = e->listed = true;
	e->newer = 0;
	e->older = s->newest;
	*(s->newest ? &s->entries[s->newest].newer : &s->oldest) = entry;
	s->newest = entry;
	s->listed++;
	return answer;
}

void ml_shadow_release(struct ml_shadow *s)
{
	ml_free(s->entries);
	ml_free(s->slots);
	*s = (struct ml_shadow){ .lines = s->lines };
}
