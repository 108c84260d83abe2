#include "record/tracks/reference_track.h"

#include "lib/base/arena.h"

/*
 * Fills in the expectation of each reference of the course, and the places where steps
 * may end.
 */
static void note_refs(const struct ml_course *c, struct ml_reference_expected *ref,
		      struct ml_reference_end *end)
{
	uint8_t base[ML_REFERENCE_PARTS]; /* the reference that each base is */
	unsigned bases = 0, slots = 0;

	for (unsigned i = 0; i < c->parts; i++) {
		struct ml_reference_expected *r = &ref[i];
		struct ml_link l = c->value[i].link;

		*r = (struct ml_reference_expected){ .word = c->part[i].symbol };
		if (l.from == ML_JOIN_NEW) {
			base[bases++] = (uint8_t)i;
			r->base = true;
			r->from = r->as = r->since = (uint8_t)i;
		} else if (l.from & ML_DRIFT) {
			const struct ml_drift *d = &c->drift[l.from - ML_DRIFT];

			r->drift = true;
			r->from = base[d->like];
			r->as = base[d->as];
			r->since = base[d->from];
			r->shift = d->shift;
		} else {
			r->from = r->as = r->since = base[l.from];
			r->delta = (uint64_t)l.delta;
		}
		slots += c->part[i].slots;
		end[i] = (struct ml_reference_end){ (uint16_t)slots, (uint8_t)bases };
	}
}

struct ml_reference_track *ml_reference_track_make(const struct ml_course *c,
						   struct ml_arena *arena)
{
	size_t eights = ml_reference_follow_reads(c->parts) / 8;
	uintptr_t room = (uintptr_t)ml_arena_alloc(
		arena, sizeof(struct ml_reference_track) +
			       eights * sizeof(struct ml_reference_follow) +
			       ML_REFERENCE_LINE);
	struct ml_reference_track *t = (void *)((room + ML_REFERENCE_LINE - 1) &
						~(uintptr_t)(ML_REFERENCE_LINE - 1));
	struct ml_reference_expected ref[ML_REFERENCE_PARTS];

	note_refs(c, ref, t->end);
	t->count = (uint16_t)c->parts;
	t->ref = (const void *)ml_arena_copy(arena, ref, c->parts * sizeof(*ref));
	t->course = ml_course_keep(c, arena);
	ml_reference_follow_make(t->eight, ref, c->parts);
	ml_review_init(&t->review);
	return t;
}
