#include "record/guest_steps.h"

#include <string.h>

#include "lib/trace/chunk.h"
#include "lib/trace/join.h"
#include "lib/trace/writer.h"
#include "record/callers.h"
#include "record/follow.h"
#include "record/ring.h"

enum {
	RSP = 4,
	PARTS = 32, /* superblocks of a track at most */
	WORDS = PARTS + ML_JOIN_SLOTS,
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	HOT = 3, /* fuzzers say little, and shall get there */
#else
	HOT = 300, /* steps that begin at a superblock before it becomes a head */
#endif
	TRIES = 8,       /* tracks that a head may have, one after the other */
	AGAIN = 32,      /* of these, with a constant taken back */
	LOOKS = 4,       /* runs that are looked at before a track is made */
	JUDGE = 256,     /* uses after which a track is judged */
	LEAST = 2,       /* parts that a track must join on the average */
	WRONG = 8,       /* times that a constant may fail, and */
	WRONG_OF = 32,   /* the share of uses (one of so many) */
	WRONG_DRIFT = 6, /* the same for drifts, which save more than they cost */
	WAYS = 1 << 16,
};

_Static_assert((int)WORDS <= (int)ML_FOLLOW_WORDS, "tracks are too long to follow");

/* A step may begin a track: of each path of each superblock. */
struct ml_guest_start {
	struct ml_guest_way *way; /* or NULL */
	struct draft *draft;      /* or NULL: of the track to be */
	uint32_t count;           /* steps since the last decision */
	uint16_t tries, again;
};

/* Two runs of what may become a track. */
struct draft {
	unsigned parts, looks, same; /* same: parts that both runs have */
	uint32_t path[PARTS];
	uint32_t id[PARTS];
	uint32_t back[PARTS];
	uint16_t end[PARTS]; /* words up to and with each part */
	uint64_t first[WORDS], second[WORDS];
	uint8_t free[WORDS]; /* what each word does not follow from after all */
};

/* What is known of a word: it is that at `from` (which may be itself) plus delta. */
struct link {
	uint64_t delta;
	uint32_t from;
	uint32_t base; /* bit 31: it is no header; tested by the word's upper half */
};

/* A word that drifts as others do, by the words of the bases of a struct ml_drift. */
struct drift {
	uint8_t at, like, as, from, shift;
};

/* Where a track may be left. */
struct end {
	uint16_t words, bases, slots; /* up to here */
	uint16_t sp;                  /* word that tells the stack pointer; 0: none */
	int32_t sp_delta;
	uint32_t call; /* last call in the user's code; 0: none */
	bool returns, early;
};

struct ml_guest_way {
	uint32_t path;          /* of its first exit; path + k has k + 1 parts */
	uint32_t alone;         /* path of its first part */
	uint32_t used, matched; /* since the last judgement: times, parts in all */
	uint16_t parts, words, bases, drifts;
	struct draft *draft; /* the runs that it was made from */
	struct ml_guest_start *start;
	struct end end[PARTS];
	uint8_t part[WORDS + 1];     /* parts that lie before each word */
	uint8_t base[ML_JOIN_SLOTS]; /* word that each base is */
	uint16_t wrong[WORDS];
	struct drift drift[ML_JOIN_SLOTS];
	struct link link[WORDS];
	struct ml_follow eight[(WORDS + 7) / 8]; /* the same, for record/follow.h */
};

void ml_guest_steps_init(struct ml_guest_steps *g, struct ml_writer *writer)
{
	*g = (struct ml_guest_steps){ .writer = writer };
	g->join = ml_resize(NULL, sizeof(*g->join));
	g->fast = ml_follow_can();
}

void ml_guest_steps_release(struct ml_guest_steps *g)
{
	ml_free(g->shapes);
	ml_free(g->join);
	ml_arena_release(&g->arena);
}

/* Where the stack pointer is found in the bases. */
static void note_stack_pointer(struct ml_guest_known *k, const struct ml_shape *s)
{
	k->sp_base = k->sp_end = -1;
	for (int i = 0; i < s->bases && k->sp_base < 0; i++)
		if (s->base[i].reg == RSP) {
			k->sp_base = (int16_t)i;
			k->sp_before = -s->base[i].delta;
		}
	for (int i = 0; i < s->effects; i++)
		if (s->effect[i].reg == RSP) {
			k->sp_end = (int16_t)s->effect[i].base;
			k->sp_after = s->effect[i].delta;
		}
}

/* A number means something else now: what was learnt of it is void. */
static void forget(struct ml_guest_steps *g)
{
	for (size_t i = 0; i < g->count; i++) {
		struct ml_guest_known *k = &g->shapes[i];

		k->way = NULL;
		if (k->start)
			memset(k->start, 0, (k->exits + 1u) * sizeof(*k->start));
	}
}

struct ml_guest_known *ml_guest_steps_add(struct ml_guest_steps *g, uint32_t id,
					  const struct ml_shape *shape)
{
	g->shapes = ml_grow(g->shapes, &g->cap, id + 1u, sizeof(*g->shapes));
	struct ml_guest_known *k = &g->shapes[id];
	if (k->where != ML_GUEST_UNDECLARED)
		forget(g);
	*k = (struct ml_guest_known){
		.bases = shape->bases,
		.exits = shape->exits,
		.exit = shape->exit,
		.where = shape->user ? ML_GUEST_USER : ML_GUEST_LIBRARY,
		.shape = shape,
		.number = ml_writer_shape(g->writer, shape),
	};
	k->path = ml_writer_path(g->writer, k->number, shape->bases);
	k->start = ml_arena_alloc(&g->arena, (shape->exits + 1u) * sizeof(*k->start));
	memset(k->start, 0, (shape->exits + 1u) * sizeof(*k->start));
	note_stack_pointer(k, shape);
	if (id >= g->count)
		g->count = id + 1;
	return k;
}

static inline uint32_t left_at(const struct ml_guest_known *k, const uint64_t *value,
			       size_t room, size_t *bases)
{
	*bases = k->bases;
	for (unsigned i = 0; i < k->exits; i++) {
		size_t at = k->exit[i].bases;

		if (at >= room || value[at] >> 63) {
			*bases = at;
			return k->exits - i;
		}
	}
	return 0;
}

uint32_t ml_guest_left_at(const struct ml_guest_known *k, const uint64_t *value,
			  size_t room, size_t *bases)
{
	return left_at(k, value, room, bases);
}

uint64_t ml_guest_sp_before(const struct ml_guest_known *k, const uint64_t *value,
			    size_t bases, uint64_t sp)
{
	if (k->sp_base >= 0 && (size_t)k->sp_base < bases)
		return value[k->sp_base] + (uint64_t)(int64_t)k->sp_before;
	return sp;
}

void ml_guest_stepped(const struct ml_guest_known *k, const uint64_t *value,
		      uint32_t back, uint64_t sp, struct ml_callers *c)
{
	c->sp = !back && k->sp_end >= 0
			? value[k->sp_end] + (uint64_t)(int64_t)k->sp_after
			: sp;
	c->returned = !back && k->returns;
	if (k->call && !back)
		c->last_call = k->call;
}

/* The shape that a word says ran, if it says so. */
static inline struct ml_guest_known *known_at(const struct ml_guest_steps *g,
					      uint64_t word)
{
	uint32_t id = ML_WORD_ARG(word);

	return word >> 32 == ML_WORD(ML_WORD_STEP, 0, 0) >> 32 && id < g->count
		       ? &g->shapes[id]
		       : NULL;
}

/* Remembers the run at w, which is to be a track of its head. */
static struct draft *begin_draft(struct ml_guest_steps *g, const uint64_t *w, size_t room)
{
	struct draft *d = ml_arena_alloc(&g->arena, sizeof(*d));
	uint8_t where = known_at(g, *w)->where;
	size_t at = 0;

	memset(d, 0, sizeof(*d));
	while (d->parts < PARTS && at < room) {
		const struct ml_guest_known *k = known_at(g, w[at]);
		size_t bases;

		if (!k || k->where != where)
			break;
		uint32_t back = left_at(k, w + at + 1, room - at - 1, &bases);
		at += 1 + bases;
		if (at > WORDS)
			break;
		d->id[d->parts] = (uint32_t)(k - g->shapes);
		d->back[d->parts] = back;
		d->path[d->parts] = k->path - back;
		d->end[d->parts++] = (uint16_t)at;
	}
	d->parts = (unsigned)ml_join_most(ml_writer_shapes(g->writer), d->path, d->parts);
	if (d->parts)
		memcpy(d->first, w, d->end[d->parts - 1] * sizeof(*w));
	return d;
}

/* Another run from the same head. True: enough has been seen. */
static bool look(struct draft *d, const uint64_t *w)
{
	unsigned same = 0, at = 0;

	for (; same < d->parts && w[at] == d->first[at]; same++) {
		while (++at < d->end[same] && !(w[at] >> 63))
			continue;
		if (at < d->end[same] || (d->back[same] && !(w[at] >> 63)))
			break;
	}
	if (same > d->same) {
		d->same = same;
		memcpy(d->second, w, d->end[same - 1] * sizeof(*w));
	}
	return ++d->looks >= LOOKS || d->same == d->parts;
}

/* What is known of who called where part i of the track ends. */
static void note_end(const struct ml_guest_steps *g, struct ml_guest_way *t,
		     const struct draft *d, unsigned i, unsigned from)
{
	const struct ml_guest_known *k = &g->shapes[d->id[i]];
	bool whole = !d->back[i];
	struct end *e = &t->end[i];

	if (i) {
		e->sp = e[-1].sp;
		e->sp_delta = e[-1].sp_delta;
		e->call = e[-1].call;
	}
	e->words = d->end[i];
	e->early = !whole;
	e->returns = whole && k->returns;
	if (k->sp_base >= 0 && from + 1u + (unsigned)k->sp_base < e->words) {
		e->sp = (uint16_t)(from + 1 + (unsigned)k->sp_base);
		e->sp_delta = k->sp_before;
	}
	if (whole && k->sp_end >= 0) {
		e->sp = (uint16_t)(from + 1 + (unsigned)k->sp_end);
		e->sp_delta = k->sp_after;
	}
	if (whole && k->call)
		e->call = k->call;
}

static bool is_drift(const struct ml_guest_way *t, unsigned at)
{
	for (unsigned i = 0; i < t->drifts; i++)
		if (t->drift[i].at == at)
			return true;
	return false;
}

/* What the join says of a word that is no header. */
static void note_word(struct ml_guest_way *t, unsigned at, const struct ml_link *l,
		      const struct ml_join *j)
{
	t->link[at] = (struct link){ 0, at, 1u << 31 };
	if (l->from == ML_JOIN_NEW) {
		t->base[t->bases++] = (uint8_t)at;
	} else if (l->from & ML_DRIFT) {
		const struct ml_drift *m = &j->drift[l->from - ML_DRIFT];

		t->drift[t->drifts++] = (struct drift){ (uint8_t)at, t->base[m->like],
							t->base[m->as], t->base[m->from],
							m->shift };
	} else {
		t->link[at].delta = (uint64_t)l->delta;
		t->link[at].from = t->base[l->from];
	}
}

/* All that was noted of the words, as record/follow.h wants it. */
static void note_eights(struct ml_guest_way *t, const struct draft *d)
{
	struct ml_follow_word word[WORDS];
	unsigned base = 0;

	for (unsigned i = 0; i < t->words; i++) {
		const struct link *l = &t->link[i];

		word[i] = (struct ml_follow_word){ .delta = l->base ? l->delta
								    : d->first[i],
						   .root = (uint16_t)l->from,
						   .constant = !l->base };
		word[i].base = base < t->bases && t->base[base] == i;
		base += word[i].base;
	}
	ml_follow_make(t->eight, word, t->words);
}

/* A track of the parts that both runs of a draft have. */
static struct ml_guest_way *make_way(struct ml_guest_steps *g, struct ml_guest_start *s,
				     struct draft *d)
{
	struct ml_shapes *shapes = ml_writer_shapes(g->writer);
	struct ml_guest_way *t = ml_arena_alloc(&g->arena, sizeof(*t));
	struct ml_join *j = g->join;
	unsigned at = 0;
	size_t link = 0;

	memset(t, 0, sizeof(*t));
	t->draft = d;
	t->start = s;
	t->alone = d->path[0];
	t->parts = (uint16_t)d->same;
	t->words = d->end[d->same - 1];
	ml_join_init(j, shapes->path[d->path[0]].user);
	for (unsigned i = 0; i < d->same; i++) {
		unsigned from = at;

		ml_join_part(j, shapes, d->path[i], d->first + at + 1, d->second + at + 1,
			     d->free + at + 1);
		note_end(g, t, d, i, from);
		t->end[i].bases = j->shape.bases;
		t->end[i].slots = j->shape.slots;
		t->link[at] = (struct link){ d->first[at] - d->first[0], 0, 0 };
		t->part[at++] = (uint8_t)i;
		for (; at < d->end[i]; at++, link++) {
			t->part[at] = (uint8_t)i;
			note_word(t, at, &j->link[link], j);
		}
	}
	t->part[at] = (uint8_t)d->same;
	note_eights(t, d);
	t->path = ml_join_done(j, shapes);
	g->ways++;
	return t;
}

/* A step begins where there is no track. */
static void heat(struct ml_guest_steps *g, struct ml_guest_known *k,
		 struct ml_guest_start *s, const uint64_t *w, size_t room)
{
	if (++s->count < HOT || s->tries >= TRIES || g->ways >= WAYS || room <= WORDS)
		return;
	if (!s->draft) {
		s->draft = begin_draft(g, w, room);
		return;
	}
	struct draft *d = s->draft;
	if (!look(d, w))
		return;
	s->draft = NULL;
	s->count = 0;
	s->tries++;
	if (d->same >= 2)
		k->way = s->way = make_way(g, s, d);
}

/* A word was not what it should follow from. */
static void learn(struct ml_guest_steps *g, struct ml_guest_known *k,
		  struct ml_guest_start *s, unsigned at)
{
	struct ml_guest_way *t = s->way;
	bool drift = is_drift(t, at);

	if (++t->wrong[at] < WRONG ||
	    t->wrong[at] * (drift ? WRONG_DRIFT : WRONG_OF) < (int)t->used ||
	    g->ways >= WAYS || s->again >= AGAIN)
		return;
	s->again++;
	t->draft->free[at] = drift ? ML_JOIN_FREE : ML_JOIN_NO_CONSTANT;
	k->way = s->way = make_way(g, s, t->draft);
}

/* A track that is mostly left at once gives way to another. */
static void judge(struct ml_guest_known *k, struct ml_guest_start *s)
{
	struct ml_guest_way *t = s->way;

	if (t->matched < (uint64_t)t->used * LEAST) {
		k->way = s->way = NULL;
		s->count = 0;
	}
	t->used = t->matched = 0;
	memset(t->wrong, 0, sizeof(t->wrong));
}

/* The same as ml_follow, one by one. */
static size_t same_plainly(const struct ml_guest_way *t, const uint64_t *w, size_t most,
			   uint64_t *value)
{
	size_t i = 1;

	for (; i < most; i++) {
		const struct link *l = &t->link[i];

		if (w[i] != w[l->from] + l->delta || (uint32_t)(w[i] >> 32) & l->base)
			break;
	}
	for (unsigned k = 0; k < t->bases && t->base[k] < i; k++)
		value[k] = w[t->base[k]];
	return i;
}

/* How many words are as the track has them; the bases among them go to value. */
static inline size_t same_words(const struct ml_guest_steps *g,
				const struct ml_guest_way *t, const uint64_t *w,
				size_t room, uint64_t *value)
{
	size_t i = g->fast && ml_follow_reads(t->words) <= room
			   ? ml_follow(t->eight, w, t->words, value)
			   : same_plainly(t, w, t->words < room ? t->words : room, value);

	for (unsigned k = 0; k < t->drifts && t->drift[k].at < i; k++) {
		const struct drift *m = &t->drift[k];

		if (w[m->at] - w[m->like] != (w[m->as] - w[m->from]) << m->shift)
			return m->at;
	}
	return i;
}

/* How many parts that is. One that should be left early must have been. */
static inline size_t same_parts(const struct ml_guest_way *t, const uint64_t *w,
				size_t words, size_t room)
{
	size_t n = t->part[words];

	if (n && words == t->end[n - 1].words && t->end[n - 1].early && words < room &&
	    !(w[words] >> 63))
		n--;
	return n;
}

/* The first n parts of the track are one step; its values are there already. */
static inline void add(const struct ml_guest_way *t, const uint64_t *w, size_t n,
		       uint32_t caller, struct ml_steps *out, struct ml_callers *c)
{
	const struct end *e = &t->end[n - 1];

	out->at[out->count++] = (struct ml_told){ t->path + (uint32_t)n - 1, caller };
	out->values += e->bases;
	out->refs += e->slots;
	c->returned = e->returns;
	if (e->sp)
		c->sp = w[e->sp] + (uint64_t)(int64_t)e->sp_delta;
	if (e->call)
		c->last_call = e->call;
}

/* A step as it is. Returns how many words it has, 0 if they are not all there. */
static size_t take_one(struct ml_guest_steps *g, struct ml_guest_known *k,
		       const uint64_t *w, size_t room, uint32_t caller,
		       struct ml_steps *out, struct ml_callers *c)
{
	size_t bases;
	uint32_t back = left_at(k, w + 1, room - 1, &bases);
	struct ml_guest_start *s = &k->start[k->exits - back];

	if (bases >= room)
		return 0;
	ml_guest_stepped(k, w + 1, back, ml_guest_sp_before(k, w + 1, bases, c->sp), c);
	ml_steps_add(out, ml_writer_shapes(g->writer),
		     &(struct ml_step){ k->path - back, caller, w + 1 });
	if (!s->way && s->tries < TRIES)
		heat(g, k, s, w, room);
	return 1 + bases;
}

bool ml_guest_steps_take(struct ml_guest_steps *g, struct ml_callers *c, uint32_t caller,
			 const uint64_t **at, const uint64_t *end, struct ml_err *err)
{
	const uint64_t *w = *at;
	struct ml_steps *out = ml_writer_now(g->writer);
	uint8_t where = c->user ? ML_GUEST_USER : ML_GUEST_LIBRARY;

	while (w < end) {
		struct ml_guest_known *k = known_at(g, *w);
		size_t room = (size_t)(end - w), n = 0, words = 0;

		if (!k || k->where != where)
			break;
		struct ml_guest_way *t = k->way;
		if (__builtin_expect(t != NULL, 1)) {
			words = same_words(g, t, w, room, out->value + out->values);
			n = same_parts(t, w, words, room);
		}
		if (!n) {
			size_t bases;
			uint32_t back = left_at(k, w + 1, room - 1, &bases);
			struct ml_guest_way *own = k->start[k->exits - back].way;

			if (own && own != t) {
				k->way = t = own;
				words = same_words(g, t, w, room,
						   out->value + out->values);
				n = same_parts(t, w, words, room);
			} else if (!own) {
				t = NULL;
			}
		}
		if (t) {
			struct ml_guest_start *s = t->start;

			t->matched += (uint32_t)n;
			if (words < t->words && words < room && !(w[words] >> 63) &&
			    t->link[words].base)
				learn(g, k, s, (unsigned)words);
			if (__builtin_expect(++t->used >= JUDGE, 0) && s->way == t)
				judge(k, s);
		}
		if (n > 1) {
			add(t, w, n, caller, out, c);
			w += t->end[n - 1].words;
		} else {
			size_t taken = take_one(g, k, w, room, caller, out, c);

			if (!taken)
				break;
			w += taken;
		}
		if (__builtin_expect(ml_steps_full(out), 0)) {
			if (!ml_writer_send(g->writer, err))
				return false;
			out = ml_writer_now(g->writer);
		}
	}
	*at = w;
	return true;
}
