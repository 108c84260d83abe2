#include "record/tracks/reference_steps.h"

#include "lib/trace/chunk/chunk.h"
#include "lib/trace/writer.h"
#include "record/tracks/reference_follow.h"
#include "record/tracks/reference_track.h"

void ml_reference_steps_init(struct ml_reference_steps *g, struct ml_objects *objects,
			     struct ml_writer *writer)
{
	g->fast = ml_lanes_can();
	ml_reference_places_init(&g->places, objects, writer);
	ml_reference_heads_init(&g->heads, &g->places);
}

void ml_reference_steps_release(struct ml_reference_steps *g)
{
	ml_reference_places_release(&g->places);
	ml_reference_heads_release(&g->heads);
}

void ml_reference_steps_forget(struct ml_reference_steps *g)
{
	ml_reference_places_forget(&g->places);
	ml_reference_heads_forget(&g->heads);
}

static inline void add(struct ml_steps *out, uint32_t path, unsigned bases,
		       unsigned slots)
{
	out->at[out->count++] = (struct ml_told){ path, 0 };
	out->values += bases;
	out->refs += slots;
}

/* A reference alone. */
static void take_one(struct ml_reference_steps *g, const uint64_t *w, size_t room,
		     struct ml_steps *out)
{
	const struct ml_reference_place *p = ml_reference_places_find(&g->places, *w);

	if (p->call)
		return;
	out->value[out->values] = w[1];
	add(out, p->path, 1, p->slots);
	ml_reference_heads_heat(&g->heads, w, room);
}

/* How far the words go along the track; so many references can be read. */
static inline __attribute__((always_inline)) struct ml_reference_left
follow(const struct ml_reference_track *t, const uint64_t *w, size_t room,
       uint64_t *value, bool fast)
{
	size_t max = t->count < room ? t->count : room, begin = 0;

#if defined(__x86_64__)
	if (fast) {
		/* no more is read than there is; the remaining ones one by one */
		begin = ml_reference_follow_reads(max) <= room ? max : max & ~(size_t)7;
		struct ml_reference_left e = ml_reference_follow_eights(t->eight, begin,
									w, value);

		if (e.count < begin || begin == max)
			return e;
		value += begin ? t->end[begin - 1].bases : 0;
	}
#endif
	(void)fast;
	return ml_reference_follow_plain(t->ref, begin, max, w, value);
}

static inline __attribute__((always_inline)) bool take(struct ml_reference_steps *g,
						       const uint64_t **at,
						       const uint64_t *end, bool fast,
						       struct ml_err *err)
{
	struct ml_writer *writer = g->places.writer;
	struct ml_steps *out = ml_writer_collected(writer);
	const uint64_t *w = *at;

	while (end - w >= 2 && ml_reference_is_pair(*w)) {
		size_t room = (size_t)(end - w) / 2;
		struct ml_reference_head *h = ml_reference_heads_find(
			&g->heads, ml_reference_heads_key(w, room));
		struct ml_reference_track *t = h->track;
		struct ml_reference_left e = { 0, false };

		if (__builtin_expect(t != NULL, 1))
			e = follow(t, w, room, out->value + out->values, fast);
		if (__builtin_expect(e.count != 0, 1)) {
			const struct ml_reference_end *done = &t->end[e.count - 1];

			add(out, t->path + e.count - 1, done->bases, done->slots);
			if (__builtin_expect(e.wrong, 0))
				t->wrong[e.count]++;
			if (ml_review_use(&t->review))
				ml_reference_heads_review(&g->heads, h, w, room);
			w += 2 * (size_t)e.count;
		} else {
			take_one(g, w, room, out);
			w += 2;
		}
		if (__builtin_expect(ml_steps_full(out), 0)) {
			if (!ml_writer_send(writer, err))
				return false;
			out = ml_writer_collected(writer);
		}
	}
	*at = w;
	return true;
}

#if defined(__x86_64__)
ML_LANES_TARGET static bool take_eights(struct ml_reference_steps *g, const uint64_t **at,
					const uint64_t *end, struct ml_err *err)
{
	return take(g, at, end, true, err);
}
#endif

bool ml_reference_steps_take(struct ml_reference_steps *g, const uint64_t **at,
			     const uint64_t *end, struct ml_err *err)
{
#if defined(__x86_64__)
	if (g->fast)
		return take_eights(g, at, end, err);
#endif
	return take(g, at, end, false, err);
}
