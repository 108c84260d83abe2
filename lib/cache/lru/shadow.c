#include "lib/cache/lru/shadow.h"

#include <string.h>

#include "lib/base/arena.h"

enum { ROOM = 1024 };

void ml_shadow_init(struct ml_shadow *s, size_t lines, struct ml_line_records *records,
		    unsigned k, struct ml_arena *a)
{
	size_t room = ROOM;

	while (room < 2 * lines)
		room *= 2;
	*s = (struct ml_shadow){
		.log = ml_arena_large(a, room * sizeof(*s->log)),
		.mask = (uint32_t)room - 1,
		.begin = ML_SHADOW_FIRST,
		.end = ML_SHADOW_FIRST,
		.lines = (uint32_t)lines,
		.limit = ML_SHADOW_SEEN - 1,
		.records = records,
		.k = k,
	};
}

/* The same places of the ring get lower times; begin does not fall below FIRST. */
static void lower(struct ml_shadow *s)
{
	uint32_t by = (s->begin - ML_SHADOW_FIRST) & ~s->mask;
	struct ml_line_records *r = s->records;

	for (size_t i = 0; i < r->chunks; i++)
		for (uint32_t n = 0; n < 1u << ML_LINE_CHUNK_BITS; n++) {
			uint8_t *record = r->chunk[i] + (size_t)n * r->stride;
			uint32_t stored = ml_line_time(record, s->k);
			uint32_t time = stored & ~ML_SHADOW_SEEN;

			if (time >= s->begin)
				time -= by;
			else if (time != ML_SHADOW_NEVER)
				time = ML_SHADOW_LOST;
			ml_line_set_time(record, s->k, time | (stored & ML_SHADOW_SEEN));
		}
	s->begin -= by;
	s->end -= by;
}

void ml_shadow_tidy(struct ml_shadow *s)
{
	uint32_t *kept = ml_resize(NULL, (size_t)s->listed * sizeof(*kept)), count = 0;

	for (uint32_t at = s->begin; at != s->end; at++)
		if (s->log[at & s->mask])
			kept[count++] = s->log[at & s->mask];
	memset(s->log, 0, ((size_t)s->mask + 1) * sizeof(*s->log));
	s->begin = s->end;
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *record = ml_line_record(s->records, kept[i]);
		uint32_t seen = ml_line_time(record, s->k) & ML_SHADOW_SEEN;

		s->log[s->end & s->mask] = kept[i];
		ml_line_set_time(record, s->k, s->end++ | seen);
	}
	ml_free(kept);
	if (s->limit - s->end <= s->mask || s->end > s->limit)
		lower(s);
}
