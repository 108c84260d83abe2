#include "lib/cache/lru/first_shadow.h"

#include <string.h>

enum { TIMES = 1 << 16 };

void ml_first_shadow_init(struct ml_first_shadow *s, size_t lines, struct ml_arena *a)
{
	size_t room = TIMES, ghosts = 64;

	while (room < 16 * lines)
		room *= 2;
	while (ghosts < 4 * lines)
		ghosts *= 2;
	*s = (struct ml_first_shadow){
		.live = ml_arena_alloc(a, room),
		.room = (uint32_t)room,
		.begin = 1,
		.lines = (uint32_t)lines,
		.ghosts = ml_arena_alloc(a, ghosts * sizeof(*s->ghosts)),
		.ghost_mask = (uint32_t)ghosts - 1,
	};
}

static struct ml_ghost *slot_of(const struct ml_first_shadow *s, uint32_t number)
{
	uint32_t i = ml_ghost_hash(s, number);

	while (s->ghosts[i].number && s->ghosts[i].number != number)
		i = (i + 1) & s->ghost_mask;
	return &s->ghosts[i];
}

static void add(struct ml_first_shadow *s, uint32_t number, uint32_t time)
{
	struct ml_ghost *slot = slot_of(s, number);

	s->ghosts_used += !slot->number;
	*slot = (struct ml_ghost){ number, time };
}

/* Drops slots of lines that are no ghosts any more. */
static void drop_dead(struct ml_first_shadow *s)
{
	size_t room = (size_t)s->ghost_mask + 1, count = 0;
	struct ml_ghost *kept = ml_resize(NULL, room * sizeof(*kept));

	for (size_t i = 0; i < room; i++)
		if (s->ghosts[i].time >= s->begin)
			kept[count++] = s->ghosts[i];
	memset(s->ghosts, 0, room * sizeof(*s->ghosts));
	s->ghosts_used = 0;
	for (size_t i = 0; i < count; i++)
		add(s, kept[i].number, kept[i].time);
	ml_free(kept);
}

void ml_first_shadow_leave(struct ml_first_shadow *s, uint32_t number, uint32_t time)
{
	if (time < s->begin)
		return;
	if (s->ghosts_used * 2 > s->ghost_mask)
		drop_dead(s);
	add(s, number, time);
}

void ml_first_shadow_renumber(struct ml_first_shadow *s, uint32_t *times, size_t count)
{
	uint32_t *now = ml_resize(NULL, s->room * sizeof(*now)), next = 0, begin = 0;
	uint8_t *live = ml_resize(NULL, s->room);

	drop_dead(s);
	memset(now, 0, s->room * sizeof(*now));
	for (size_t i = 0; i < count; i++)
		if (times[i] != ML_NO_WAY)
			now[times[i]] = 1;
	for (size_t i = 0; i <= s->ghost_mask; i++)
		now[s->ghosts[i].time] = 1;
	memset(live, 0, s->room);
	for (uint32_t t = 1; t <= s->clock; t++) {
		if (now[t])
			now[t] = ++next;
		if (t < s->begin)
			begin = next;
		else if (now[t])
			live[next] = s->live[t];
	}
	now[0] = 0;
	for (size_t i = 0; i < count; i++)
		if (times[i] != ML_NO_WAY)
			times[i] = now[times[i]];
	for (size_t i = 0; i <= s->ghost_mask; i++)
		s->ghosts[i].time = now[s->ghosts[i].time];
	memcpy(s->live, live, s->room);
	s->begin = begin + 1;
	s->clock = next;
	ml_free(now);
	ml_free(live);
}
