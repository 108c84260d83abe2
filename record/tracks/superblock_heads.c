#include "record/tracks/superblock_heads.h"

#include <string.h>

#include "lib/trace/writer.h"
#include "record/tracks/superblock_steps.h"
#include "record/tracks/superblock_track.h"

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	HOT = 3, /* fuzzers say little, and shall get there */
	FIRST_LOOK = 4,
	APART = 1,
#else
	HOT = 300,        /* steps that begin at a superblock before it becomes a head */
	FIRST_LOOK = 256, /* uses of a new track before it is looked at */
	APART = 7,        /* uses from one run that is looked at to the next */
#endif
	LAST_LOOK = 1 << 15, /* if nothing came of it, after four times as many */
	PATIENCE = 1024,     /* uses in which all the runs must come */
	TRIES = 16,          /* tracks of a head that are made in all */
	SIDE_OF = 16,        /* a side track must be for one of so many uses */
	BETTER = 85,         /* what there is goes less than so many percent as far */
	TRACKS = 1 << 15,
};

/* References and parts that runs of the draft go along the course. */
static uint64_t worth(const struct ml_superblock_steps *g,
		      const struct ml_superblock_draft *d,
		      const struct ml_guest_course *c)
{
	const struct ml_shapes *shapes = ml_writer_shapes(g->writer);
	uint64_t sum = 0;

	for (unsigned i = 0; i < d->runs; i++) {
		unsigned n = ml_guest_run_along(&d->run[i], c);

		for (unsigned k = 0; k < n; k++)
			sum += 1u + shapes->path[c->path[k]].slots;
	}
	return sum;
}

/* A track for what the draft of the head has, the first parts as in another. */
static struct ml_superblock_track *make_track(struct ml_superblock_steps *g,
					      struct ml_guest_start *s,
					      const struct ml_guest_course *c,
					      const struct ml_superblock_track *as,
					      unsigned same)
{
	struct ml_superblock_track *t = ml_superblock_track_make(g, s->draft, c, as,
								 same);

	t->start = s;
	t->gap = t->due = FIRST_LOOK;
	s->tries++;
	return t;
}

/* From now on it is the one in this place. */
static void put(struct ml_superblock_steps *g, struct ml_superblock_track *t,
		struct ml_superblock_track **place)
{
	t->place = place;
	*place = t;
	if (place == &t->start->track)
		g->track[t->course->id[0]] = t;
}

/* May the head have another track? Then there is a draft for looking at this one. */
static bool may_draft(struct ml_superblock_steps *g, struct ml_guest_start *s,
		      struct ml_superblock_track *t)
{
	if (s->tries >= TRIES || g->tracks >= TRACKS)
		return false;
	if (!s->draft || s->draft->track != t)
		return ml_superblock_draft_begin(g, s, t);
	return true;
}

void ml_guest_heat(struct ml_superblock_steps *g, struct ml_guest_start *s,
		   const uint64_t *w, size_t room)
{
	struct ml_guest_course c;

	if (++s->count < HOT || room <= ML_GUEST_WORDS)
		return;
	if (!may_draft(g, s, NULL)) {
		s->count = 0; /* asks again when it has become hot once more */
		return;
	}
	if (!ml_superblock_draft_look(s->draft, g, w))
		return;
	ml_superblock_draft_course(s->draft, &c);
	if (c.parts >= 2)
		put(g, make_track(g, s, &c, NULL, 0), &s->track);
	else
		s->tries++;
	s->count = 0;
	ml_superblock_draft_end(s->draft);
}

/* How many parts two courses have in common. */
static unsigned common(const struct ml_guest_course *a, const struct ml_guest_course *b)
{
	unsigned n = 0;

	while (n < a->parts && n < b->parts && a->path[n] == b->path[n])
		n++;
	return n;
}

/* Hands over what is at the side of a track behind n parts. */
static void move_side(struct ml_superblock_track *to, struct ml_superblock_track *from,
		      unsigned n)
{
	struct ml_guest_side *s = &to->side[n - 1];

	*s = from->side[n - 1];
	to->end[n - 1].side = s->track;
	if (s->track)
		s->track->place = &s->track;
	from->side[n - 1].track = NULL;
	from->end[n - 1].side = false;
}

/* Puts a track at the side of another, of which it has the first n parts. */
static void put_side(struct ml_superblock_steps *g, struct ml_superblock_track *t,
		     struct ml_superblock_track *side, unsigned n)
{
	move_side(side, t, n);
	t->side[n - 1].head = g->shapes[side->course->id[n]].head;
	t->end[n - 1].side = true;
	side->shared = (uint8_t)n;
	put(g, side, &t->side[n - 1].track);
}

/* Is there something better than the track? Its draft has all its runs. */
static bool replace(struct ml_superblock_steps *g, struct ml_superblock_track *t)
{
	struct ml_guest_start *s = t->start;
	struct ml_guest_course c;
	unsigned right = ml_superblock_track_learn(t);
	bool wrong = right < t->parts;

	ml_superblock_draft_course(s->draft, &c);
	unsigned n = common(t->course, &c);
	if (c.parts < 2 || !n ||
	    (!wrong &&
	     worth(g, s->draft, &c) * BETTER <= worth(g, s->draft, t->course) * 100))
		return false;
	/* what was learnt of the words of one course holds in the other */
	memcpy(c.free, t->course->free, c.end[n - 1]);
	if (n > right)
		n = right;
	if (n < t->shared)
		return false;
	struct ml_superblock_track *new = make_track(g, s, &c, t, n);
	new->shared = t->shared;
	put(g, new, t->place);
	/* side tracks stay where the parts before are joined as theirs */
	for (unsigned i = 1; i <= n; i++)
		move_side(new, t, i);
	if (!wrong && n < t->parts)
		put_side(g, new, t, n);
	return true;
}

/* The part behind which it is left often, for the same. */
static unsigned often_left(const struct ml_superblock_track *t)
{
	unsigned most = t->used / SIDE_OF, part = 0;

	for (unsigned i = 0; i < t->parts && t->end[i].slots + 8 < ML_JOIN_SLOTS &&
			     i + 1 < ML_GUEST_PARTS;
	     i++)
		if (t->left[t->words + i + 1] > most) {
			most = t->left[t->words + i + 1];
			part = i + 1;
		}
	return part;
}

/* Is it nearly always followed to its end? Then there is nothing better. */
static bool goes_whole(const struct ml_superblock_track *t)
{
	return t->left[t->words + t->parts] * 32u >= t->used * 31u;
}

/* Runs that left the track there: a track for them. */
static bool add_side(struct ml_superblock_steps *g, struct ml_superblock_track *t)
{
	struct ml_guest_start *s = t->start;
	struct ml_superblock_track *side;
	struct ml_guest_course c;
	unsigned n = t->watched;

	ml_superblock_draft_course(s->draft, &c);
	if (c.parts <= n || common(t->course, &c) != n)
		return false;
	memcpy(c.free, t->course->free, c.end[n - 1]);
	side = make_track(g, s, &c, t, n);
	put_side(g, t, side, n);
	return true;
}

void ml_guest_review(struct ml_superblock_steps *g, struct ml_superblock_track *t,
		     const uint64_t *w, size_t room, unsigned n)
{
	struct ml_guest_start *s = t->start;
	bool begins = !s->draft || s->draft->track != t, changed = true;

	if (room <= ML_GUEST_WORDS)
		return; /* the next will do */
	if (begins)
		t->watched = t->looks++ & 1 ? (uint8_t)often_left(t) : 0;
	if (begins && !t->watched && goes_whole(t)) {
		changed = false;
	} else if (*t->place == t && may_draft(g, s, t)) {
		t->due = t->used + (t->watched ? 1 : APART);
		if ((!t->watched || n == t->watched) &&
		    ml_superblock_draft_look(s->draft, g, w))
			changed = t->watched ? add_side(g, t) : replace(g, t);
		else if (t->used < t->gap + PATIENCE)
			return;
		ml_superblock_draft_end(s->draft);
	}
	if (!changed)
		t->gap = t->gap < LAST_LOOK / 4 ? t->gap * 4 : LAST_LOOK;
	t->used = 0;
	t->due = t->gap;
	memset(t->left, 0, ml_superblock_track_leavings(t) * sizeof(*t->left));
}
