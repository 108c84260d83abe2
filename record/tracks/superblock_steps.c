#include "record/tracks/superblock_steps.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/writer.h"
#include "record/ring.h"
#include "record/tracks/callers.h"
#include "record/tracks/superblock_follow.h"
#include "record/tracks/superblock_track.h"
#include "record/tracks/superblock_match.h"

void ml_superblock_steps_init(struct ml_superblock_steps *g, struct ml_writer *writer)
{
	*g = (struct ml_superblock_steps){ .writer = writer, .fast = ml_lanes_can() };
	ml_superblock_heads_init(&g->heads, writer);
}

void ml_superblock_steps_release(struct ml_superblock_steps *g)
{
	ml_superblock_heads_release(&g->heads);
}

struct ml_superblock *ml_superblock_steps_add(struct ml_superblock_steps *g, uint32_t id,
					      const struct ml_shape *shape,
					      const uint32_t *call, bool brief)
{
	struct ml_superblocks *known = &g->heads.known;

	known->at = ml_grow(known->at, &known->cap, id + 1u, sizeof(*known->at));
	struct ml_superblock *k = &known->at[id];
	if (k->where != ML_SUPERBLOCK_UNDECLARED)
		ml_superblock_heads_forget(&g->heads);
	*k = (struct ml_superblock){
		.head = brief ? ML_WORD_BRIEF(id) : ML_WORD(ML_WORD_STEP, 0, id),
		.brief = brief,
		.bases = shape->bases,
		.exits = shape->exits,
		.exit = shape->exit,
		.where = shape->user ? ML_SUPERBLOCK_USER : ML_SUPERBLOCK_LIBRARY,
		.shape = shape,
		.call = call,
	};
	k->path = ml_writer_path(g->writer, ml_writer_shape(g->writer, shape),
				 shape->bases);
	ml_superblock_note_sp(k, shape);
	ml_superblock_heads_add(&g->heads, k);
	if (id >= known->count)
		known->count = id + 1;
	if (shape->slots > known->slots_max)
		known->slots_max = shape->slots;
	return k;
}

/* The first n parts of the track are one step; its values are there already. */
static inline void add(const struct ml_superblock_track *t, const uint64_t *w, size_t n,
		       uint32_t caller, struct ml_steps *out, struct ml_callers *c)
{
	const struct ml_superblock_end *e = &t->end[n - 1];

	out->at[out->count++] = (struct ml_told){ t->path + (uint32_t)n - 1, caller };
	out->values += e->bases;
	out->refs += e->slots;
	c->returned = e->returns;
	c->sp = e->sp == ML_SUPERBLOCK_NO_SP
			? c->sp
			: ML_WORD_VALUE(w[e->sp]) + (uint64_t)(int64_t)e->sp_delta;
	c->last_call = e->call ? e->call : c->last_call;
}

/* How many steps surely fit into the chunk; none has more than ML_JOIN_SLOTS references.
 */
static size_t steps_left(const struct ml_steps *out)
{
	size_t refs = out->refs > out->values ? out->refs : out->values;
	size_t by_refs = refs < ML_CHUNK ? (ML_CHUNK - refs) / ML_JOIN_SLOTS : 0;
	size_t by_count = out->count < ML_CHUNK ? ML_CHUNK - out->count : 0;

	return by_count < by_refs ? by_count : by_refs;
}

/* Follows tracks; *at moves on to the first step that begins none. */
static inline __attribute__((always_inline)) void
follow(struct ml_superblock_heads *g, struct ml_callers *c, uint32_t caller,
       const uint64_t **at, const uint64_t *end, struct ml_steps *out, bool fast)
{
	const uint64_t *w = *at;
	uint8_t where = c->user ? ML_SUPERBLOCK_USER : ML_SUPERBLOCK_LIBRARY;

	for (size_t left = steps_left(out); left && w < end; left--) {
		uint32_t id = ml_word_shape(*w);
		size_t room = (size_t)(end - w), words, n;

		if (id >= g->known.count)
			break;
		struct ml_superblock_track *t = g->track[id], *side;
		if (!t || t->where != where || t->head != ml_word_head(*w))
			break;
		size_t known = 0; /* words that are as in the track */
		for (;; t = side) {
			uint64_t *value = out->value + out->values;

			if (fast && ml_superblock_follow_reads(t->words) < room) {
				words = ml_superblock_follow_on(t->eight, w, known,
								t->words, value);
				n = ml_superblock_track_again(t, w, &words);
			} else {
				words = ml_superblock_track_words(t, w, room, value);
				n = ml_superblock_track_parts(t, w, words, room);
			}
			side = n ? ml_superblock_track_side(t, n, w, room) : NULL;
			if (!side)
				++*ml_superblock_track_left(t, n, w, words, room);
			if (ml_review_use(&t->review))
				ml_superblock_heads_review(g, t, w, room,
							   side ? 0 : (unsigned)n);
			if (!side)
				break;
			known = t->end[n - 1].words;
		}
		if (!n)
			break;
		add(t, w, n, caller, out, c);
		w += t->end[n - 1].words;
	}
	*at = w;
}

/* The same, compiled for the machine's vectors. */
ML_LANES_TARGET static void follow_fast(struct ml_superblock_heads *g,
					struct ml_callers *c, uint32_t caller,
					const uint64_t **at, const uint64_t *end,
					struct ml_steps *out)
{
	follow(g, c, caller, at, end, out, true);
}

/* Takes one step without a track. Returns how many words it has, 0 if some are missing.
 */
static size_t take_one(struct ml_superblock_heads *g, struct ml_superblock *k,
		       const uint64_t *w, size_t room, uint32_t caller,
		       struct ml_steps *out, struct ml_callers *c)
{
	size_t bases;
	const uint64_t *base = ml_superblock_bases(k, w);
	size_t before = (size_t)(base - w);
	uint32_t back = ml_superblock_left_at(k, base, room - before, &bases);
	struct ml_superblock_head *s = &k->start[k->exits - back];
	uint64_t *value = out->value +
			  out->values; /* ml_steps_add copies it onto itself */

	if (before + bases > room)
		return 0;
	ml_superblock_values(k, w, bases, value);
	ml_superblock_stepped(k, value, back,
			      ml_superblock_sp_before(k, value, bases, c->sp), c);
	ml_steps_add(out, ml_writer_shapes(g->writer),
		     &(struct ml_step){ k->path - back, caller, value });
	if (s->track)
		g->track[k - g->known.at] = s->track; /* likely again */
	else
		ml_superblock_heads_heat(g, s, w, room);
	return before + bases;
}

bool ml_superblock_steps_take(struct ml_superblock_steps *g, struct ml_callers *c,
			      uint32_t caller, const uint64_t **at, const uint64_t *end,
			      struct ml_err *err)
{
	uint8_t where = c->user ? ML_SUPERBLOCK_USER : ML_SUPERBLOCK_LIBRARY;

	while (*at < end) {
		struct ml_steps *out = ml_writer_collected(g->writer);

		if (g->fast)
			follow_fast(&g->heads, c, caller, at, end, out);
		else
			follow(&g->heads, c, caller, at, end, out, false);
		if (!steps_left(out)) {
			if (!ml_writer_send(g->writer, err))
				return false;
			continue;
		}
		struct ml_superblock *k =
			*at < end ? ml_superblocks_find(&g->heads.known, **at) : NULL;
		if (!k || k->where != where)
			break;
		size_t taken = take_one(&g->heads, k, *at, (size_t)(end - *at), caller,
					out, c);
		if (!taken)
			break;
		*at += taken;
	}
	return true;
}
