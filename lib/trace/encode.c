#include "lib/trace/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/columns.h"
#include "lib/trace/predictor_choice.h"
#include "lib/trace/predict.h"
#include "lib/trace/residuals.h"

enum {
	BLOCK = 1024,      /* values that are encoded at a time; a multiple of 8 */
	SAMPLE = 512,      /* values in a row that comparisons are tried on, */
	SAMPLED = 1 << 13, /* how many in all at most, or few more, */
	FEW = 1 << 11,     /* and if there are more than these, */
	LEAST_OF = 8,      /* at most one of so many */
	STATES_AT_ONCE = 16,
	STATUSES_AT_ONCE = 8,
	OUTRIGHT = 15, /* chunks in a row whose paths are told without a guess at most */
	SIZE_BYTES = 4,
};
_Static_assert(ML_CHUNK_MAX < 1 << (7 * SIZE_BYTES - 4), "a column fits, packed or not");

/*
 * Where the values of a chunk are hard to foresee there is little to be found by looking
 * for repetitions, and much time goes into it: how little it is looked for (pack.h).
 */
static const int noisy_level[ML_COLUMNS] = {
	[ML_COLUMN_STATUS] = -100,
	[ML_COLUMN_PATH] = -100,
	[ML_COLUMN_EXIT] = -100,
	[ML_COLUMN_MODEL] = 1,
	[ML_COLUMN_STRIDE] = 1,
	[ML_COLUMN_CODES] = -100,
	[ML_COLUMN_D1] = -6,
	[ML_COLUMN_D2] = -4,
	[ML_COLUMN_D4] = ML_PACK_NO_SEARCH,
	[ML_COLUMN_D8] = 1,
	[ML_COLUMN_RARE] = 1,
	[ML_COLUMN_THREAD] = 1,
	[ML_COLUMN_CALLER] = 1,
};

void ml_steps_init(struct ml_steps *s)
{
	*s = (struct ml_steps){ 0 };
	s->at = ml_resize(NULL, ML_CHUNK_MAX * sizeof(*s->at));
	/* zeros before the first: what it is compared with */
	s->value = ml_resize(NULL, (ML_LAGS + ML_CHUNK_MAX) * sizeof(*s->value));
	memset(s->value, 0, ML_LAGS * sizeof(*s->value));
	s->value += ML_LAGS;
}

void ml_steps_release(struct ml_steps *s)
{
	ml_free(s->at);
	if (s->value)
		ml_free(s->value - ML_LAGS);
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

/* The first use of a state in the chunk. */
struct fresh {
	uint32_t state, value;
};

struct ml_encoder {
	struct ml_predict predict;
	struct ml_predictor_choice beside;
	ml_predictor_choice_trier *beside_try;
	const struct ml_residuals_ops *rest;
	uint8_t *start[ML_COLUMNS],
		*at[ML_COLUMNS]; /* room for the largest chunk: no checks */
	uint8_t *status;         /* of each step of the chunk */
	uint32_t *state;         /* of each value of the chunk */
	struct fresh *fresh;     /* in the order of values */
	size_t freshes, fresh_cap;
	uint16_t thread, said_thread; /* now, and as the decoder thinks */
	int level;
	int outright; /* so many chunks more will have paths that nobody guesses */
	struct ml_packer packer;
	struct ml_buf plane; /* of the column at hand */
};

struct ml_encoder *ml_encoder_open(int level)
{
	struct ml_encoder *e = ml_resize(NULL, sizeof(*e));

	*e = (struct ml_encoder){ .level = level,
				  .rest = ml_residuals_ops(),
				  .beside_try = ml_predictor_choice_best_trier() };
	for (int i = 0; i < ML_COLUMNS; i++)
		e->start[i] = ml_resize(NULL, (size_t)ML_CHUNK_MAX * ml_column_bytes[i] +
						      ML_RESIDUALS_SLACK);
	e->status = ml_resize(NULL, ML_CHUNK_MAX + STATUSES_AT_ONCE);
	e->state = ml_resize(NULL, (ML_CHUNK_MAX + STATES_AT_ONCE) * sizeof(*e->state));
	return e;
}

void ml_encoder_close(struct ml_encoder *e)
{
	for (int i = 0; i < ML_COLUMNS; i++)
		ml_free(e->start[i]);
	ml_free(e->status);
	ml_free(e->state);
	ml_free(e->fresh);
	ml_predict_release(&e->predict);
	ml_predictor_choice_release(&e->beside);
	ml_packer_release(&e->packer);
	ml_buf_release(&e->plane);
	ml_free(e);
}

static size_t elements(const struct ml_encoder *e, enum ml_column c)
{
	return (size_t)(e->at[c] - e->start[c]) / ml_column_bytes[c];
}

static void put(struct ml_encoder *e, enum ml_column c, uint64_t v)
{
	memcpy(e->at[c], &v, ml_column_bytes[c]);
	e->at[c] += ml_column_bytes[c];
}

/* Thread and caller, which change seldom. */
static __attribute__((noinline)) void put_rare(struct ml_encoder *e,
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

/* One step; returns its status. If it is told outright, what is guessed does not matter.
 */
static inline unsigned put_step(struct ml_encoder *e, struct ml_predict_hot *h,
				const struct ml_told *step, const struct ml_path *path,
				bool outright)
{
	uint32_t number = step->path;
	struct ml_predict *p = &e->predict;
	struct ml_path_guess *guess = outright ? NULL : ml_predict_path(p, h);
	unsigned status = outright ? ML_STATUS_PATH : ML_STATUS_FIRST;

	if (__builtin_expect(path->user != p->user, 0))
		ml_predict_cross(p, path->user);
	p->user_shape = path->user ? path->shape : p->user_shape;
	bool caller = !path->user && step->caller != p->caller;
	if (__builtin_expect(caller || e->thread != e->said_thread, 0)) {
		status = ML_STATUS_PATH;
		put(e, ML_COLUMN_PATH, number | ML_PATH_RARE);
		put_rare(e, caller ? &step->caller : NULL);
	} else if (outright) {
		put(e, ML_COLUMN_PATH, number);
	} else if (__builtin_expect(guess->first != number + 1, 0)) {
		status = put_path(e, guess, path, number);
	}
	if (!outright)
		ml_predict_took(h, guess, number);
	return status;
}

/* Bases of a path that this chunk has not met; the first one is the chunk's value `at`.
 */
static __attribute__((noinline)) void meet(struct ml_encoder *e,
					   const struct ml_path *path, size_t at)
{
	struct ml_predict *p = &e->predict;

	e->fresh = ml_grow(e->fresh, &e->fresh_cap, e->freshes + path->bases,
			   sizeof(*e->fresh));
	for (size_t i = 0; i < path->bases; i++)
		if (ml_predict_first(p, path->state[i]))
			e->fresh[e->freshes++] = (struct fresh){ path->state[i],
								 (uint32_t)(at + i) };
	ml_predict_meet(p, path);
}

/* The steps of one thread, up to the next turn; the states of their values follow. */
static inline __attribute__((always_inline)) uint32_t *
put_steps(struct ml_encoder *e, const struct ml_told *step, size_t count, uint8_t *status,
	  uint32_t *state, bool outright)
{
	const struct ml_path *paths = e->predict.shapes->path;
	struct ml_predict_hot h = e->predict.hot;

	for (size_t i = 0; i < count; i++) {
		const struct ml_path *path = &paths[step[i].path];

		/* large programs do not fit the cache: ask for what comes next in time */
		if (i + 3 < count) {
			__builtin_prefetch(&paths[step[i + 3].path]);
			__builtin_prefetch(paths[step[i + 2].path].state);
		}
		status[i] = (uint8_t)put_step(e, &h, &step[i], path, outright);
		if (__builtin_expect(!ml_predict_met(&e->predict, path), 0))
			meet(e, path, (size_t)(state - e->state));
		/* always whole lines, which are there: few have more */
		for (unsigned k = 0; k < path->bases; k += STATES_AT_ONCE)
			memcpy(state + k, path->state + k,
			       STATES_AT_ONCE * sizeof(*state));
		state += path->bases;
	}
	e->predict.hot = h;
	return state;
}

/* Two bits of each status. */
static void put_statuses(struct ml_encoder *e, size_t count)
{
	memset(e->status + count, 0, STATUSES_AT_ONCE);
	for (size_t i = 0; i < count; i += STATUSES_AT_ONCE) {
		uint64_t x;

		memcpy(&x, e->status + i, sizeof(x));
		x = (x | x >> 6) & 0x000f000f000f000f;
		x = (x | x >> 12) & 0x000000ff000000ff;
		x |= x >> 24;
		memcpy(e->start[ML_COLUMN_STATUS] + i / 4, &x, 2);
	}
	e->at[ML_COLUMN_STATUS] = e->start[ML_COLUMN_STATUS] + (count + 3) / 4;
}

/*
 * In a hurry, are the paths of the next chunk to be told outright? So it is where most
 * were no guess when it was last tried: to guess wrong takes longer than to say it.
 */
static bool is_outright(struct ml_encoder *e, bool hurry)
{
	return hurry && e->outright && e->outright--;
}

static void note_guesses(struct ml_encoder *e, size_t steps)
{
	size_t wrong = elements(e, ML_COLUMN_PATH) + elements(e, ML_COLUMN_EXIT);

	e->outright = 2 * wrong > steps ? OUTRIGHT : 0;
}

/* Finds out what to compare the values with. */
static void try_models(struct ml_encoder *e, const struct ml_steps *steps, bool hurry)
{
	size_t every = SAMPLE;

	if (steps->values > SAMPLED)
		every = (size_t)SAMPLE * (steps->values / SAMPLED + 1);
	if (steps->values > FEW && every < SAMPLE * (size_t)LEAST_OF)
		every = SAMPLE * (size_t)LEAST_OF;
	if (hurry)
		every *= 2;
	ml_predictor_choice_start(&e->beside, e->predict.shapes->states);
	for (size_t i = 0; i < steps->values; i += every) {
		size_t left = steps->values - i;

		e->beside_try(&e->beside, e->state + i, steps->value + i,
			      left < SAMPLE ? left : SAMPLE);
	}
}

/* States that are used for the first time: the file says how. */
static void put_models(struct ml_encoder *e, const uint64_t *value)
{
	for (size_t i = 0; i < e->freshes; i++) {
		struct fresh f = e->fresh[i];
		uint64_t stride;
		unsigned model = ml_predictor_choice_best(&e->beside, f.state, &stride);

		ml_predict_new(&e->predict.base[f.state], model, stride, value + f.value);
		put(e, ML_COLUMN_MODEL, model);
		if (stride)
			put(e, ML_COLUMN_STRIDE, stride);
	}
}

/* What is left of the values when the prediction is taken away. */
static void put_values(struct ml_encoder *e, const uint64_t *value, size_t count)
{
	struct ml_base_state *base = e->predict.base;
	struct ml_residuals out = { e->at[ML_COLUMN_CODES], e->at[ML_COLUMN_D1],
				    e->at[ML_COLUMN_D2], e->at[ML_COLUMN_D4],
				    e->at[ML_COLUMN_D8] };
	const uint32_t *state = e->state;
	int64_t rest[BLOCK];

	while (count) {
		size_t n = count < BLOCK ? count : BLOCK;

		for (size_t i = 0; i < n; i++)
			rest[i] = ml_predict_rest(&base[state[i]], value + i);
		count -= n;
		value += n;
		state += n;
		for (; n % 8; n++)
			rest[n] = 0;
		e->rest->put(&out, rest, n);
	}
	e->at[ML_COLUMN_CODES] = out.codes;
	e->at[ML_COLUMN_D1] = out.d1;
	e->at[ML_COLUMN_D2] = out.d2;
	e->at[ML_COLUMN_D4] = out.d4;
	e->at[ML_COLUMN_D8] = out.d8;
}

/* Is something left of more than two of five values? */
static bool is_noisy(const struct ml_encoder *e, size_t values)
{
	size_t left = elements(e, ML_COLUMN_D1) + elements(e, ML_COLUMN_D2) +
		      elements(e, ML_COLUMN_D4);

	return 5 * left > 2 * values;
}

/* In a hurry two columns of noisy chunks, which shrink least for their time, do not. */
static int level_of(const struct ml_encoder *e, enum ml_column c, bool noisy, bool hurry)
{
	if (!noisy)
		return e->level;
	if (hurry && (c == ML_COLUMN_CODES || c == ML_COLUMN_D1))
		return ML_PACK_STORE;
	return noisy_level[c];
}

/* The bytes number k of the column's elements. */
static const uint8_t *plane_of(struct ml_encoder *e, enum ml_column c, size_t k)
{
	size_t bytes = ml_column_bytes[c], count = elements(e, c);
	const uint8_t *in = e->start[c] + k;

	e->plane.size = 0;
	ml_buf_reserve(&e->plane, count);
	uint8_t *restrict plane = e->plane.data;
	for (size_t i = 0; i < count; i++)
		plane[i] = in[i * bytes];
	return plane;
}

/* How many numbers tell how long the columns and their planes are. */
static size_t count_sizes(const struct ml_encoder *e)
{
	size_t n = ML_COLUMNS;

	for (enum ml_column c = 0; c < ML_COLUMNS; c++)
		n += elements(e, c) ? ml_column_planes[c] : 0;
	return n;
}

/* A varint that is as long whatever the number: it has its place before it is known. */
static void put_size(struct ml_buf *out, size_t *at, size_t size)
{
	for (unsigned i = 0; i < SIZE_BYTES; i++, size >>= 7)
		out->data[(*at)++] = (uint8_t)((size & 0x7f) |
					       (i + 1 < SIZE_BYTES ? 0x80 : 0));
}

/* Appends the packed planes of the column. How many elements it has and how long they are
 * goes to *at. */
static void put_column(struct ml_encoder *e, enum ml_column c, int level, size_t *at,
		       struct ml_buf *out)
{
	size_t planes = ml_column_planes[c], count = elements(e, c);

	put_size(out, at, count);
	for (size_t k = 0; k < planes && count; k++) {
		const uint8_t *in = planes > 1 ? plane_of(e, c, k) : e->start[c];
		size_t size = planes > 1 ? count : count * ml_column_bytes[c];

		put_size(out, at, ml_pack(&e->packer, in, size, level, out));
	}
}

void ml_encoder_chunk(struct ml_encoder *e, const struct ml_shapes *shapes,
		      const struct ml_steps *steps, bool hurry, struct ml_buf *out)
{
	uint32_t *state = e->state;
	bool outright = is_outright(e, hurry);

	memcpy(e->at, e->start, sizeof(e->at));
	e->freshes = 0;
	e->said_thread = steps->turn[0].thread;
	e->predict.shapes = shapes;
	ml_predict_reset(&e->predict);
	for (size_t i = 0; i < steps->turns; i++) {
		size_t from = steps->turn[i].step;
		size_t to = i + 1 < steps->turns ? steps->turn[i + 1].step : steps->count;

		e->thread = steps->turn[i].thread;
		/* compiled twice: this is most of what an encoder does for a step */
		if (outright)
			state = put_steps(e, steps->at + from, to - from,
					  e->status + from, state, true);
		else
			state = put_steps(e, steps->at + from, to - from,
					  e->status + from, state, false);
	}
	put_statuses(e, steps->count);
	if (!outright)
		note_guesses(e, steps->count);
	try_models(e, steps, hurry);
	put_models(e, steps->value);
	put_values(e, steps->value, steps->values);
	bool noisy = is_noisy(e, steps->values);
	ml_buf_varint(out, steps->count);
	ml_buf_varint(out, steps->turn[0].thread);
	size_t at = out->size, sizes = count_sizes(e) * SIZE_BYTES;
	ml_buf_reserve(out, sizes);
	out->size += sizes;
	for (enum ml_column c = 0; c < ML_COLUMNS; c++)
		put_column(e, c, level_of(e, c, noisy, hurry), &at, out);
}
