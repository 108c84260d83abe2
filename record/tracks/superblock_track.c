#include "record/tracks/superblock_track.h"

#include <string.h>

#include "lib/base/arena.h"

_Static_assert((int)ML_SUPERBLOCK_WORDS < (int)ML_SUPERBLOCK_FOLLOW_WORDS,
	       "tracks are too long to follow, and for the bytes of their ends");

/* A track while it is made. */
struct making {
	uint8_t words, bases, drifts;
	struct ml_superblock_end end[ML_SUPERBLOCK_PARTS];
	struct ml_superblock_drift drift[ML_JOIN_SLOTS];
	struct ml_superblock_word link[ML_SUPERBLOCK_WORDS];
	uint8_t base[ML_JOIN_SLOTS];
};

/* The superblock of part i of the course; NULL behind the last. */
static const struct ml_superblock *part_at(const struct ml_superblocks *known,
					   const struct ml_course *c, unsigned i)
{
	return i < c->parts ? &known->at[ml_superblock_id(c->part[i].symbol)] : NULL;
}

/* Fills in the expectation of the next value. */
static void note_value(struct making *m, struct ml_link l, const struct ml_course *c)
{
	uint8_t at = m->words++;

	m->link[at].constant = false;
	m->link[at].from = at;
	if (l.from == ML_JOIN_NEW) {
		m->base[m->bases++] = at;
	} else if (l.from & ML_DRIFT) {
		const struct ml_drift *d = &c->drift[l.from - ML_DRIFT];

		m->drift[m->drifts++] = (struct ml_superblock_drift){
			at, m->base[d->like], m->base[d->as], m->base[d->from], d->shift
		};
	} else {
		m->link[at].delta += (uint64_t)l.delta;
		m->link[at].from = m->base[l.from];
	}
}

/*
 * Fills in the effects of a step that ends behind part i; the part's values begin at word
 * `first`.
 */
static void note_end(struct making *m, const struct ml_superblocks *known,
		     const struct ml_course *c, unsigned i, unsigned first)
{
	const struct ml_superblock *k = part_at(known, c, i);
	const struct ml_superblock *next = part_at(known, c, i + 1);
	bool whole = k->path == c->part[i].path;
	struct ml_superblock_end *e = &m->end[i];

	if (i)
		*e = e[-1];
	else
		e->sp = ML_SUPERBLOCK_NO_SP;
	e->next = next && next->brief ? (uint16_t)(next->head >> ML_BRIEF_SHIFT) : 0;
	e->words = m->words;
	e->bases = m->bases;
	e->slots = (uint8_t)(e->slots + c->part[i].slots);
	e->early = !whole;
	e->returns = whole && k->returns;
	if (k->sp_base >= 0 && first + (unsigned)k->sp_base < e->words) {
		e->sp = (uint8_t)(first + (unsigned)k->sp_base);
		e->sp_delta = k->sp_before;
	}
	if (whole && k->sp_end >= 0) {
		e->sp = (uint8_t)(first + (unsigned)k->sp_end);
		e->sp_delta = k->sp_after;
	}
	uint32_t call = k->call[k->exits - (k->path - c->part[i].path)];
	e->call = call ? call : e->call;
}

static void note_parts(struct making *m, const struct ml_superblocks *known,
		       const struct ml_course *c)
{
	unsigned value = 0;

	for (unsigned i = 0; i < c->parts; i++) {
		const struct ml_superblock *k = part_at(known, c, i);

		m->link[m->words] = (struct ml_superblock_word){ .delta = k->head,
								 .head = true,
								 .constant = true };
		m->words = (uint8_t)(m->words + !k->brief);
		unsigned first = m->words;
		while (value < c->part[i].values)
			note_value(m, c->value[value++].link, c);
		note_end(m, known, c, i, first);
	}
}

/* All that was noted of the words, as record/tracks/superblock_follow.h wants it. */
static void note_eights(struct ml_superblock_track *t, const struct ml_superblocks *known)
{
	struct ml_superblock_follow_word word[ML_SUPERBLOCK_WORDS];
	unsigned base = 0, part = 0;

	for (unsigned i = 0; i < t->words; i++) {
		const struct ml_superblock_word *l = &t->link[i];
		uint64_t head = l->head ? part_at(known, &t->course, part++)->head : 0;

		word[i] = (struct ml_superblock_follow_word){ .head = head,
							      .delta = l->delta - head,
							      .root = l->from,
							      .constant = l->constant };
		word[i].base = base < t->bases && t->base[base] == i;
		base += word[i].base;
	}
	for (unsigned i = 0; i < t->drifts; i++) {
		const struct ml_superblock_drift *m = &t->drift[i];

		word[m->at] =
			(struct ml_superblock_follow_word){ .head = word[m->at].head,
							    .root = m->like,
							    .drift = true,
							    .as = m->as,
							    .since = m->from,
							    .shift = m->shift };
	}
	ml_superblock_follow_make(t->eight, word, t->words);
}

static void *keep(struct ml_arena *arena, const void *from, size_t count, size_t size)
{
	return ml_arena_copy(arena, from, count * size);
}

struct ml_superblock_track *ml_superblock_track_make(const struct ml_superblocks *known,
						     const struct ml_course *c,
						     struct ml_arena *arena)
{
	const struct ml_superblock *first = part_at(known, c, 0);
	struct ml_superblock_track *t;
	struct making m = { 0 };

	note_parts(&m, known, c);
	size_t eights = ml_superblock_follow_reads(m.words) / 8;
	t = ml_arena_alloc(arena, sizeof(*t) + eights * sizeof(*t->eight));
	*t = (struct ml_superblock_track){ .parts = (uint8_t)c->parts,
					   .words = m.words,
					   .bases = m.bases,
					   .drifts = m.drifts,
					   .head = first->head,
					   .where = first->where,
					   .course = ml_course_keep(c, arena) };
	t->end = keep(arena, m.end, t->parts, sizeof(*t->end));
	t->side = ml_arena_alloc(arena, t->parts * sizeof(*t->side));
	t->drift = keep(arena, m.drift, t->drifts, sizeof(*t->drift));
	t->left = ml_arena_alloc(arena,
				 ml_superblock_track_leavings(t) * sizeof(*t->left));
	t->link = keep(arena, m.link, t->words, sizeof(*t->link));
	t->base = keep(arena, m.base, t->bases, sizeof(*t->base));
	note_eights(t, known);
	ml_review_init(&t->review);
	return t;
}

unsigned ml_superblock_track_learn(struct ml_superblock_track *t)
{
	uint16_t wrong[ML_JOIN_SLOTS];
	unsigned values = 0;

	for (unsigned i = 0; i < t->words; i++)
		if (!t->link[i].constant)
			wrong[values++] = t->left[i];
	return ml_course_learn(&t->course, wrong, t->review.used);
}
