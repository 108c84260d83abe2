#include "record/guest_refs.h"

#include <string.h>

#include "lib/trace/chunk.h"
#include "lib/trace/join.h"
#include "lib/trace/ref.h"
#include "lib/trace/writer.h"
#include "record/follow.h"
#include "record/objects.h"
#include "record/ring.h"
#include "record/sites.h"

enum {
	HOT = 32,        /* steps that begin at a place before it becomes a head */
	TRIES = 12,      /* tracks that a place may have, one after the other */
	LOOKS = 8,       /* runs that are looked at before a track is made */
	JUDGE = 256,     /* uses after which a track is judged */
	LEAST = 2,       /* references that a track must join on the average */
	WRONG = 8,       /* times that a constant may fail, and */
	WRONG_OF = 32,   /* the share of uses (one of so many) */
	WRONG_DRIFT = 6, /* the same for drifts, which save more than they cost */
	HEADS = 1 << 10,
};

_Static_assert(2 * (int)ML_GUEST_TRACK <= (int)ML_FOLLOW_WORDS,
	       "tracks are too long to follow");

#define NO_PLACE UINT64_MAX

/* What is known of each reference of a track. */
struct link {
	uint64_t word;  /* what the guest must tell */
	uint64_t from;  /* index of the word that holds the address it follows from */
	uint64_t delta; /* constant; a base follows from itself, by 0 */
};

/* Two runs of what may become a track. */
struct ml_guest_draft {
	unsigned count, looks, same; /* same: references that both runs have */
	uint64_t word[ML_GUEST_TRACK];
	uint64_t first[ML_GUEST_TRACK], second[ML_GUEST_TRACK]; /* addresses */
};

/* A reference that drifts (lib/trace/shape.h), by the references of the bases. */
struct drift {
	uint8_t at, like, as, from, shift;
};

struct ml_guest_track {
	uint32_t path;          /* of its first exit; path + k has k + 1 references */
	uint32_t used, matched; /* since the last judgement: times, references */
	uint16_t count;
	uint16_t bases, drifts;
	uint8_t done[ML_GUEST_TRACK]; /* bases up to and with each reference */
	uint8_t base[ML_GUEST_TRACK]; /* which reference each base is of */
	uint16_t wrong[ML_GUEST_TRACK];
	struct link link[ML_GUEST_TRACK];
	struct drift drift[ML_GUEST_TRACK];
	struct ml_follow eight[ML_GUEST_TRACK / 4]; /* its words, for follow.h */
	struct ml_guest_draft *draft;               /* the runs that it was made from */
};

void ml_guest_refs_init(struct ml_guest_refs *g, struct ml_objects *objects,
			struct ml_writer *writer)
{
	*g = (struct ml_guest_refs){ .objects = objects,
				     .writer = writer,
				     .fast = ml_follow_can() };
}

void ml_guest_refs_release(struct ml_guest_refs *g)
{
	ml_free(g->heads);
	ml_arena_release(&g->arena);
}

void ml_guest_refs_forget(struct ml_guest_refs *g)
{
	if (g->head_cap)
		memset(g->heads, 0, g->head_cap * sizeof(*g->heads));
	g->head_count = 0;
}

static inline struct ml_guest_head *cell(const struct ml_guest_refs *g, uint64_t word)
{
	size_t i = (word * 0x9e3779b97f4a7c15u >> 32) & (g->head_cap - 1);

	while (g->heads[i].word && g->heads[i].word != word)
		i = (i + 1) & (g->head_cap - 1);
	return &g->heads[i];
}

static void grow(struct ml_guest_refs *g)
{
	struct ml_guest_head *old = g->heads;
	size_t cap = g->head_cap;

	g->head_cap = cap ? cap * 2 : HEADS;
	g->heads = ml_resize(NULL, g->head_cap * sizeof(*g->heads));
	memset(g->heads, 0, g->head_cap * sizeof(*g->heads));
	for (size_t i = 0; i < cap; i++)
		if (old[i].word)
			*cell(g, old[i].word) = old[i];
	ml_free(old);
}

/* The shape of the reference alone. */
static void fill(struct ml_guest_refs *g, struct ml_guest_head *h, uint64_t word)
{
	unsigned what = (unsigned)(word >> ML_REF_SHIFT), kind = what >> 4;
	uint64_t ip = (word & (((uint64_t)1 << ML_REF_SHIFT) - 1)) - 1;
	unsigned size = 1u << (what & 15);

	*h = (struct ml_guest_head){ .word = word };
	h->call = kind == ML_REF_ENTRY || kind == ML_REF_RETURN ? (uint8_t)kind : 0;
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

	h->site = site;
	shape.user = h->user = g->objects->tables->sites.at[site].user;
	if (h->call)
		return;
	h->slots = shape.slots;
	h->number = ml_writer_shape(g->writer, &shape);
	const struct ml_shape *made = ml_writer_shape_at(g->writer, h->number);
	h->path = made->path;
	h->state = made->base[0].state;
}

struct ml_guest_head *ml_guest_refs_head(struct ml_guest_refs *g, uint64_t word)
{
	if (g->head_count * 2 >= g->head_cap)
		grow(g);
	struct ml_guest_head *h = cell(g, word);
	if (__builtin_expect(!h->word, 0)) {
		fill(g, h, word);
		g->head_count++;
	}
	return h;
}

/* Remembers the run at w, which is to be a track of its head. */
static struct ml_guest_draft *begin_draft(struct ml_guest_refs *g, const uint64_t *w,
					  size_t room)
{
	struct ml_guest_draft *d = ml_arena_alloc(&g->arena, sizeof(*d));
	bool user = ml_guest_refs_head(g, w[0])->user;

	d->count = d->looks = d->same = 0;
	for (; d->count < ML_GUEST_TRACK && d->count < room; d->count++, w += 2) {
		const struct ml_guest_head *h = ml_guest_is_ref(w[0])
							? ml_guest_refs_head(g, w[0])
							: NULL;

		if (!h || h->call || h->user != user)
			break;
		d->word[d->count] = w[0];
		d->first[d->count] = w[1];
	}
	return d;
}

/* Another run from the same head. True: enough has been seen. */
static bool look(struct ml_guest_draft *d, const uint64_t *w, size_t room)
{
	unsigned most = d->count < room ? d->count : (unsigned)room, same = 0;

	while (same < most && w[2 * same] == d->word[same])
		same++;
	if (same > d->same) {
		d->same = same;
		for (unsigned i = 0; i < same; i++)
			d->second[i] = w[2 * i + 1];
	}
	return ++d->looks >= LOOKS || d->same == d->count;
}

/*
 * The base that reference i follows from by a constant in all runs known, the nearest
 * first, or NO_PLACE. third may be NULL.
 */
static uint64_t find_link(const struct ml_guest_draft *d, const struct ml_guest_track *t,
			  unsigned bases, unsigned i, const uint64_t *third)
{
	for (unsigned b = bases; b-- > 0;) {
		unsigned k = t->base[b];
		uint64_t delta = d->first[i] - d->first[k];

		if (d->second[i] - d->second[k] == delta &&
		    (!third || third[2 * i + 1] - third[2 * k + 1] == delta))
			return k;
	}
	return NO_PLACE;
}

static const struct drift *drift_of(const struct ml_guest_track *t, unsigned i)
{
	for (unsigned k = 0; t && k < t->drifts; k++)
		if (t->drift[k].at == i)
			return &t->drift[k];
	return NULL;
}

/* Does reference i drift, in all runs known? third may be NULL. */
static bool find_drift(struct ml_guest_refs *g, const struct ml_guest_draft *d,
		       const struct ml_guest_track *t, unsigned i, const uint64_t *third,
		       struct drift *out)
{
	uint32_t state[ML_GUEST_TRACK];
	uint64_t value[3][ML_GUEST_TRACK];
	uint64_t own[3] = { d->first[i], d->second[i], third ? third[2 * i + 1] : 0 };
	struct ml_drift_runs runs = { .runs = third ? 3 : 2,
				      .bases = t->bases,
				      .state = state,
				      .value = { value[0], value[1], value[2] } };
	struct ml_drift drift;

	for (unsigned b = 0; b < t->bases; b++) {
		unsigned k = t->base[b];

		state[b] = ml_guest_refs_head(g, d->word[k])->state;
		value[0][b] = d->first[k];
		value[1][b] = d->second[k];
		value[2][b] = third ? third[2 * k + 1] : 0;
	}
	uint32_t mine = ml_guest_refs_head(g, d->word[i])->state;
	if (!ml_drift_find(&runs, mine, own, &drift))
		return false;
	*out = (struct drift){ (uint8_t)i, t->base[drift.like], t->base[drift.as],
			       t->base[drift.from], drift.shift };
	return true;
}

/* Makes the shape of a track whose links are known. */
static void make_shape(struct ml_guest_refs *g, struct ml_guest_track *t)
{
	struct ml_slot slot[2 * ML_GUEST_TRACK];
	struct ml_base base[ML_GUEST_TRACK];
	struct ml_exit exit[ML_GUEST_TRACK];
	struct ml_drift drift[ML_GUEST_TRACK];
	struct ml_shape shape = {
		.slot = slot, .base = base, .drift = drift, .exit = exit
	};
	uint16_t base_of[ML_GUEST_TRACK];

	for (unsigned i = 0; i < t->count; i++) {
		const struct ml_guest_head *h = ml_guest_refs_head(g, t->link[i].word);
		const struct ml_shape *one = ml_writer_shape_at(g->writer, h->number);
		const struct drift *x = drift_of(t, i);
		unsigned from = (unsigned)(t->link[i].from / 2);

		if (x) {
			drift[shape.drifts] =
				(struct ml_drift){ base_of[x->like], base_of[x->as],
						   base_of[x->from], x->shift };
			base_of[i] = (uint16_t)(ML_DRIFT + shape.drifts++);
		} else if (from == i) {
			base_of[i] = shape.bases;
			base[shape.bases++] = (struct ml_base){ .state = h->state,
								.reg = ML_NO_REG };
		}
		base_of[i] = base_of[from];
		for (unsigned k = 0; k < h->slots; k++) {
			struct ml_slot *s = &slot[shape.slots++];

			*s = one->slot[k];
			s->base = base_of[i];
			s->offset = t->link[i].delta;
		}
		shape.user = h->user;
		exit[i] = (struct ml_exit){ .slots = shape.slots, .bases = shape.bases };
	}
	shape.exits = (uint16_t)(t->count - 1);
	uint32_t number = ml_writer_shape(g->writer, &shape);
	t->path = ml_writer_shape_at(g->writer, number)->path;
	g->tracks++;
}

/* What the words of a track are, for record/follow.h. */
static void note_eights(struct ml_guest_track *t)
{
	struct ml_follow_word word[2 * ML_GUEST_TRACK];
	unsigned base = 0;

	for (unsigned i = 0; i < t->count; i++) {
		const struct link *l = &t->link[i];
		bool is_base = base < t->bases && t->base[base] == i;

		word[2 * i] = (struct ml_follow_word){ .delta = l->word,
						       .constant = true };
		word[2 * i + 1] = (struct ml_follow_word){ .delta = l->delta,
							   .root = (uint16_t)l->from,
							   .base = is_base };
		base += is_base;
	}
	ml_follow_make(t->eight, word, 2 * (size_t)t->count);
}

/* Is a run's address where the drift has it? */
static inline bool drifted(const struct drift *d, const uint64_t *w)
{
	return w[2 * d->at + 1] - w[2 * d->like + 1] ==
	       (w[2 * d->as + 1] - w[2 * d->from + 1]) << d->shift;
}

/* Is reference i of the run as the track has it? Its base and what it drifts with are. */
static bool holds(const struct ml_guest_track *t, unsigned i, const uint64_t *w)
{
	const struct drift *d = drift_of(t, i);
	const struct link *l = &t->link[i];

	return d ? drifted(d, w) : w[2 * i + 1] == w[l->from] + l->delta;
}

/*
 * A track of the first `count` references of a draft. Where an older one is given, its
 * links stay as far as they hold in a third run, of `reach` references that it has too.
 */
static struct ml_guest_track *make_track(struct ml_guest_refs *g,
					 struct ml_guest_draft *d, unsigned count,
					 const struct ml_guest_track *old,
					 const uint64_t *third, unsigned reach)
{
	struct ml_guest_track *t = ml_arena_alloc(&g->arena, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->draft = d;
	t->count = (uint16_t)count;
	for (unsigned i = 0; i < count; i++) {
		const struct drift *had = drift_of(old, i);
		uint64_t from = NO_PLACE;
		struct drift drift;
		bool drifts = false;

		if (old && (i >= reach || holds(old, i, third))) {
			drifts = had != NULL;
			if (had)
				drift = *had;
			else if (old->link[i].from / 2 != i)
				from = old->link[i].from / 2;
		} else if (!had) {
			from = find_link(d, t, t->bases, i, third);
			drifts = from == NO_PLACE &&
				 find_drift(g, d, t, i, third, &drift);
		}
		if (drifts)
			t->drift[t->drifts++] = drift;
		else if (from == NO_PLACE)
			t->base[t->bases++] = (uint8_t)i;
		if (from == NO_PLACE)
			from = i;
		t->done[i] = (uint8_t)t->bases;
		t->link[i] = (struct link){ d->word[i], 2 * from + 1,
					    d->first[i] - d->first[from] };
	}
	note_eights(t);
	make_shape(g, t);
	return t;
}

/* A step begins at a place without a track. */
static void heat(struct ml_guest_refs *g, struct ml_guest_head *h, const uint64_t *w,
		 size_t room)
{
	uint64_t word = h->word;

	if (++h->count < HOT || h->tries >= TRIES || g->tracks >= ML_GUEST_TRACKS ||
	    room < ML_GUEST_TRACK)
		return;
	if (!h->draft) {
		struct ml_guest_draft *d = begin_draft(g, w, room);

		h = ml_guest_refs_head(g, word); /* may have moved */
		h->draft = d;
		return;
	}
	struct ml_guest_draft *d = h->draft;
	if (!look(d, w, room))
		return;
	h->draft = NULL;
	h->count = 0;
	h->tries++;
	if (d->same >= 2)
		h->track = make_track(g, d, d->same, NULL, NULL, 0);
}

/* Was the reference where the track was left as expected but for its address? */
static void learn(struct ml_guest_refs *g, struct ml_guest_head *h, const uint64_t *w,
		  unsigned most, unsigned i)
{
	struct ml_guest_track *t = h->track;
	int of = drift_of(t, i) ? WRONG_DRIFT : WRONG_OF;

	if (++t->wrong[i] < WRONG || t->wrong[i] * of < (int)t->used ||
	    g->tracks >= ML_GUEST_TRACKS || h->tries >= 4 * TRIES)
		return;
	h->tries++;
	unsigned reach = i;
	while (reach < most && w[2 * reach] == t->link[reach].word)
		reach++;
	h->track = make_track(g, t->draft, t->count, t, w, reach);
}

/* A track that is mostly left at once gives way to another. */
static void judge(struct ml_guest_head *h)
{
	struct ml_guest_track *t = h->track;

	if (t->matched < (uint64_t)t->used * LEAST) {
		h->track = NULL;
		h->count = 0;
	}
	t->used = t->matched = 0;
	memset(t->wrong, 0, sizeof(t->wrong));
}

/* The same as ml_follow, one by one. */
static unsigned follow_plainly(const struct ml_guest_track *t, const uint64_t *w,
			       unsigned most, uint64_t *value)
{
	unsigned i = 0;

	for (; i < most; i++) {
		const struct link *l = &t->link[i];

		if (w[2 * i] != l->word || w[2 * i + 1] != w[l->from] + l->delta)
			break;
	}
	for (unsigned k = 0; k < t->bases && t->base[k] < i; k++)
		value[k] = w[2 * t->base[k] + 1];
	return i;
}

/*
 * How many references of so many go along the track, at least one; the bases among them
 * go to value.
 */
static inline unsigned follow(const struct ml_guest_refs *g,
			      const struct ml_guest_track *t, const uint64_t *w,
			      size_t room, uint64_t *value)
{
	size_t words = 2 * (size_t)t->count;
	unsigned n = 0;

	if (g->fast && ml_follow_reads(words) <= 2 * room)
		n = (unsigned)ml_follow(t->eight, w, words, value) / 2;
	if (!n) /* which is stricter about addresses */
		n = follow_plainly(t, w, t->count < room ? t->count : (unsigned)room,
				   value);
	for (unsigned k = 0; k < t->drifts && t->drift[k].at < n; k++)
		if (!drifted(&t->drift[k], w))
			return t->drift[k].at;
	return n;
}

/* A step of so many values, which stand in their place already. */
static inline void add(struct ml_steps *out, uint32_t path, unsigned bases,
		       unsigned slots)
{
	out->at[out->count++] = (struct ml_told){ path, 0 };
	out->values += bases;
	out->refs += slots;
}

/* What goes along the track, at least one reference. Returns how many words that is. */
static inline size_t take_track(struct ml_guest_refs *g, struct ml_guest_head *h,
				const uint64_t *w, size_t room, struct ml_steps *out)
{
	struct ml_guest_track *t = h->track;
	uint64_t *value = out->value + out->values;
	unsigned most = t->count < room ? t->count : (unsigned)room;
	unsigned n = follow(g, t, w, room, value), bases = t->done[n - 1];
	uint32_t path = t->path + n - 1;

	add(out, path, bases, ml_writer_shapes(g->writer)->path[path].slots);
	t->matched += n;
	if (n < most && w[2 * n] == t->link[n].word)
		learn(g, h, w, most, n);
	if (__builtin_expect(++t->used >= JUDGE, 0) && h->track == t)
		judge(h);
	return 2 * (size_t)n;
}

bool ml_guest_refs_take(struct ml_guest_refs *g, const uint64_t **at, const uint64_t *end,
			struct ml_err *err)
{
	const uint64_t *w = *at;
	struct ml_steps *out = ml_writer_now(g->writer);

	while (end - w >= 2 && ml_guest_is_ref(*w)) {
		struct ml_guest_head *h = ml_guest_refs_head(g, *w);
		size_t room = (size_t)(end - w) / 2;

		if (__builtin_expect(h->track != NULL, 1)) {
			w += take_track(g, h, w, room, out);
		} else {
			if (!h->call) {
				out->value[out->values] = w[1];
				add(out, h->path, 1, h->slots);
				if (h->tries < TRIES)
					heat(g, h, w, room);
			}
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
