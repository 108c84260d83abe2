#include "lib/trace/chunk/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/chunk/columns.h"
#include "lib/trace/chunk/predict.h"
#include "lib/trace/chunk/residuals.h"

enum {
	RESIDUALS = 1024, /* residuals that are unpacked at a time */
	WINDOW = 1 << 12, /* values after which the window moves to the front */
	STEP_VALUES = 2 * ML_SLOTS_MAX + 1, /* of a step: its bases, a 0, its drifts */
	NO_PATH = INT32_MAX,
};

#define INLINE inline __attribute__((always_inline))

struct column {
	uint8_t *data;
	size_t cap;         /* bytes */
	size_t count, next; /* elements */
};

struct ml_decoder {
	struct ml_predict predict;
	struct column column[ML_COLUMNS];
	uint8_t *status; /* of each step */
	size_t steps, step, status_cap;
	uint64_t count; /* references still to come */
	uint16_t thread;
	size_t sites;
	bool bad; /* the chunk is malformed */
	struct ml_unpacker unpacker;
	struct ml_buf plane;

	/* Residuals of the next values: residual[residual_at] up to residual[residuals -
	 * 1] are unpacked. */
	const struct ml_residuals_ops *ops;
	struct ml_residuals in;
	size_t packed; /* residuals still to be unpacked */
	int64_t residual[RESIDUALS + ML_SLOTS_MAX];
	size_t residual_at, residuals;

	/* A window of the values of bases. Those of the next step begin at `at`. */
	uint64_t value[ML_LAGS + WINDOW + STEP_VALUES];
	size_t at;
};

struct ml_decoder *ml_decoder_open(const struct ml_shapes *shapes, size_t sites)
{
	struct ml_decoder *d = ml_resize(NULL, sizeof(*d));

	memset(d, 0, sizeof(*d));
	d->sites = sites;
	d->ops = ml_residuals_ops();
	d->predict.shapes = shapes;
	return d;
}

void ml_decoder_close(struct ml_decoder *d)
{
	for (int i = 0; i < ML_COLUMNS; i++)
		ml_free(d->column[i].data);
	ml_free(d->status);
	ml_predict_release(&d->predict);
	ml_unpacker_release(&d->unpacker);
	ml_buf_release(&d->plane);
	ml_free(d);
}

static bool get_planes(struct ml_decoder *d, enum ml_chunk_column c,
		       struct ml_bytes *packed, const uint64_t *sizes, struct ml_err *err)
{
	struct column *col = &d->column[c];
	size_t bytes = ml_column_bytes[c], planes = ml_column_planes[c];

	col->next = 0;
	col->data = ml_grow(col->data, &col->cap, col->count * bytes + ML_RESIDUALS_SLACK,
			    1);
	for (size_t k = 0; k < planes && col->count; k++) {
		const uint8_t *in = ml_bytes_take(packed, sizes[k]);

		if (!in)
			return ml_fail(err, ML_FORMAT, "column %d ends early", (int)c);
		if (planes == 1)
			return ml_unpack(&d->unpacker, in, sizes[k], col->data,
					 col->count * bytes, err);
		d->plane.size = 0;
		ml_buf_reserve(&d->plane, col->count);
		if (!ml_unpack(&d->unpacker, in, sizes[k], d->plane.data, col->count,
			       err))
			return false;
		for (size_t i = 0; i < col->count; i++)
			col->data[i * bytes + k] = d->plane.data[i];
	}
	return true;
}

/* How many codes have the low bit, the high bit, both. */
struct code_bits {
	size_t low, high, both;
};

/*
 * Counts the bits of eight bytes at a time, which have four codes each: the baseline of
 * x86-64 has no instruction for it, so each count is a call.
 */
static struct code_bits count_codes(const uint8_t *data, size_t count)
{
	const uint64_t lows = UINT64_MAX / 3; /* 0101... */
	struct code_bits n = { 0 };

	for (size_t i = 0, size; i < count; i += size) {
		uint64_t c = 0;

		size = count - i < sizeof(c) ? count - i : sizeof(c);
		memcpy(&c, data + i, size);
		n.low += (size_t)__builtin_popcountll(c & lows);
		n.high += (size_t)__builtin_popcountll(c & ~lows);
		n.both += (size_t)__builtin_popcountll(c & c >> 1 & lows);
	}
	return n;
}

/* Do the columns have as many residuals as the codes say, and do the models exist? */
static bool residuals_fit(const struct ml_decoder *d)
{
	const struct column *codes = &d->column[ML_COLUMN_CODES];
	const struct column *models = &d->column[ML_COLUMN_MODEL];
	const struct column *d4 = &d->column[ML_COLUMN_D4];
	struct code_bits n = count_codes(codes->data, codes->count);
	size_t far = 0;

	for (size_t i = 0; i < models->count; i++) {
		unsigned m = models->data[i];

		if (ml_predict_lag(m) > ML_LAGS || ml_predict_shift(m) >= ML_LAG_SHIFTS)
			return false;
	}
	for (size_t i = 0; i < d4->count; i++) {
		int32_t x;

		memcpy(&x, d4->data + 4 * i, 4);
		far += x == INT32_MIN;
	}
	return !(codes->count & 1) && n.low - n.both == d->column[ML_COLUMN_D1].count &&
	       n.high - n.both == d->column[ML_COLUMN_D2].count && n.both == d4->count &&
	       far == d->column[ML_COLUMN_D8].count;
}

/* Unpacks the statuses to a byte each. False: the unused bits are not 0. */
static bool start_steps(struct ml_decoder *d, size_t steps)
{
	const uint8_t *packed =
		d->column[ML_COLUMN_STATUS].data; /* with slack at its end */

	d->steps = steps;
	d->step = 0;
	d->status = ml_grow(d->status, &d->status_cap, steps + 8, 1);
	for (size_t i = 0; i < steps; i += 8) {
		uint64_t x = 0;

		memcpy(&x, packed + i / 4, 2);
		x = (x | x << 24) & 0x000000ff000000ff;
		x = (x | x << 12) & 0x000f000f000f000f;
		x = (x | x << 6) & 0x0303030303030303;
		memcpy(d->status + i, &x, sizeof(x));
	}
	for (size_t i = steps; i % 4; i++)
		if (d->status[i])
			return false;
	return true;
}

static void start_values(struct ml_decoder *d)
{
	d->in = (struct ml_residuals){
		d->column[ML_COLUMN_CODES].data, d->column[ML_COLUMN_D1].data,
		d->column[ML_COLUMN_D2].data,    d->column[ML_COLUMN_D4].data,
		d->column[ML_COLUMN_D8].data,
	};
	d->packed = d->column[ML_COLUMN_CODES].count * 4;
	d->residual_at = d->residuals = 0;
	memset(d->value, 0, ML_LAGS * sizeof(*d->value));
	d->at = ML_LAGS;
}

/* Does the column tell the paths and threads of steps? */
static bool tells_paths(enum ml_chunk_column c)
{
	return c == ML_COLUMN_STATUS || c == ML_COLUMN_PATH || c == ML_COLUMN_EXIT ||
	       c == ML_COLUMN_RARE || c == ML_COLUMN_THREAD || c == ML_COLUMN_CALLER;
}

static bool start(struct ml_decoder *d, const uint8_t *data, size_t size, uint64_t count,
		  bool paths_only, struct ml_err *err)
{
	struct ml_bytes in = { data, data + size, false };
	uint64_t sizes[ML_COLUMNS][ML_COLUMN_PLANES_MAX] = { 0 };

	uint64_t steps = ml_bytes_varint(&in);
	d->thread = (uint16_t)ml_bytes_varint(&in);
	d->count = count;
	for (enum ml_chunk_column c = 0; c < ML_COLUMNS; c++) {
		d->column[c].count = ml_bytes_varint(&in);
		for (size_t k = 0; k < ml_column_planes[c] && d->column[c].count; k++)
			sizes[c][k] = ml_bytes_varint(&in);
		if (d->column[c].count > ML_CHUNK_MAX)
			return ml_fail(err, ML_FORMAT, "column %d is too long", (int)c);
	}
	if (in.bad || steps > ML_CHUNK_MAX || count > ML_CHUNK_MAX ||
	    (steps + 3) / 4 != d->column[ML_COLUMN_STATUS].count)
		return ml_fail(err, ML_FORMAT, "the head of the chunk is malformed");
	for (enum ml_chunk_column c = 0; c < ML_COLUMNS; c++) {
		bool skip = paths_only && !tells_paths(c);

		for (size_t k = 0; skip && k < ml_column_planes[c]; k++)
			ml_bytes_take(&in, sizes[c][k]);
		if (!skip && !get_planes(d, c, &in, sizes[c], err))
			return false;
	}
	if (!start_steps(d, steps) || (!paths_only && !residuals_fit(d)))
		return ml_fail(err, ML_FORMAT,
			       "the steps or values of the chunk are malformed");
	ml_predict_reset(&d->predict);
	start_values(d);
	d->bad = false;
	return true;
}

bool ml_decoder_start(struct ml_decoder *d, const uint8_t *data, size_t size,
		      uint64_t count, struct ml_err *err)
{
	return start(d, data, size, count, false, err);
}

bool ml_decoder_start_paths(struct ml_decoder *d, const uint8_t *data, size_t size,
			    uint64_t count, struct ml_err *err)
{
	return start(d, data, size, count, true, err);
}

/* The next number of a column. At its end: 0, and bad is set. */
static inline uint64_t take(struct ml_decoder *d, enum ml_chunk_column c)
{
	struct column *col = &d->column[c];
	size_t bytes = ml_column_bytes[c];
	uint64_t v = 0;

	if (__builtin_expect(col->next >= col->count, 0)) {
		d->bad = true;
		return 0;
	}
	memcpy(&v, col->data + bytes * col->next++, bytes);
	return v;
}

/* Unpacks residuals until there are at least `need`. */
static __attribute__((noinline)) void fill_residuals(struct ml_decoder *d, size_t need)
{
	size_t left = d->residuals - d->residual_at;
	size_t room = (sizeof(d->residual) / sizeof(*d->residual) - left) & ~(size_t)7;
	size_t n = d->packed < room ? d->packed : room;

	memmove(d->residual, d->residual + d->residual_at, left * sizeof(*d->residual));
	d->ops->get(&d->in, d->residual + left, n);
	d->packed -= n;
	d->residual_at = 0;
	d->residuals = left + n;
	if (d->residuals < need) {
		memset(d->residual + d->residuals, 0,
		       (need - d->residuals) * sizeof(*d->residual));
		d->residuals = need;
		d->bad = true;
	}
}

/* The values of a step with states that are new in this chunk. */
static __attribute__((noinline)) void meet(struct ml_decoder *d,
					   const struct ml_path *path, uint64_t *v,
					   const int64_t *residual)
{
	struct ml_predict *p = &d->predict;

	for (unsigned i = 0; i < path->bases; i++) {
		struct ml_base_state *s = &p->base[path->state[i]];

		if (ml_predict_first(p, path->state[i])) {
			unsigned model = (unsigned)take(d, ML_COLUMN_MODEL);
			uint64_t stride = model & ML_PREDICT_STRIDE
						  ? take(d, ML_COLUMN_STRIDE)
						  : 0;

			ml_predict_new(s, model, stride, v + i);
		}
		ml_predict_value(s, v + i, residual[i]);
	}
	ml_predict_note_bases(p, path);
}

/* The values of a step's bases, followed by room for a 0 and the step's drifts. */
static INLINE uint64_t *take_values(struct ml_decoder *d, const struct ml_path *path)
{
	struct ml_predict *p = &d->predict;
	const uint32_t *state = path->state;
	unsigned bases = path->bases;

	if (__builtin_expect(d->at >= ML_LAGS + WINDOW, 0)) {
		memmove(d->value, d->value + d->at - ML_LAGS,
			ML_LAGS * sizeof(*d->value));
		d->at = ML_LAGS;
	}
	if (__builtin_expect(d->residual_at + bases > d->residuals, 0))
		fill_residuals(d, bases);
	uint64_t *v = d->value + d->at;
	const int64_t *residual = d->residual + d->residual_at;
	if (__builtin_expect(!ml_predict_knows_bases(p, path), 0))
		meet(d, path, v, residual);
	else
		for (unsigned i = 0; i < bases; i++)
			ml_predict_value(&p->base[state[i]], v + i, residual[i]);
	d->at += bases;
	d->residual_at += bases;
	return v;
}

static __attribute__((noinline)) void take_rare(struct ml_decoder *d)
{
	struct ml_predict *p = &d->predict;
	unsigned rare = (unsigned)take(d, ML_COLUMN_RARE);

	if (rare & ML_RARE_THREAD)
		d->thread = (uint16_t)take(d, ML_COLUMN_THREAD);
	if (rare & ML_RARE_CALLER) {
		ml_predict_caller(p, (uint32_t)take(d, ML_COLUMN_CALLER));
		d->bad |= p->caller >= d->sites;
	}
}

/* Unrolls a shape with conditional slots. */
static size_t unroll_maybe(const struct ml_decoder *d, const struct ml_path *path,
			   const uint64_t *values, struct ml_columns *out, size_t at)
{
	const struct ml_slot *slot = d->predict.shapes->at[path->shape].slot;
	size_t n = 0;

	for (unsigned i = 0; i < path->slots; i++) {
		uint64_t value = values[path->four[i / 4].base[i % 4]];

		if (slot[i].maybe && !value)
			continue;
		out->addr[at + n] = slot[i].offset + value;
		out->site[at + n] = slot[i].site;
		out->what[at + n] = slot[i].what;
		n++;
	}
	return n;
}

/* Unrolls a step, four slots at a time: the columns have room. Returns its references. */
static INLINE size_t unroll(struct ml_decoder *d, const struct ml_path *path,
			    uint64_t *value, struct ml_columns *out, size_t at)
{
	const struct ml_four *four = path->four;

	uint64_t *drifted = value + path->all_bases;

	*drifted++ = 0;
	for (unsigned i = 0; i < path->drifts; i++)
		drifted[i] = ml_drifted(&path->drift[i], value);
	if (__builtin_expect(path->maybe, 0))
		return unroll_maybe(d, path, value, out, at);
	for (unsigned i = 0; i < path->slots; i += 4, four++) {
		uint64_t *addr = out->addr + at + i;
		uint64_t a0 = four->offset[0] + value[four->base[0]];
		uint64_t a1 = four->offset[1] + value[four->base[1]];
		uint64_t a2 = four->offset[2] + value[four->base[2]];
		uint64_t a3 = four->offset[3] + value[four->base[3]];

		addr[0] = a0;
		addr[1] = a1;
		addr[2] = a2;
		addr[3] = a3;
		memcpy(out->site + at + i, four->site, sizeof(four->site));
		memcpy(out->what + at + i, four->what, sizeof(four->what));
	}
	return path->slots;
}

/* Thread and caller change rarely, so their columns are filled for stretches. */
struct stretch {
	size_t start;
	uint32_t caller;
	uint16_t thread;
};

static void fill(struct ml_columns *out, struct stretch *s, size_t end)
{
	for (size_t i = s->start; i < end; i++)
		out->caller[i] = s->caller;
	for (size_t i = s->start; i < end; i++)
		out->thread[i] = s->thread;
	s->start = end;
}

/* Ends a stretch at `at` and begins another one. */
static __attribute__((noinline)) void stretch_to(struct ml_columns *out,
						 struct stretch *s, size_t at,
						 uint32_t caller, uint16_t thread)
{
	fill(out, s, at);
	s->caller = caller;
	s->thread = thread;
}

/*
 * A path that is not the first guess, perhaps with ML_PATH_RARE. The number is too large
 * if the chunk is malformed.
 */
static __attribute__((noinline)) uint32_t
take_path(struct ml_decoder *d, const struct ml_path_guess *guess, unsigned status)
{
	const struct ml_shapes *shapes = d->predict.shapes;

	if (status == ML_STATUS_SECOND)
		return (guess->second - 1) & ~ML_PATH_RARE;
	if (status == ML_STATUS_PATH)
		return (uint32_t)take(d, ML_COLUMN_PATH);
	uint32_t exit = (uint32_t)take(d, ML_COLUMN_EXIT);
	if (guess->first - 1 >= shapes->paths)
		return NO_PATH;
	const struct ml_path *path = &shapes->path[guess->first - 1];
	return exit <= path->exits ? path->first + exit : NO_PATH;
}

/* with_steps: also says which steps the references are of. */
static INLINE bool next(struct ml_decoder *d, struct ml_columns *out, size_t room,
			size_t *count, bool with_steps, struct ml_err *err)
{
	struct ml_predict *p = &d->predict;
	const struct ml_shapes *shapes = p->shapes;
	struct stretch stretch = { 0, p->user ? 0 : p->caller, d->thread };
	const uint8_t *at = d->status + d->step, *end = d->status + d->steps;
	struct ml_predict_hot h = p->hot;
	size_t n = 0;

	while (at < end && n + shapes->slots_max <= room &&
	       (!with_steps || out->steps < room)) {
		struct ml_path_guess *guess = ml_predict_path(p, &h);
		unsigned status = *at++;
		uint32_t number = guess->first - 1;
		bool rare = false;

		if (__builtin_expect(status != ML_STATUS_FIRST, 0)) {
			number = take_path(d, guess, status);
			rare = number & ML_PATH_RARE;
			number &= ~ML_PATH_RARE;
		}
		if (__builtin_expect(number >= shapes->paths || d->bad, 0))
			return ml_fail(err, ML_FORMAT,
				       "the steps of the chunk are malformed");
		const struct ml_path *path = &shapes->path[number];
		ml_predict_update(&h, guess, number);
		bool crossed = path->user != p->user;
		if (__builtin_expect(crossed, 0))
			ml_predict_cross(p, path->user);
		p->user_shape = path->user ? path->shape : p->user_shape;
		if (__builtin_expect(rare, 0))
			take_rare(d);
		if (__builtin_expect(crossed || rare, 0))
			stretch_to(out, &stretch, n, path->user ? 0 : p->caller,
				   d->thread);
		if (with_steps)
			out->step[out->steps++] = (struct ml_step_at){ number, d->thread,
								       (uint32_t)n };
		n += unroll(d, path, take_values(d, path), out, n);
	}
	p->hot = h;
	d->step = (size_t)(at - d->status);
	fill(out, &stretch, n);
	bool done = at == end;
	/* up to seven residuals may be padding */
	if (done && d->packed + d->residuals - d->residual_at >= 8)
		d->bad = true;
	if (d->bad || n > d->count || (done ? n != d->count : !n))
		return ml_fail(err, ML_FORMAT, "the chunk does not have %llu references",
			       (unsigned long long)d->count);
	d->count -= n;
	*count = n;
	return true;
}

bool ml_decoder_next(struct ml_decoder *d, struct ml_columns *out, size_t room,
		     size_t *count, struct ml_err *err)
{
	out->steps = 0;
	return out->step ? next(d, out, room, count, true, err)
			 : next(d, out, room, count, false, err);
}

/* As the loop of next, without values. */
bool ml_decoder_paths(struct ml_decoder *d, struct ml_step_at *out, size_t *count,
		      struct ml_err *err)
{
	struct ml_predict *p = &d->predict;
	const struct ml_shapes *shapes = p->shapes;
	struct ml_predict_hot h = p->hot;
	size_t n = 0;

	for (; d->step < d->steps; d->step++) {
		struct ml_path_guess *guess = ml_predict_path(p, &h);
		unsigned status = d->status[d->step];
		uint32_t number = guess->first - 1;
		bool rare = false;

		if (__builtin_expect(status != ML_STATUS_FIRST, 0)) {
			number = take_path(d, guess, status);
			rare = number & ML_PATH_RARE;
			number &= ~ML_PATH_RARE;
		}
		if (__builtin_expect(number >= shapes->paths || d->bad, 0))
			return ml_fail(err, ML_FORMAT,
				       "the steps of the chunk are malformed");
		ml_predict_update(&h, guess, number);
		if (__builtin_expect(rare, 0)) {
			p->user_shape = shapes->path[number].shape;
			take_rare(d);
		}
		out[n++] = (struct ml_step_at){ number, d->thread, 0 };
	}
	p->hot = h;
	*count = n;
	return !d->bad || ml_fail(err, ML_FORMAT, "the steps of the chunk are malformed");
}
