#include "lib/trace/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/columns.h"
#include "lib/trace/predict.h"

void ml_steps_init(struct ml_steps *s)
{
	*s = (struct ml_steps){ 0 };
	s->at = ml_resize(NULL, ML_CHUNK_MAX * sizeof(*s->at));
	s->value = ml_resize(NULL, ML_CHUNK_MAX * sizeof(*s->value));
}

void ml_steps_release(struct ml_steps *s)
{
	ml_free(s->at);
	ml_free(s->value);
	ml_free(s->turn);
	*s = (struct ml_steps){ 0 };
}

void ml_steps_thread(struct ml_steps *s, uint16_t thread)
{
	if (s->turns && s->turn[s->turns - 1].thread == thread)
		return;
	if (s->turns && s->turn[s->turns - 1].step == s->count)
		s->turns--;
	s->turn = ml_grow(s->turn, &s->turn_cap, s->turns + 1, sizeof(*s->turn));
	s->turn[s->turns++] = (struct ml_turn){ s->count, thread };
}

void ml_steps_clear(struct ml_steps *s, uint16_t thread)
{
	s->count = s->values = s->turns = 0;
	s->refs = 0;
	ml_steps_thread(s, thread);
}

uint64_t ml_steps_happened(const struct ml_shape *shape, unsigned slots,
			   const uint64_t *value)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < slots; i++)
		n += !shape->slot[i].maybe || value[shape->slot[i].base];
	return n;
}

struct ml_encoder {
	struct ml_predict predict;
	uint8_t *start[ML_COLUMNS],
		*at[ML_COLUMNS];      /* room for the largest chunk: no checks */
	uint16_t thread, said_thread; /* now, and as the decoder thinks */
	int level;
	struct ml_packer packer;
	struct ml_buf plane;
};

struct ml_encoder *ml_encoder_open(int level)
{
	struct ml_encoder *e = ml_resize(NULL, sizeof(*e));

	*e = (struct ml_encoder){ .level = level };
	for (int i = 0; i < ML_COLUMNS; i++)
		e->start[i] = ml_resize(NULL,
					(size_t)ML_CHUNK_MAX * ml_column_bytes[i] + 8);
	return e;
}

void ml_encoder_close(struct ml_encoder *e)
{
	for (int i = 0; i < ML_COLUMNS; i++)
		ml_free(e->start[i]);
	ml_predict_release(&e->predict);
	ml_packer_release(&e->packer);
	ml_buf_release(&e->plane);
	ml_free(e);
}

static void put(struct ml_encoder *e, enum ml_column c, uint64_t v)
{
	memcpy(e->at[c], &v, ml_column_bytes[c]);
	e->at[c] += ml_column_bytes[c];
}

/* The columns that most steps write to, and the prediction's hot part: kept in registers.
 */
struct hot {
	struct ml_predict_hot predict;
	uint8_t *status, *d2, *codes;
};

#define INLINE inline __attribute__((always_inline))

static __attribute__((noinline)) void put_far(struct ml_encoder *e, int64_t off)
{
	bool fits = off == (int32_t)off && off != INT32_MIN;

	put(e, ML_COLUMN_D4, fits ? (uint64_t)off : (uint64_t)(int64_t)INT32_MIN);
	if (!fits)
		put(e, ML_COLUMN_D8, (uint64_t)off);
}

/* One base; returns its code. */
static INLINE unsigned put_base(struct ml_encoder *e, struct hot *h,
				const struct ml_base *b, uint64_t value)
{
	struct ml_predict *p = &e->predict;
	struct ml_base_state *s = ml_predict_state(p, &h->predict, b);
	int64_t delta = (int64_t)(value - s->last);
	int64_t off = (int64_t)((uint64_t)delta -
				(uint64_t)ml_predict_base(p, &h->predict, s, b));
	unsigned code = ML_CODE_NOT;

	if (off) {
		int64_t *chain = ml_predict_chain(p, &h->predict, b);

		if (*chain == delta) {
			code = ML_CODE_CHAIN;
		} else if (off == (int16_t)off) {
			code = ML_CODE_NEAR;
			memcpy(h->d2, &off, 2);
			h->d2 += 2;
		} else {
			code = ML_CODE_FAR;
			put_far(e, off);
		}
		*chain = delta;
		ml_predict_learn(&h->predict, s, delta);
	}
	ml_predict_saw(p, &h->predict, s, b, delta, value);
	return code;
}

/* The bases of a step; returns what they add to its status. */
static INLINE unsigned put_bases(struct ml_encoder *e, struct hot *h,
				 const struct ml_base *b, const uint64_t *value,
				 unsigned bases)
{
	uint64_t codes = 0; /* two bits each */

	for (unsigned i = 0; i < bases; i++)
		codes |= (uint64_t)put_base(e, h, &b[i], value[i]) << 2 * i;
	uint64_t more = codes >> 4;
	memcpy(h->codes, &more, 8);
	h->codes += more ? (bases + 1) / 4 : 0;
	return (unsigned)(codes & 15) << ML_STATUS_CODE0 | (more ? ML_STATUS_CODES : 0);
}

/* The same for a step with more bases than a word has room for codes. */
static __attribute__((noinline)) unsigned put_many(struct ml_encoder *e, struct hot *h,
						   const struct ml_base *b,
						   const uint64_t *value, unsigned bases)
{
	unsigned status = put_base(e, h, &b[0], value[0]) << ML_STATUS_CODE0;
	uint8_t *codes = h->codes;
	unsigned any = 0;

	status |= put_base(e, h, &b[1], value[1]) << ML_STATUS_CODE1;
	for (unsigned i = 2; i < bases; i += 4) {
		unsigned byte = 0;

		for (unsigned k = 0; k < 4 && i + k < bases; k++)
			byte |= put_base(e, h, &b[i + k], value[i + k]) << 2 * k;
		*codes++ = (uint8_t)byte;
		any |= byte;
	}
	if (any)
		h->codes = codes;
	return status | (any ? ML_STATUS_CODES : 0);
}

/* Thread and caller, which change seldom. True: the thread is another. */
static __attribute__((noinline)) bool put_rare(struct ml_encoder *e,
					       const uint32_t *caller)
{
	struct ml_predict *p = &e->predict;
	bool thread = e->thread != e->said_thread;

	put(e, ML_COLUMN_RARE,
	    (uint64_t)(caller ? ML_RARE_CALLER : 0) |
		    (uint64_t)(thread ? ML_RARE_THREAD : 0));
	if (thread) {
		put(e, ML_COLUMN_THREAD, e->thread);
		e->said_thread = e->thread;
	}
	if (caller) {
		put(e, ML_COLUMN_CALLER, *caller);
		ml_predict_caller(p, *caller);
	}
	return thread;
}

/* A path that is not the first guess; returns the status that says so. */
static __attribute__((noinline)) unsigned put_path(struct ml_encoder *e,
						   const struct ml_path_guess *guess,
						   const struct ml_path *path,
						   uint32_t number)
{
	uint32_t exit = number - path->first;

	if (guess->second == number + 1)
		return ML_STATUS_SECOND;
	if (guess->first - 1 - path->first <= path->exits && exit < 256) {
		put(e, ML_COLUMN_EXIT, exit);
		return ML_STATUS_EXIT;
	}
	put(e, ML_COLUMN_PATH, number);
	return ML_STATUS_PATH;
}

/* One step, whose values stand at value; returns how many. */
static INLINE unsigned put_step(struct ml_encoder *e, struct hot *h,
				const struct ml_told *step, const uint64_t *value)
{
	uint32_t number = step->path;
	struct ml_predict *p = &e->predict;
	const struct ml_path *path = &p->shapes->path[number];
	struct ml_path_guess *guess = ml_predict_path(p, &h->predict);
	unsigned status = 0;

	if (__builtin_expect(guess->first != number + 1, 0))
		status = put_path(e, guess, path, number);
	ml_predict_took(&h->predict, guess, number);
	if (__builtin_expect(path->user != p->user, 0))
		ml_predict_cross(p, path->user);
	p->user_shape = path->user ? path->shape : p->user_shape;
	bool caller = !path->user && step->caller != p->caller;
	if (__builtin_expect(caller || e->thread != e->said_thread, 0)) {
		status |= ML_STATUS_RARE;
		if (put_rare(e, caller ? &step->caller : NULL))
			h->predict.known = 0;
	}
	unsigned bases = path->bases;
	status |= __builtin_expect(bases <= 32, 1)
			  ? put_bases(e, h, path->base, value, bases)
			  : put_many(e, h, path->base, value, bases);
	*h->status++ = (uint8_t)status;
	ml_predict_leave(p, &h->predict, path, value);
	return bases;
}

/* The steps of one thread, up to the next turn. */
static const uint64_t *put_steps(struct ml_encoder *e, const struct ml_told *step,
				 size_t count, const uint64_t *value)
{
	struct hot h = { e->predict.hot, e->at[ML_COLUMN_STATUS], e->at[ML_COLUMN_D2],
			 e->at[ML_COLUMN_CODES] };

	for (size_t i = 0; i < count; i++) {
		/* large programs do not fit the cache: ask for what comes next in time */
		if (i + 3 < count) {
			const struct ml_path *path = e->predict.shapes->path;

			__builtin_prefetch(&path[step[i + 3].path]);
			__builtin_prefetch(path[step[i + 2].path].base);
		}
		value += put_step(e, &h, &step[i], value);
	}
	e->predict.hot = h.predict;
	e->at[ML_COLUMN_STATUS] = h.status;
	e->at[ML_COLUMN_D2] = h.d2;
	e->at[ML_COLUMN_CODES] = h.codes;
	return value;
}

static void put_planes(struct ml_encoder *e, enum ml_column c, struct ml_buf *sizes,
		       struct ml_buf *out)
{
	size_t bytes = ml_column_bytes[c];
	size_t count = (size_t)(e->at[c] - e->start[c]) / bytes;
	const uint8_t *in = e->start[c];

	ml_buf_varint(sizes, count);
	for (size_t k = 0; k < bytes && count; k++) {
		const uint8_t *from = in;

		if (bytes > 1) {
			e->plane.size = 0;
			ml_buf_reserve(&e->plane, count);
			for (size_t i = 0; i < count; i++)
				e->plane.data[i] = in[i * bytes + k];
			from = e->plane.data;
		}
		ml_buf_varint(sizes, ml_pack(&e->packer, from, count, e->level, out));
	}
}

void ml_encoder_chunk(struct ml_encoder *e, const struct ml_shapes *shapes,
		      const struct ml_steps *steps, struct ml_buf *out)
{
	struct ml_buf packed = { 0 };
	const uint64_t *value = steps->value;

	memcpy(e->at, e->start, sizeof(e->at));
	e->said_thread = steps->turn[0].thread;
	e->predict.shapes = shapes;
	ml_predict_reset(&e->predict);
	for (size_t i = 0; i < steps->turns; i++) {
		size_t from = steps->turn[i].step;
		size_t to = i + 1 < steps->turns ? steps->turn[i + 1].step : steps->count;

		e->thread = steps->turn[i].thread;
		value = put_steps(e, steps->at + from, to - from, value);
	}
	ml_buf_varint(out, steps->count);
	ml_buf_varint(out, steps->turn[0].thread);
	for (enum ml_column c = 0; c < ML_COLUMNS; c++)
		put_planes(e, c, out, &packed);
	ml_buf_put(out, packed.data, packed.size);
	ml_buf_release(&packed);
}
