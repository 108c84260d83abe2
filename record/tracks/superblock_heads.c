#include "record/tracks/superblock_heads.h"

#include <string.h>

#include "lib/trace/control.h"
#include "lib/trace/writer.h"
#include "record/tracks/course.h"
#include "record/tracks/join.h"
#include "record/tracks/superblock_track.h"

enum {
	SIDE_OF = 16,  /* a side track must be for one of so many uses */
	WHOLE_OF = 32, /* a track is followed to its end but for one of so many uses */
};

void ml_superblock_heads_init(struct ml_superblock_heads *g, struct ml_writer *writer)
{
	*g = (struct ml_superblock_heads){ .writer = writer };
	g->join = ml_resize(NULL, sizeof(*g->join));
}

void ml_superblock_heads_release(struct ml_superblock_heads *g)
{
	ml_free(g->known.at);
	ml_free(g->track);
	ml_free(g->join);
	ml_drafts_release(&g->drafts);
	ml_arena_release(&g->arena);
}

void ml_superblock_heads_forget(struct ml_superblock_heads *g)
{
	ml_drafts_clear(&g->drafts);
	for (size_t i = 0; i < g->known.count; i++) {
		struct ml_superblock *k = &g->known.at[i];

		g->track[i] = NULL;
		if (k->start)
			memset(k->start, 0, (k->exits + 1u) * sizeof(*k->start));
	}
}

void ml_superblock_heads_add(struct ml_superblock_heads *g, struct ml_superblock *k)
{
	size_t id = (size_t)(k - g->known.at);

	g->track = ml_grow(g->track, &g->track_cap, id + 1, sizeof(*g->track));
	k->start = ml_arena_alloc(&g->arena, (k->exits + 1u) * sizeof(*k->start));
}

/* Reads the run at w, of which ML_SUPERBLOCK_WORDS words can be read. */
static void read_run(const struct ml_superblock_heads *g, const uint64_t *w,
		     struct ml_run *r)
{
	uint8_t where = ml_superblocks_find(&g->known, *w)->where;
	size_t at = 0, values = 0, bases;
	unsigned n = 0;

	for (; n < ML_SUPERBLOCK_PARTS && at < ML_SUPERBLOCK_WORDS; n++) {
		const struct ml_superblock *k = ml_superblocks_find(&g->known, w[at]);

		if (!k || k->where != where)
			break;
		const uint64_t *base = ml_superblock_bases(k, w + at);
		size_t first = (size_t)(base - w);
		uint32_t back = ml_superblock_left_at(
			k, base, ML_SUPERBLOCK_WORDS - first, &bases);
		at = first + bases;
		/* the word behind a part tells whether the part was left early */
		if (at >= ML_SUPERBLOCK_WORDS || values + bases > ML_JOIN_SLOTS)
			break;
		for (size_t i = first; i < at; i++)
			r->value[values++] = ML_WORD_VALUE(w[i]);
		r->symbol[n] = ml_superblock_symbol((uint32_t)(k - g->known.at),
						    k->path - back);
		r->values[n] = (uint16_t)values;
	}
	r->parts = n;
}

/*
 * Adds the run at w to the draft if it begins as the track does that the draft reviews.
 * True: the draft is full.
 */
static bool add_run(struct ml_superblock_heads *g, struct ml_draft *d, const uint64_t *w)
{
	const struct ml_superblock_track *t = d->track;
	struct ml_run *r = ml_draft_next(d);

	read_run(g, w, r);
	return r->parts && (!t || r->symbol[0] == t->course.part[0].symbol) &&
	       ml_draft_add(d);
}

/* The course that most runs of a full draft took, as far as it can be one shape. */
static void find_course(const struct ml_superblock_heads *g, struct ml_course *c,
			struct ml_course_room *room, const struct ml_draft *d)
{
	uint32_t path[ML_SUPERBLOCK_PARTS];

	ml_course_vote(c, room, d);
	for (unsigned i = 0; i < c->parts; i++)
		c->part[i].path = path[i] = (uint32_t)c->part[i].symbol;
	c->parts = (unsigned)ml_join_max(ml_writer_shapes(g->writer), path, c->parts);
}

/* Keys of heads; they lie in the arena, and stay where they are. */
static uint64_t key_of(const struct ml_superblock_head *s)
{
	return (uintptr_t)s;
}

/* The draft for another track of the head, or NULL. */
static struct ml_draft *draft_of(struct ml_superblock_heads *g,
				 struct ml_superblock_head *s,
				 const struct ml_superblock_track *t)
{
	if (g->tracks >= ML_HEAD_TRACKS)
		return NULL;
	return ml_drafts_get(&g->drafts, &s->head, key_of(s), t);
}

static void end_draft(struct ml_superblock_heads *g, struct ml_superblock_head *s)
{
	ml_drafts_drop(&g->drafts, &s->head, key_of(s));
}

/* A track of the course that was joined last. */
static struct ml_superblock_track *make_track(struct ml_superblock_heads *g,
					      struct ml_superblock_head *s,
					      const struct ml_course *c)
{
	struct ml_superblock_track *t = ml_superblock_track_make(&g->known, c, &g->arena);

	struct ml_shapes *shapes = ml_writer_shapes(g->writer);

	t->path = ml_join_done(g->join, shapes);
	ml_control_joins(ml_writer_control(g->writer), shapes,
			 shapes->path[t->path].shape, g->join->part, c->parts);
	t->start = s;
	g->tracks++;
	return t;
}

/* Puts the track in this place. */
static void put(struct ml_superblock_heads *g, struct ml_superblock_track *t,
		struct ml_superblock_track **place)
{
	t->place = place;
	*place = t;
	if (place == &t->start->track)
		g->track[ml_superblock_id(t->course.part[0].symbol)] = t;
}

void ml_superblock_heads_heat(struct ml_superblock_heads *g, struct ml_superblock_head *s,
			      const uint64_t *w, size_t room)
{
	struct ml_course_room space;
	struct ml_course c;

	if (!ml_head_heat(&s->head) || room <= ML_SUPERBLOCK_WORDS)
		return;
	struct ml_draft *d = draft_of(g, s, NULL);
	if (!d) {
		ml_head_cool(&s->head, false);
		return;
	}
	if (!add_run(g, d, w))
		return;
	find_course(g, &c, &space, d);
	if (c.parts >= 2) {
		ml_course_join(&c, d, ml_writer_shapes(g->writer), NULL, 0, g->join);
		put(g, make_track(g, s, &c), &s->track);
	}
	ml_head_cool(&s->head, true);
	end_draft(g, s);
}

/* Hands over the side track behind n parts. */
static void move_side(struct ml_superblock_track *to, struct ml_superblock_track *from,
		      unsigned n)
{
	struct ml_superblock_side *s = &to->side[n - 1];

	*s = from->side[n - 1];
	to->end[n - 1].side = s->track;
	if (s->track)
		s->track->place = &s->track;
	from->side[n - 1].track = NULL;
	from->end[n - 1].side = false;
}

/* Makes a track the side track of another, with which it shares the first n parts. */
static void put_side(struct ml_superblock_heads *g, struct ml_superblock_track *t,
		     struct ml_superblock_track *side, unsigned n)
{
	uint32_t next = ml_superblock_id(side->course.part[n].symbol);

	move_side(side, t, n);
	t->side[n - 1].head = g->known.at[next].head;
	t->end[n - 1].side = true;
	side->shared = (uint8_t)n;
	put(g, side, &t->side[n - 1].track);
}

/* Replaces the track if the runs of its draft show a better one. */
static bool replace(struct ml_superblock_heads *g, struct ml_superblock_track *t,
		    const struct ml_draft *d)
{
	unsigned right = ml_superblock_track_learn(t);
	struct ml_course_room room;
	struct ml_course c;

	find_course(g, &c, &room, d);
	unsigned n = ml_course_common(&t->course, &c);
	if (c.parts < 2 || !n)
		return false;
	if (n == c.parts && n == t->parts && n == right)
		return false; /* the new course is the same as the present one */
	ml_course_inherit(&c, &t->course, n);
	if (n > right)
		n = right;
	if (n < t->shared)
		return false;
	ml_course_join(&c, d, ml_writer_shapes(g->writer), &t->course, n, g->join);
	if (!ml_course_is_better(&c, &t->course, d, ml_writer_collected(g->writer)))
		return false;
	struct ml_superblock_track *new = make_track(g, t->start, &c);
	new->shared = t->shared;
	put(g, new, t->place);
	/* side tracks stay where the parts before them are joined in the same way */
	for (unsigned i = 1; i <= n; i++)
		move_side(new, t, i);
	if (right == t->parts && n < t->parts)
		put_side(g, new, t, n);
	return true;
}

/* The part behind which the track is left often for superblocks without a side track. */
static unsigned often_left(const struct ml_superblock_track *t)
{
	unsigned max = t->review.used / SIDE_OF, part = 0;

	for (unsigned i = 0; i < t->parts && t->end[i].slots + 8 < ML_JOIN_SLOTS &&
			     i + 1 < ML_SUPERBLOCK_PARTS;
	     i++)
		if (t->left[t->words + i + 1] > max) {
			max = t->left[t->words + i + 1];
			part = i + 1;
		}
	return part;
}

/* Is it nearly always followed to its end? Then there is nothing better. */
static bool goes_whole(const struct ml_superblock_track *t)
{
	return t->left[t->words + t->parts] * WHOLE_OF >= t->review.used * (WHOLE_OF - 1);
}

/* Makes a side track for the runs of the draft, which left the track where it is watched.
 */
static bool add_side(struct ml_superblock_heads *g, struct ml_superblock_track *t,
		     const struct ml_draft *d)
{
	struct ml_course_room room;
	unsigned n = t->watched;
	struct ml_course c;

	find_course(g, &c, &room, d);
	if (c.parts <= n || ml_course_common(&t->course, &c) != n)
		return false;
	ml_course_inherit(&c, &t->course, n);
	ml_course_join(&c, d, ml_writer_shapes(g->writer), &t->course, n, g->join);
	put_side(g, t, make_track(g, t->start, &c), n);
	return true;
}

/* Is the track still in its place, and not replaced? */
static bool is_placed(const struct ml_superblock_track *t)
{
	return *t->place == t;
}

void ml_superblock_heads_review(struct ml_superblock_heads *g,
				struct ml_superblock_track *t, const uint64_t *w,
				size_t room, unsigned n)
{
	struct ml_superblock_head *s = t->start;
	struct ml_draft *d = NULL;
	bool changed = true, begins = t->review.due == t->review.gap;

	if (room <= ML_SUPERBLOCK_WORDS)
		return; /* the next use will do */
	if (begins)
		t->watched = t->reviews++ & 1 ? (uint8_t)often_left(t) : 0;
	if (begins && !t->watched && goes_whole(t))
		changed = false;
	else if (is_placed(t))
		d = draft_of(g, s, t);
	if (d) {
		bool full = (!t->watched || n == t->watched) && add_run(g, d, w);

		if (full) {
			changed = t->watched ? add_side(g, t, d) : replace(g, t, d);
			if (changed)
				ml_head_cool(&s->head, true);
		} else if (ml_review_wait(&t->review, t->watched ? 1 : ML_REVIEW_APART)) {
			return;
		}
		end_draft(g, s);
	}
	ml_review_end(&t->review, changed);
	memset(t->left, 0, ml_superblock_track_leavings(t) * sizeof(*t->left));
}
