#include "record/tracks/reference_steps.h"

#include <string.h>

#include "lib/trace/chunk.h"
#include "lib/trace/ref.h"
#include "lib/trace/writer.h"
#include "record/tracks/reference_draft.h"
#include "record/symbols/objects.h"
#include "record/ring.h"
#include "record/symbols/sites.h"
#include "record/tracks/reference_track.h"

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	HOT = 3, /* fuzzers say little, and shall get there */
	REVIEW = 8,
	ENOUGH = 8,
#else
	HOT = 16,          /* steps that begin at a head before it is looked at */
	REVIEW = 256,      /* uses after which a track is looked at, and */
	ENOUGH = ML_TRACK, /* references that must be there to look */
#endif
	LATER = 8,        /* times as many after which it is again, */
	LATEST = 1 << 28, /* and at most so many */
	STRIDE = 7,       /* uses of which one is looked at then */
	AHEAD = 3,        /* places that make a head */
	TRIES = 24,       /* drafts that a head may have, one after the other */
	STALE = 1 << 14,  /* looks at others after which a draft may be taken away */
	WRONG = 8,        /* times that an address may not be as expected, and */
	WRONG_OF = 32,    /* the share of uses (one of so many) */
	WRONG_DRIFT = 6,  /* the same for drifts, which save more than they cost */
	STEP = 8,         /* values that a step costs as much as */
	BETTER = 32,      /* what takes over must cost one part of so many less */
	FIRST = 1 << 10,  /* cells of a table */
};

/* What is done when the track is left behind a reference. */
struct end {
	uint16_t slots;
	uint8_t bases;
};

struct ml_reference_steps_track {
	uint32_t path;  /* of its first exit; path + k has k + 1 references */
	uint32_t left;  /* uses until it is looked at, */
	uint32_t every; /* of so many from one time to the next */
	uint16_t count;
	struct end end[ML_TRACK];
	const struct ml_reference_track_ref *ref;
	uint32_t wrong[ML_TRACK];
	bool free[ML_TRACK]; /* that are better bases: for the track after it */
	struct ml_reference_track_eight eight[];
};

void ml_reference_steps_init(struct ml_reference_steps *g, struct ml_objects *objects,
			     struct ml_writer *writer)
{
	*g = (struct ml_reference_steps){ .objects = objects,
					  .writer = writer,
					  .fast = ml_lanes_can() };
}

void ml_reference_steps_release(struct ml_reference_steps *g)
{
	ml_free(g->places);
	ml_free(g->heads);
	ml_arena_release(&g->arena);
}

void ml_reference_steps_forget(struct ml_reference_steps *g)
{
	if (g->place_cap)
		memset(g->places, 0, g->place_cap * sizeof(*g->places));
	if (g->head_cap)
		memset(g->heads, 0, g->head_cap * sizeof(*g->heads));
	g->place_count = g->head_count = 0;
	for (size_t i = 0; i < ML_GUEST_DRAFTS && g->draft[i]; i++)
		g->draft[i]->owner = 0;
}

static struct ml_guest_place *place_cell(const struct ml_reference_steps *g,
					 uint64_t word)
{
	size_t i = (word * 0x9e3779b97f4a7c15u >> 32) & (g->place_cap - 1);

	while (g->places[i].word && g->places[i].word != word)
		i = (i + 1) & (g->place_cap - 1);
	return &g->places[i];
}

static inline struct ml_guest_head *head_cell(const struct ml_reference_steps *g,
					      uint64_t key)
{
	size_t i = key & (g->head_cap - 1);

	while (g->heads[i].key && g->heads[i].key != key)
		i = (i + 1) & (g->head_cap - 1);
	return &g->heads[i];
}

static void grow_places(struct ml_reference_steps *g)
{
	struct ml_guest_place *old = g->places;
	size_t cap = g->place_cap;

	g->place_cap = cap ? cap * 2 : FIRST;
	g->places = ml_resize(NULL, g->place_cap * sizeof(*g->places));
	memset(g->places, 0, g->place_cap * sizeof(*g->places));
	for (size_t i = 0; i < cap; i++)
		if (old[i].word)
			*place_cell(g, old[i].word) = old[i];
	ml_free(old);
}

static void grow_heads(struct ml_reference_steps *g)
{
	struct ml_guest_head *old = g->heads;
	size_t cap = g->head_cap;

	g->head_cap = cap ? cap * 2 : FIRST;
	g->heads = ml_resize(NULL, g->head_cap * sizeof(*g->heads));
	memset(g->heads, 0, g->head_cap * sizeof(*g->heads));
	for (size_t i = 0; i < cap; i++)
		if (old[i].key)
			*head_cell(g, old[i].key) = old[i];
	ml_free(old);
}

/* The shape of the reference alone. */
static void fill(struct ml_reference_steps *g, struct ml_guest_place *p, uint64_t word)
{
	unsigned what = (unsigned)(word >> ML_REF_SHIFT), kind = what >> 4;
	uint64_t ip = (word & (((uint64_t)1 << ML_REF_SHIFT) - 1)) - 1;
	unsigned size = 1u << (what & 15);

	*p = (struct ml_guest_place){ .word = word };
	p->call = kind == ML_REF_ENTRY || kind == ML_REF_RETURN ? (uint8_t)kind : 0;
	uint32_t site = ml_sites_resolve(g->objects, ip);
	struct ml_slot slot[2] = {
		{ .site = site,
		  .what = ml_what(kind == ML_REF_WRITE ? ML_WRITE : ML_READ,
				  size < ML_SIZE_MAX ? size : ML_SIZE_MAX) },
		{ .site = site,
		  .what = ml_what(ML_WRITE, size < ML_SIZE_MAX ? size : ML_SIZE_MAX) },
	};
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
	struct ml_shape shape = { .slots = kind == ML_REF_MODIFY ? 2 : 1,
				  .bases = 1,
				  .slot = slot,
				  .base = &base };

	p->site = site;
	shape.user = p->user = g->objects->tables->sites.at[site].user;
	if (p->call)
		return;
	p->slots = shape.slots;
	p->number = ml_writer_shape(g->writer, &shape);
	const struct ml_shape *made = ml_writer_shape_at(g->writer, p->number);
	p->path = made->path;
	p->state = made->base[0].state;
}

struct ml_guest_place *ml_reference_steps_place(struct ml_reference_steps *g,
						uint64_t word)
{
	if (g->place_count * 2 >= g->place_cap)
		grow_places(g);
	struct ml_guest_place *p = place_cell(g, word);
	if (__builtin_expect(!p->word, 0)) {
		fill(g, p, word);
		g->place_count++;
	}
	return p;
}

/* What makes a head of the places at w, of which there are so many. */
static inline uint64_t key_of(const uint64_t *w, size_t room)
{
	static const uint64_t factor[AHEAD] = { 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u,
						0xc2b2ae3d27d4eb4fu };
	uint64_t key = *w * factor[0];

	for (unsigned i = 1; i < AHEAD && i < room && ml_guest_is_ref(w[2 * i]); i++)
		key += w[2 * i] * factor[i];
	key ^= key >> 32;
	return key ? key : 1;
}

/* The shape of a track of these references. */
static uint32_t make_shape(struct ml_reference_steps *g,
			   const struct ml_reference_track_ref *ref, unsigned count,
			   struct end *end)
{
	struct ml_slot slot[2 * ML_TRACK];
	struct ml_base base[ML_TRACK];
	struct ml_exit exit[ML_TRACK];
	struct ml_drift drift[ML_TRACK];
	struct ml_shape shape = {
		.slot = slot, .base = base, .drift = drift, .exit = exit
	};
	uint16_t base_of[ML_TRACK];

	for (unsigned i = 0; i < count; i++) {
		const struct ml_reference_track_ref *r = &ref[i];
		const struct ml_guest_place *p = ml_reference_steps_place(g, r->word);
		const struct ml_shape *one = ml_writer_shape_at(g->writer, p->number);

		if (r->drift) {
			drift[shape.drifts] =
				(struct ml_drift){ base_of[r->from], base_of[r->as],
						   base_of[r->since], r->shift };
			base_of[i] = (uint16_t)(ML_DRIFT + shape.drifts++);
		} else if (r->base) {
			base_of[i] = shape.bases;
			base[shape.bases++] = (struct ml_base){ .state = p->state,
								.reg = ML_NO_REG };
		} else {
			base_of[i] = base_of[r->from];
		}
		for (unsigned k = 0; k < p->slots; k++) {
			struct ml_slot *s = &slot[shape.slots++];

			*s = one->slot[k];
			s->base = base_of[i];
			s->offset = r->delta;
		}
		shape.user = p->user;
		exit[i] = (struct ml_exit){ .slots = shape.slots, .bases = shape.bases };
		end[i] = (struct end){ shape.slots, (uint8_t)shape.bases };
	}
	shape.exits = (uint16_t)(count - 1);
	uint32_t number = ml_writer_shape(g->writer, &shape);
	return ml_writer_shape_at(g->writer, number)->path;
}

static struct ml_reference_steps_track *
make_track(struct ml_reference_steps *g, const struct ml_reference_track_ref *ref,
	   unsigned count)
{
	size_t eights = ml_reference_track_reads(count) / 8;
	uintptr_t room = (uintptr_t)ml_arena_alloc(
		&g->arena, sizeof(struct ml_reference_steps_track) +
				   eights * sizeof(struct ml_reference_track_eight) +
				   ML_TRACK_LINE);
	struct ml_reference_steps_track *t = (void *)((room + ML_TRACK_LINE - 1) &
						      ~(uintptr_t)(ML_TRACK_LINE - 1));

	t->ref = (const void *)ml_arena_copy(&g->arena, ref, count * sizeof(*ref));
	t->count = (uint16_t)count;
	t->path = make_shape(g, ref, count, t->end);
	ml_reference_track_eights(t->eight, ref, count);
	g->tracks++;
	return t;
}

/* How far the way can be one shape, and where it is best cut: loops whole. */
static unsigned cut(struct ml_reference_steps *g,
		    const struct ml_reference_draft_way *way)
{
	bool user = way->count && ml_reference_steps_place(g, way->word[0])->user;
	unsigned count = 0;

	for (; count < way->count; count++) {
		const struct ml_guest_place *p =
			ml_reference_steps_place(g, way->word[count]);

		if (p->call || p->user != user)
			return count;
	}
	if (count < ML_TRACK)
		return count;
	for (unsigned i = count - AHEAD; i > count / 2; i--)
		if (!memcmp(way->word, way->word + i, AHEAD * sizeof(*way->word)))
			return i;
	return count;
}

/* What the runs of a draft would have cost along these references: steps and values. */
struct cost {
	uint64_t cost, refs;
};

static struct cost cost_of(const struct ml_reference_draft *d,
			   const struct ml_reference_track_ref *ref, unsigned count)
{
	uint64_t value[ML_TRACK];
	struct cost c = { 0, 0 };

	for (unsigned r = 0; r < d->runs; r++) {
		unsigned most = d->count[r] < count ? d->count[r] : count;
		unsigned n =
			ml_reference_track_follow(ref, 0, most, d->word[r], value).count;

		c.cost += STEP;
		for (unsigned i = 0; i < n; i++)
			c.cost += ref[i].base;
		c.refs += n;
	}
	return c;
}

/*
 * Is a worth the change from b? What the one joins and the other does not will have to be
 * told otherwise, at what references cost now on the average.
 */
static bool is_better(const struct ml_steps *now, struct cost a, struct cost b)
{
	uint64_t most = a.refs > b.refs ? a.refs : b.refs;
	uint64_t cost = STEP * now->count + now->values;
	uint64_t left_by_a = (most - a.refs) * cost, left_by_b = (most - b.refs) * cost;

	return (a.cost * now->refs + left_by_a) * BETTER <
	       (b.cost * now->refs + left_by_b) * (BETTER - 1);
}

/* The draft is complete: is there a track in it, and a better one than there is? */
static void decide(struct ml_reference_steps *g, struct ml_guest_head *h,
		   struct ml_reference_draft *d)
{
	struct ml_reference_steps_track *old = h->track;
	bool free[ML_TRACK] = { false };
	struct ml_reference_track_ref ref[ML_TRACK];
	struct ml_reference_draft_way way;

	ml_reference_draft_way(d, &way);
	way.count = cut(g, &way);
	d->owner = 0;
	h->draft = 0;
	h->count = 0;
	h->tries++;
	if (way.count >= 2) {
		for (unsigned i = 0; old && i < old->count && i < way.count &&
				     old->ref[i].word == way.word[i];
		     i++)
			free[i] = old->free[i];
		ml_reference_draft_links(d, &way, free, ref);
		if (!old ||
		    is_better(ml_writer_now(g->writer), cost_of(d, ref, way.count),
			      cost_of(d, old->ref, old->count))) {
			h->track = make_track(g, ref, way.count);
			memcpy(h->track->free, free, sizeof(free));
		}
	}
	if (!h->track)
		return;
	h->track->every = old ? old->every * LATER : REVIEW;
	if (h->track->every > LATEST)
		h->track->every = LATEST;
	h->track->left = h->track->every;
	memset(h->track->wrong, 0, sizeof(h->track->wrong));
}

/*
 * The draft of a head, or NULL: there are only so many, and those that get on are not
 * taken from others, as none would ever be complete then.
 */
static struct ml_reference_draft *draft_of(struct ml_reference_steps *g,
					   struct ml_guest_head *h)
{
	struct ml_reference_draft *d = h->draft ? g->draft[h->draft - 1] : NULL;

	g->looks++;
	if (!d || d->owner != h->key) {
		size_t number = g->next++ % ML_GUEST_DRAFTS;

		if (!g->draft[number])
			g->draft[number] = ml_arena_alloc(&g->arena, sizeof(*d));
		d = g->draft[number];
		if (d->owner && g->looks - d->seen < STALE)
			return NULL;
		d->owner = h->key;
		d->runs = 0;
		h->draft = (uint16_t)(number + 1);
	}
	d->seen = g->looks;
	return d;
}

/* A head is looked at: the run at w is one more of its draft. */
static void look(struct ml_reference_steps *g, struct ml_guest_head *h, const uint64_t *w,
		 size_t room)
{
	size_t count = 0;

	if (h->track)
		h->track->left = h->tries < TRIES ? STRIDE : UINT32_MAX;
	if (h->tries >= TRIES || g->tracks >= ML_GUEST_TRACKS || room < ENOUGH)
		return;
	struct ml_reference_draft *d = draft_of(g, h);
	if (!d)
		return;
	while (count < room && count < ML_TRACK && ml_guest_is_ref(w[2 * count]))
		count++;
	ml_reference_draft_run(d, w, count);
	if (d->runs == ML_REFERENCE_DRAFT_RUNS)
		decide(g, h, d);
}

/* A step begins where there is no track. */
static void heat(struct ml_reference_steps *g, const uint64_t *w, size_t room)
{
	uint64_t key = key_of(w, room);
	struct ml_guest_head *h = head_cell(g, key);

	if (!h->key) {
		if (g->head_count >= ML_GUEST_HEADS)
			return;
		if (++g->head_count * 2 > g->head_cap)
			grow_heads(g);
		h = head_cell(g, key);
		h->key = key;
	}
	if (++h->count >= HOT)
		look(g, h, w, room);
}

/* The address of reference i was not as expected. */
static void learn(struct ml_reference_steps_track *t, unsigned i)
{
	unsigned of = t->ref[i].drift ? WRONG_DRIFT : WRONG_OF;

	if (t->free[i] || ++t->wrong[i] < WRONG || t->wrong[i] * of < t->every - t->left)
		return;
	t->free[i] = true;
	t->left = 1;
	t->every = REVIEW;
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
	const struct ml_guest_place *p = ml_reference_steps_place(g, *w);

	if (p->call)
		return;
	out->value[out->values] = w[1];
	add(out, p->path, 1, p->slots);
	heat(g, w, room);
}

/* How far the words go along the track, of which there are so many references. */
static inline __attribute__((always_inline)) struct ml_reference_track_end
follow(const struct ml_reference_steps_track *t, const uint64_t *w, size_t room,
       uint64_t *value, bool fast)
{
	size_t most = t->count < room ? t->count : room, begin = 0;

#if defined(__x86_64__)
	if (fast) {
		/* no more is read than there is; the rest of it one by one */
		begin = ml_reference_track_reads(most) <= room ? most : most & ~(size_t)7;
		struct ml_reference_track_end e =
			ml_reference_track_follow_eights(t->eight, begin, w, value);

		if (e.count < begin || begin == most)
			return e;
		value += begin ? t->end[begin - 1].bases : 0;
	}
#endif
	(void)fast;
	return ml_reference_track_follow(t->ref, begin, most, w, value);
}

static inline __attribute__((always_inline)) bool take(struct ml_reference_steps *g,
						       const uint64_t **at,
						       const uint64_t *end, bool fast,
						       struct ml_err *err)
{
	const uint64_t *w = *at;
	struct ml_steps *out = ml_writer_now(g->writer);

	if (!g->heads)
		grow_heads(g);
	while (end - w >= 2 && ml_guest_is_ref(*w)) {
		size_t room = (size_t)(end - w) / 2;
		struct ml_guest_head *h = head_cell(g, key_of(w, room));
		struct ml_reference_steps_track *t = h->track;
		struct ml_reference_track_end e = { 0, false };

		if (__builtin_expect(t != NULL, 1))
			e = follow(t, w, room, out->value + out->values, fast);
		if (__builtin_expect(e.count != 0, 1)) {
			const struct end *done = &t->end[e.count - 1];

			add(out, t->path + e.count - 1, done->bases, done->slots);
			if (__builtin_expect(e.wrong, 0))
				learn(t, e.count);
			if (__builtin_expect(!--t->left, 0))
				look(g, h, w, room);
			w += 2 * (size_t)e.count;
		} else {
			take_one(g, w, room, out);
			w += 2;
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
