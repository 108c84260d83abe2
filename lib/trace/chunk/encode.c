#include "lib/trace/chunk/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/chunk/columns.h"
#include "lib/trace/chunk/predictor_choice.h"
#include "lib/trace/chunk/predict.h"
#include "lib/trace/chunk/residuals.h"

enum {
	BLOCK = 1024, /* values that are encoded at a time; a multiple of 8 */
	/* Models are tried on samples of consecutive values. */
	SAMPLE = 512,      /* values in a sample */
	SAMPLED = 1 << 13, /* values in all samples of a chunk, about */
	FEW = 1 << 11,     /* a chunk with more values than this */
	SPARSE = 8,        /* has at most one value in so many sampled */
	STATES_AT_ONCE = 16,
	STATUSES_AT_ONCE = 8,
	UNPREDICTED_MAX = 15, /* chunks in a row whose paths are not predicted */
	SIZE_BYTES = 4,
};
_Static_assert(ML_CHUNK_MAX < 1 << (7 * SIZE_BYTES - 4), "a column's size fits");

/*
 * Compression levels (pack.h) of noisy chunks, whose values are mostly predicted wrong.
 * There a search for repetitions takes long and finds little.
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
	/* the predictor reads ML_LAGS values before the first: zeros */
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

/* The first use of a state in the chunk: the state, and the index of the value. */
struct fresh {
	uint32_t state, value;
};

struct ml_encoder {
	struct ml_predict predict;
	struct ml_predictor_choice choice;
	ml_predictor_choice_trier *try_samples;
	const struct ml_residuals_ops *residuals;
	/* The columns and their ends. The room suffices for the largest chunk, so that
	 * nothing need be checked. */
	uint8_t *start[ML_COLUMNS], *at[ML_COLUMNS];
	uint8_t *status;     /* of each step of the chunk */
	uint32_t *state;     /* of each value of the chunk */
	struct fresh *fresh; /* in the order of values */
	size_t fresh_count, fresh_cap;
	uint16_t thread;       /* of the step */
	uint16_t known_thread; /* the thread that the decoder will assume */
	int level;
	int unpredicted; /* in a hurry, number of further chunks without path prediction
			  */
	struct ml_packer packer;
	struct ml_buf plane; /* scratch */
};

struct ml_encoder *ml_encoder_open(int level)
{
	struct ml_encoder *e = ml_resize(NULL, sizeof(*e));

	*e = (struct ml_encoder){ .level = level,
				  .residuals = ml_residuals_ops(),
				  .try_samples = ml_predictor_choice_best_trier() };
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
	ml_predictor_choice_release(&e->choice);
	ml_packer_release(&e->packer);
	ml_buf_release(&e->plane);
	ml_free(e);
}

static size_t elements(const struct ml_encoder *e, enum ml_chunk_column c)
{
	return (size_t)(e->at[c] - e->start[c]) / ml_column_bytes[c];
}

static void put(struct ml_encoder *e, enum ml_chunk_column c, uint64_t v)
{
	memcpy(e->at[c], &v, ml_column_bytes[c]);
	e->at[c] += ml_column_bytes[c];
}

/* The thread and, unless NULL, the caller, where the decoder expects others. */
static __attribute__((noinline)) void put_rare(struct ml_encoder *e,
					       const uint32_t *caller)
{
	struct ml_predict *p = &e->predict;
	bool thread = e->thread != e->known_thread;

	put(e, ML_COLUMN_RARE,
	    (uint64_t)(caller ? ML_RARE_CALLER : 0) |
		    (uint64_t)(thread ? ML_RARE_THREAD : 0));
	if (thread) {
		put(e, ML_COLUMN_THREAD, e->thread);
		e->known_thread = e->thread;
	}
	if (caller) {
		put(e, ML_COLUMN_CALLER, *caller);
		ml_predict_caller(p, *caller);
	}
}

/* Encodes a path that is not the first guess; returns the status. */
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

/* Encodes the path of a step, and thread and caller; returns the status. */
static inline unsigned put_step(struct ml_encoder *e, struct ml_predict_hot *h,
				const struct ml_told *step, const struct ml_path *path,
				bool predict)
{
	uint32_t number = step->path;
	struct ml_predict *p = &e->predict;
	struct ml_path_guess *guess = predict ? ml_predict_path(p, h) : NULL;
	unsigned status = predict ? ML_STATUS_FIRST : ML_STATUS_PATH;

	if (__builtin_expect(path->user != p->user, 0))
		ml_predict_cross(p, path->user);
	p->user_shape = path->user ? path->shape : p->user_shape;
	bool caller = !path->user && step->caller != p->caller;
	if (__builtin_expect(caller || e->thread != e->known_thread, 0)) {
		status = ML_STATUS_PATH;
		put(e, ML_COLUMN_PATH, number | ML_PATH_RARE);
		put_rare(e, caller ? &step->caller : NULL);
	} else if (!predict) {
		put(e, ML_COLUMN_PATH, number);
	} else if (__builtin_expect(guess->first != number + 1, 0)) {
		status = put_path(e, guess, path, number);
	}
	if (predict)
		ml_predict_update(h, guess, number);
	return status;
}

/* Notes the new states of a path. Its first base is the chunk's value number `at`. */
static __attribute__((noinline)) void meet(struct ml_encoder *e,
					   const struct ml_path *path, size_t at)
{
	struct ml_predict *p = &e->predict;

	e->fresh = ml_grow(e->fresh, &e->fresh_cap, e->fresh_count + path->bases,
			   sizeof(*e->fresh));
	for (size_t i = 0; i < path->bases; i++)
		if (ml_predict_first(p, path->state[i]))
			e->fresh[e->fresh_count++] = (struct fresh){ path->state[i],
								     (uint32_t)(at + i) };
	ml_predict_note_bases(p, path);
}

/* Encodes the steps of one turn, and appends the states of their values to `state`. */
static inline __attribute__((always_inline)) uint32_t *
put_steps(struct ml_encoder *e, const struct ml_told *step, size_t count, uint8_t *status,
	  uint32_t *state, bool predict)
{
	const struct ml_path *paths = e->predict.shapes->path;
	struct ml_predict_hot h = e->predict.hot;

	for (size_t i = 0; i < count; i++) {
		const struct ml_path *path = &paths[step[i].path];

		/* the paths of large programs do not fit the cache */
		if (i + 3 < count) {
			__builtin_prefetch(&paths[step[i + 3].path]);
			__builtin_prefetch(paths[step[i + 2].path].state);
		}
		status[i] = (uint8_t)put_step(e, &h, &step[i], path, predict);
		if (__builtin_expect(!ml_predict_knows_bases(&e->predict, path), 0))
			meet(e, path, (size_t)(state - e->state));
		/* 16 at a time, which are readable; few paths have more */
		for (unsigned k = 0; k < path->bases; k += STATES_AT_ONCE)
			memcpy(state + k, path->state + k,
			       STATES_AT_ONCE * sizeof(*state));
		state += path->bases;
	}
	e->predict.hot = h;
	return state;
}

/* Packs the statuses, two bits each. */
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
 * Does the encoder predict the paths of the next chunk? In a hurry it does not if most
 * predictions were wrong when it last tried: a wrong prediction takes longer than none.
 */
static bool predicts_paths(struct ml_encoder *e, bool hurry)
{
	return !(hurry && e->unpredicted && e->unpredicted--);
}

static void note_guesses(struct ml_encoder *e, size_t steps)
{
	size_t wrong = elements(e, ML_COLUMN_PATH) + elements(e, ML_COLUMN_EXIT);

	e->unpredicted = 2 * wrong > steps ? UNPREDICTED_MAX : 0;
}

/* Scores the models of all states on samples. */
static void try_models(struct ml_encoder *e, const struct ml_steps *steps, bool hurry)
{
	size_t every = SAMPLE;

	if (steps->values > SAMPLED)
		every = (size_t)SAMPLE * (steps->values / SAMPLED + 1);
	if (steps->values > FEW && every < SAMPLE * (size_t)SPARSE)
		every = SAMPLE * (size_t)SPARSE;
	if (hurry)
		every *= 2;
	ml_predictor_choice_start(&e->choice, e->predict.shapes->states);
	for (size_t i = 0; i < steps->values; i += every) {
		size_t left = steps->values - i;

		e->try_samples(&e->choice, e->state + i, steps->value + i,
			       left < SAMPLE ? left : SAMPLE);
	}
}

/* Chooses and stores the model of each state that the chunk uses. */
static void put_models(struct ml_encoder *e, const uint64_t *value)
{
	for (size_t i = 0; i < e->fresh_count; i++) {
		struct fresh f = e->fresh[i];
		uint64_t stride;
		unsigned model = ml_predictor_choice_best(&e->choice, f.state, &stride);

		ml_predict_new(&e->predict.base[f.state], model, stride, value + f.value);
		put(e, ML_COLUMN_MODEL, model);
		if (stride)
			put(e, ML_COLUMN_STRIDE, stride);
	}
}

/* Stores the residuals of all values. */
static void put_values(struct ml_encoder *e, const uint64_t *value, size_t count)
{
	struct ml_base_state *base = e->predict.base;
	struct ml_residuals out = { e->at[ML_COLUMN_CODES], e->at[ML_COLUMN_D1],
				    e->at[ML_COLUMN_D2], e->at[ML_COLUMN_D4],
				    e->at[ML_COLUMN_D8] };
	const uint32_t *state = e->state;
	int64_t residual[BLOCK];

	while (count) {
		size_t n = count < BLOCK ? count : BLOCK;

		for (size_t i = 0; i < n; i++)
			residual[i] = ml_predict_residual(&base[state[i]], value + i);
		count -= n;
		value += n;
		state += n;
		for (; n % 8; n++)
			residual[n] = 0;
		e->residuals->put(&out, residual, n);
	}
	e->at[ML_COLUMN_CODES] = out.codes;
	e->at[ML_COLUMN_D1] = out.d1;
	e->at[ML_COLUMN_D2] = out.d2;
	e->at[ML_COLUMN_D4] = out.d4;
	e->at[ML_COLUMN_D8] = out.d8;
}

/* Are more than two of five residuals not 0? */
static bool is_noisy(const struct ml_encoder *e, size_t values)
{
	size_t wrong = elements(e, ML_COLUMN_D1) + elements(e, ML_COLUMN_D2) +
		       elements(e, ML_COLUMN_D4);

	return 5 * wrong > 2 * values;
}

/* In a hurry two columns of noisy chunks are stored: they gain least for the time. */
static int level_of(const struct ml_encoder *e, enum ml_chunk_column c, bool noisy,
		    bool hurry)
{
	if (!noisy)
		return e->level;
	if (hurry && (c == ML_COLUMN_CODES || c == ML_COLUMN_D1))
		return ML_PACK_STORE;
	return noisy_level[c];
}

/* Plane k of a column: byte k of each element. */
static const uint8_t *plane_of(struct ml_encoder *e, enum ml_chunk_column c, size_t k)
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

/* Number of sizes in the chunk's head: of the columns and of their planes. */
static size_t count_sizes(const struct ml_encoder *e)
{
	size_t n = ML_COLUMNS;

	for (enum ml_chunk_column c = 0; c < ML_COLUMNS; c++)
		n += elements(e, c) ? ml_column_planes[c] : 0;
	return n;
}

/* A varint of fixed length: its place is reserved before the number is known. */
static void put_size(struct ml_buf *out, size_t *at, size_t size)
{
	for (unsigned i = 0; i < SIZE_BYTES; i++, size >>= 7)
		out->data[(*at)++] = (uint8_t)((size & 0x7f) |
					       (i + 1 < SIZE_BYTES ? 0x80 : 0));
}

/* Appends the compressed planes of a column; writes its sizes at *at. */
static void put_column(struct ml_encoder *e, enum ml_chunk_column c, int level,
		       size_t *at, struct ml_buf *out)
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
	bool predict = predicts_paths(e, hurry);

	memcpy(e->at, e->start, sizeof(e->at));
	e->fresh_count = 0;
	e->known_thread = steps->turn[0].thread;
	e->predict.shapes = shapes;
	ml_predict_reset(&e->predict);
	for (size_t i = 0; i < steps->turns; i++) {
		size_t from = steps->turn[i].step;
		size_t to = i + 1 < steps->turns ? steps->turn[i + 1].step : steps->count;

		e->thread = steps->turn[i].thread;
		/* two copies are compiled: the loop is most of an encoder's work */
		if (predict)
			state = put_steps(e, steps->at + from, to - from,
					  e->status + from, state, true);
		else
			state = put_steps(e, steps->at + from, to - from,
					  e->status + from, state, false);
	}
	put_statuses(e, steps->count);
	if (predict)
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
	for (enum ml_chunk_column c = 0; c < ML_COLUMNS; c++)
		put_column(e, c, level_of(e, c, noisy, hurry), &at, out);
}
