#include "record/tracks/superblock_track.h"

#include <string.h>

#include "lib/trace/writer.h"
#include "record/tracks/superblock_steps.h"

enum {
	WRONG = 4,       /* times that a constant may fail, and */
	WRONG_OF = 8,    /* the share of uses (one of so many) */
	WRONG_DRIFT = 6, /* the same for drifts, which save more than they cost */
};

_Static_assert((int)ML_GUEST_WORDS < (int)ML_SUPERBLOCK_FOLLOW_WORDS,
	       "tracks are too long to follow, and for the bytes of their ends");

/* A track while it is made. */
struct making {
	uint8_t bases, drifts;
	struct ml_guest_end end[ML_GUEST_PARTS];
	struct ml_guest_drift drift[ML_JOIN_SLOTS];
	struct ml_guest_link link[ML_GUEST_WORDS];
	uint8_t base[ML_JOIN_SLOTS];
};

/* What is known of who called where part i of the course ends. */
static void note_end(const struct ml_superblock_steps *g, const struct ml_guest_course *c,
		     unsigned i, struct ml_guest_end *e)
{
	const struct ml_guest_known *k = &g->shapes[c->id[i]];
	bool whole = k->path == c->path[i];
	unsigned from = !k->brief; /* the first word with a base */

	e->sp = ML_GUEST_NO_SP;
	if (i) {
		*e = e[-1];
		from += c->end[i - 1];
	}
	e->next = 0;
	if (i + 1 < c->parts && g->shapes[c->id[i + 1]].brief)
		e->next = (uint16_t)(g->shapes[c->id[i + 1]].head >> ML_BRIEF_SHIFT);
	e->words = (uint8_t)c->end[i];
	e->bases = (uint8_t)g->join->shape.bases;
	e->slots = (uint8_t)g->join->shape.slots;
	e->early = !whole;
	e->returns = whole && k->returns;
	if (k->sp_base >= 0 && from + (unsigned)k->sp_base < e->words) {
		e->sp = (uint8_t)(from + (unsigned)k->sp_base);
		e->sp_delta = k->sp_before;
	}
	if (whole && k->sp_end >= 0) {
		e->sp = (uint8_t)(from + (unsigned)k->sp_end);
		e->sp_delta = k->sp_after;
	}
	if (whole && k->call)
		e->call = k->call;
}

/* What the join says of the value of a word. */
static void note_value(struct making *m, unsigned at, const struct ml_link *l,
		       const struct ml_join *j)
{
	m->link[at].constant = false;
	m->link[at].from = (uint16_t)at;
	if (l->from == ML_JOIN_NEW) {
		m->base[m->bases++] = (uint8_t)at;
	} else if (l->from & ML_DRIFT) {
		const struct ml_drift *d = &j->drift[l->from - ML_DRIFT];

		m->drift[m->drifts++] =
			(struct ml_guest_drift){ (uint8_t)at, m->base[d->like],
						 m->base[d->as], m->base[d->from],
						 d->shift };
	} else {
		m->link[at].delta += (uint64_t)l->delta;
		m->link[at].from = m->base[l->from];
	}
}

/* All that was noted of the words, as record/tracks/superblock_follow.h wants it. */
static void note_eights(struct ml_superblock_track *t,
			const struct ml_superblock_steps *g,
			const struct ml_guest_course *c)
{
	struct ml_superblock_follow_word word[ML_GUEST_WORDS];
	unsigned base = 0, part = 0;

	for (unsigned i = 0; i < t->words; i++) {
		const struct ml_guest_link *l = &t->link[i];
		uint64_t head = l->head ? g->shapes[c->id[part++]].head : 0;

		word[i] = (struct ml_superblock_follow_word){ .head = head,
							      .delta = l->delta - head,
							      .root = l->from,
							      .constant = l->constant };
		word[i].base = base < t->bases && t->base[base] == i;
		base += word[i].base;
	}
	for (unsigned i = 0; i < t->drifts; i++) {
		const struct ml_guest_drift *m = &t->drift[i];

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

/* Runs that went along the course, those that went furthest first. */
static unsigned sort_runs(const struct ml_superblock_draft *d,
			  const struct ml_guest_course *c,
			  const struct ml_guest_run **run, unsigned *along)
{
	unsigned runs = 0;

	for (unsigned i = 0; i < d->runs; i++) {
		unsigned far = ml_guest_run_along(&d->run[i], c), k = runs++;

		for (; k && along[k - 1] < far; k--) {
			along[k] = along[k - 1];
			run[k] = run[k - 1];
		}
		along[k] = far;
		run[k] = &d->run[i];
	}
	return runs;
}

static void join_parts(struct ml_superblock_steps *g, const struct ml_superblock_draft *d,
		       const struct ml_guest_course *c,
		       const struct ml_superblock_track *as, unsigned same,
		       struct making *m)
{
	const struct ml_shapes *shapes = ml_writer_shapes(g->writer);
	const struct ml_guest_run *run[ML_JOIN_RUNS];
	struct ml_join *j = g->join;
	unsigned along[ML_JOIN_RUNS], at = 0;
	size_t link = 0;
	struct ml_join_runs r = { .count = sort_runs(d, c, run, along) };

	ml_join_init(j, shapes->path[c->path[0]].user);
	if (same)
		memcpy(j->drift, as->moves, as->drifts * sizeof(*j->drift));
	for (unsigned i = 0; i < c->parts; i++) {
		while (r.count && along[r.count - 1] <= i)
			r.count--;
		const struct ml_guest_known *known = &g->shapes[c->id[i]];
		m->link[at] = (struct ml_guest_link){ .delta = known->head,
						      .head = true,
						      .constant = true };
		at += !known->brief;
		for (unsigned k = 0; k < r.count; k++)
			r.value[k] = run[k]->word + at;
		ml_join_part(j, shapes, c->path[i], &r, c->free + at,
			     i < same ? as->join + link : NULL);
		note_end(g, c, i, &m->end[i]);
		for (; at < c->end[i]; at++)
			note_value(m, at, &j->link[link++], j);
	}
}

static void *keep(struct ml_superblock_steps *g, const void *from, size_t count,
		  size_t size)
{
	void *to = ml_arena_alloc(&g->arena, count * size);

	return memcpy(to, from, count * size);
}

struct ml_superblock_track *ml_superblock_track_make(struct ml_superblock_steps *g,
						     const struct ml_superblock_draft *d,
						     const struct ml_guest_course *c,
						     const struct ml_superblock_track *as,
						     unsigned same)
{
	struct making m = { 0 };
	uint16_t words = c->end[c->parts - 1];
	size_t eights = ml_superblock_follow_reads(words) / 8;
	struct ml_superblock_track *t;

	join_parts(g, d, c, as, same, &m);
	t = ml_arena_alloc(&g->arena, sizeof(*t) + eights * sizeof(*t->eight));
	*t = (struct ml_superblock_track){ .parts = (uint8_t)c->parts,
					   .words = words,
					   .bases = m.bases,
					   .drifts = m.drifts,
					   .head = g->shapes[c->id[0]].head,
					   .where = g->shapes[c->id[0]].where };
	t->end = keep(g, m.end, t->parts, sizeof(*t->end));
	t->side = ml_arena_alloc(&g->arena, t->parts * sizeof(*t->side));
	t->drift = keep(g, m.drift, t->drifts, sizeof(*t->drift));
	t->left = ml_arena_alloc(&g->arena,
				 ml_superblock_track_leavings(t) * sizeof(*t->left));
	t->link = keep(g, m.link, t->words, sizeof(*t->link));
	t->base = keep(g, m.base, t->bases, sizeof(*t->base));
	t->join = keep(g, g->join->link, g->join->links, sizeof(*t->join));
	t->moves = keep(g, g->join->drift, t->drifts, sizeof(*t->moves));
	t->course = keep(g, c, 1, sizeof(*c));
	note_eights(t, g, c);
	t->path = ml_join_done(g->join, ml_writer_shapes(g->writer));
	g->tracks++;
	return t;
}

static bool is_drift(const struct ml_superblock_track *t, unsigned at)
{
	for (unsigned i = 0; i < t->drifts; i++)
		if (t->drift[i].at == at)
			return true;
	return false;
}

unsigned ml_superblock_track_learn(struct ml_superblock_track *t)
{
	unsigned before = t->parts;

	for (unsigned at = t->words; --at > 0;) {
		bool drift = is_drift(t, at);

		if (t->link[at].constant || (!drift && t->link[at].from == at) ||
		    t->left[at] < WRONG ||
		    t->left[at] * (drift ? WRONG_DRIFT : WRONG_OF) < (int)t->used)
			continue;
		t->course->free[at] = drift ? ML_JOIN_FREE : ML_JOIN_NO_CONSTANT;
		while (before && t->end[before - 1].words > at)
			before--;
	}
	return before;
}

size_t ml_superblock_track_words(const struct ml_superblock_track *t, const uint64_t *w,
				 size_t room, uint64_t *value)
{
	size_t most = t->words < room ? t->words : room, i = 1;

	for (; i < most; i++) {
		const struct ml_guest_link *l = &t->link[i];
		uint64_t root = l->constant ? 0 : ML_WORD_VALUE(w[l->from]);

		if (w[i] != root + l->delta)
			break;
	}
	for (unsigned k = 0; k < t->bases && t->base[k] < i; k++)
		value[k] = ML_WORD_VALUE(w[t->base[k]]);
	for (unsigned k = 0; k < t->drifts && t->drift[k].at < i; k++) {
		const struct ml_guest_drift *m = &t->drift[k];

		if (ML_WORD_VALUE(w[m->at]) - ML_WORD_VALUE(w[m->like]) !=
		    (ML_WORD_VALUE(w[m->as]) - ML_WORD_VALUE(w[m->from])) << m->shift)
			return m->at;
	}
	return i;
}
