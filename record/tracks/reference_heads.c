#include "record/tracks/reference_heads.h"

#include <string.h>

#include "lib/trace/writer.h"
#include "record/tracks/course.h"
#include "record/tracks/join.h"
#include "record/tracks/reference_track.h"

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	ROOM_MIN = 8, /* inputs of fuzzers are short */
#else
	ROOM_MIN = ML_REFERENCE_PARTS, /* references that must be there for a run */
#endif
	FIRST_CAP = 1 << 10,
};

static void grow(struct ml_reference_heads *g)
{
	struct ml_reference_head *old = g->at;
	size_t cap = g->cap;

	g->cap = cap ? cap * 2 : FIRST_CAP;
	g->at = ml_resize(NULL, g->cap * sizeof(*g->at));
	memset(g->at, 0, g->cap * sizeof(*g->at));
	for (size_t i = 0; i < cap; i++)
		if (old[i].key)
			*ml_reference_heads_find(g, old[i].key) = old[i];
	ml_free(old);
}

void ml_reference_heads_init(struct ml_reference_heads *g,
			     struct ml_reference_places *places)
{
	*g = (struct ml_reference_heads){ .places = places };
	g->join = ml_resize(NULL, sizeof(*g->join));
	grow(g);
}

void ml_reference_heads_release(struct ml_reference_heads *g)
{
	ml_free(g->at);
	ml_free(g->join);
	ml_drafts_release(&g->drafts);
	ml_arena_release(&g->arena);
}

void ml_reference_heads_forget(struct ml_reference_heads *g)
{
	memset(g->at, 0, g->cap * sizeof(*g->at));
	g->count = 0;
	ml_drafts_clear(&g->drafts);
}

/* Adds the run at w to the draft. True: the draft is full. */
static bool add_run(struct ml_draft *d, const uint64_t *w, size_t room)
{
	struct ml_run *r = ml_draft_next(d);
	unsigned n = 0;

	for (; n < room && n < ML_REFERENCE_PARTS && ml_reference_is_pair(w[2 * n]);
	     n++) {
		r->symbol[n] = w[2 * n];
		r->value[n] = w[2 * n + 1];
		r->values[n] = (uint16_t)(n + 1);
	}
	r->parts = n;
	return ml_draft_add(d);
}

/* How many parts of a course of full length a track should have: whole rounds of a loop.
 */
static unsigned whole_rounds(const struct ml_course *c)
{
	for (unsigned i = c->parts - ML_REFERENCE_AHEAD; i > c->parts / 2; i--) {
		unsigned same = 0;

		while (same < ML_REFERENCE_AHEAD &&
		       c->part[same].symbol == c->part[i + same].symbol)
			same++;
		if (same == ML_REFERENCE_AHEAD)
			return i;
	}
	return c->parts;
}

/* The course that most runs of a full draft took, as far as it can be one shape. */
static void find_course(struct ml_reference_heads *g, struct ml_course *c,
			struct ml_course_room *room, const struct ml_draft *d)
{
	uint32_t path[ML_REFERENCE_PARTS];
	unsigned n = 0;

	ml_course_vote(c, room, d);
	for (; n < c->parts; n++) {
		const struct ml_reference_place *p =
			ml_reference_places_find(g->places, c->part[n].symbol);

		if (p->call)
			break;
		c->part[n].path = path[n] = p->path;
	}
	c->parts = (unsigned)ml_join_max(ml_writer_shapes(g->places->writer), path, n);
	if (c->parts == ML_REFERENCE_PARTS)
		c->parts = whole_rounds(c);
}

static void join(struct ml_reference_heads *g, struct ml_course *c,
		 const struct ml_draft *d)
{
	ml_course_join(c, d, ml_writer_shapes(g->places->writer), NULL, 0, g->join);
}

/* Gives the head a track of the course that was joined last. */
static void put_track(struct ml_reference_heads *g, struct ml_reference_head *h,
		      const struct ml_course *c)
{
	h->track = ml_reference_track_make(c, &g->arena);
	h->track->path = ml_join_done(g->join, ml_writer_shapes(g->places->writer));
	g->tracks++;
}

/* The draft for another track of the head, or NULL. */
static struct ml_draft *draft_of(struct ml_reference_heads *g,
				 struct ml_reference_head *h)
{
	if (g->tracks >= ML_HEAD_TRACKS)
		return NULL;
	return ml_drafts_get(&g->drafts, &h->head, h->key, h->track);
}

void ml_reference_heads_heat(struct ml_reference_heads *g, const uint64_t *w, size_t room)
{
	uint64_t key = ml_reference_heads_key(w, room);
	struct ml_reference_head *h = ml_reference_heads_find(g, key);
	struct ml_course_room space;
	struct ml_course c;

	if (!h->key) {
		if (g->count >= ML_REFERENCE_HEADS)
			return;
		if (++g->count * 2 > g->cap)
			grow(g);
		h = ml_reference_heads_find(g, key);
		h->key = key;
	}
	if (!ml_head_heat(&h->head) || room < ROOM_MIN)
		return;
	struct ml_draft *d = draft_of(g, h);
	if (!d) {
		ml_head_cool(&h->head, false);
		return;
	}
	if (!add_run(d, w, room))
		return;
	find_course(g, &c, &space, d);
	if (c.parts >= 2) {
		join(g, &c, d);
		put_track(g, h, &c);
	}
	ml_head_cool(&h->head, true);
	ml_drafts_drop(&g->drafts, &h->head, h->key);
}

/* Replaces the track if the runs of its draft show a better one. */
static bool replace(struct ml_reference_heads *g, struct ml_reference_head *h,
		    const struct ml_draft *d)
{
	struct ml_reference_track *t = h->track;
	struct ml_course_room room;
	struct ml_course c;

	ml_course_learn(&t->course, t->wrong, t->review.used);
	find_course(g, &c, &room, d);
	if (c.parts < 2)
		return false;
	ml_course_inherit(&c, &t->course, ml_course_common(&t->course, &c));
	join(g, &c, d);
	if (!ml_course_is_better(&c, &t->course, d,
				 ml_writer_collected(g->places->writer)))
		return false;
	put_track(g, h, &c);
	ml_head_cool(&h->head, true);
	return true;
}

void ml_reference_heads_review(struct ml_reference_heads *g, struct ml_reference_head *h,
			       const uint64_t *w, size_t room)
{
	struct ml_reference_track *t = h->track;
	bool changed = true;

	if (room < ROOM_MIN)
		return; /* the next use will do */
	struct ml_draft *d = draft_of(g, h);
	if (d) {
		if (add_run(d, w, room))
			changed = replace(g, h, d);
		else if (ml_review_wait(&t->review, ML_REVIEW_APART))
			return;
		ml_drafts_drop(&g->drafts, &h->head, h->key);
	}
	ml_review_end(&t->review, changed);
	memset(t->wrong, 0, sizeof(t->wrong));
}
