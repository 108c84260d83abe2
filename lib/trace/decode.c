#include "lib/trace/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/columns.h"
#include "lib/trace/predict.h"

/* Bases whose codes fit a word. */
enum { CODES = 32 };

#define INLINE inline __attribute__((always_inline))

struct column {
	uint8_t *data;
	size_t cap;         /* bytes */
	size_t count, next; /* elements */
};

struct ml_decoder {
	struct ml_predict predict;
	struct column column[ML_COLUMNS];
	uint64_t count; /* references still to come */
	uint16_t thread;
	size_t sites;
	bool bad; /* a column ran out */
	struct ml_unpacker unpacker;
	struct ml_buf plane;
	uint64_t value[ML_SLOTS_MAX +
		       1]; /* bases of the step, and a 0 for slots without one */
};

struct ml_decoder *ml_decoder_open(const struct ml_shapes *shapes, size_t sites)
{
	struct ml_decoder *d = ml_resize(NULL, sizeof(*d));

	*d = (struct ml_decoder){ .sites = sites };
	d->predict.shapes = shapes;
	return d;
}

void ml_decoder_close(struct ml_decoder *d)
{
	for (int i = 0; i < ML_COLUMNS; i++)
		ml_free(d->column[i].data);
	ml_predict_release(&d->predict);
	ml_unpacker_release(&d->unpacker);
	ml_buf_release(&d->plane);
	ml_free(d);
}

static bool get_planes(struct ml_decoder *d, enum ml_column c, struct ml_bytes *packed,
		       const uint64_t *sizes, struct ml_err *err)
{
	struct column *col = &d->column[c];
	size_t bytes = ml_column_bytes[c];

	col->next = 0;
	col->data = ml_grow(col->data, &col->cap, col->count * bytes + 8, 1);
	for (size_t k = 0; k < bytes && col->count; k++) {
		const uint8_t *in = ml_bytes_take(packed, sizes[k]);

		if (!in)
			return ml_fail(err, ML_FORMAT, "column %d ends early", (int)c);
		if (bytes == 1)
			return ml_unpack(&d->unpacker, in, sizes[k], col->data,
					 col->count, err);
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

bool ml_decoder_start(struct ml_decoder *d, const uint8_t *data, size_t size,
		      uint64_t count, struct ml_err *err)
{
	struct ml_bytes in = { data, data + size, false };
	uint64_t sizes[ML_COLUMNS][ML_COLUMN_BYTES_MAX] = { 0 };

	uint64_t steps = ml_bytes_varint(&in);
	d->thread = (uint16_t)ml_bytes_varint(&in);
	d->count = count;
	for (enum ml_column c = 0; c < ML_COLUMNS; c++) {
		d->column[c].count = ml_bytes_varint(&in);
		for (size_t k = 0; k < ml_column_bytes[c] && d->column[c].count; k++)
			sizes[c][k] = ml_bytes_varint(&in);
		if (d->column[c].count > ML_CHUNK_MAX)
			return ml_fail(err, ML_FORMAT, "column %d is too long", (int)c);
	}
	if (in.bad || steps != d->column[ML_COLUMN_STATUS].count || count > ML_CHUNK_MAX)
		return ml_fail(err, ML_FORMAT, "its head is malformed");
	for (enum ml_column c = 0; c < ML_COLUMNS; c++)
		if (!get_planes(d, c, &in, sizes[c], err))
			return false;
	ml_predict_reset(&d->predict);
	d->bad = false;
	return true;
}

/* The next value of a column; zero, and bad is set, when there is none left. */
static inline uint64_t take(struct ml_decoder *d, enum ml_column c)
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

static inline int64_t take_off(struct ml_decoder *d, unsigned code)
{
	if (code == ML_CODE_NEAR)
		return (int16_t)take(d, ML_COLUMN_D2);
	int32_t off = (int32_t)take(d, ML_COLUMN_D4);
	return off == INT32_MIN ? (int64_t)take(d, ML_COLUMN_D8) : off;
}

static INLINE void take_base(struct ml_decoder *d, struct ml_predict_hot *h,
			     const struct ml_base *b, unsigned at, unsigned code)
{
	struct ml_predict *p = &d->predict;
	struct ml_base_state *s = ml_predict_state(p, h, b);
	int64_t delta = ml_predict_base(p, h, s, b);

	if (code) {
		int64_t *chain = ml_predict_chain(p, h, b);

		delta = code == ML_CODE_CHAIN ? *chain
					      : (int64_t)((uint64_t)delta +
							  (uint64_t)take_off(d, code));
		*chain = delta;
		ml_predict_learn(h, s, delta);
	}
	uint64_t value = s->last + (uint64_t)delta;
	ml_predict_saw(p, h, s, b, delta, value);
	d->value[at] = value;
}

/*
 * The codes of the bases from the third on, where a step has any: so many of them, four a
 * byte, as one word.
 */
static INLINE uint64_t take_codes(struct ml_decoder *d, unsigned bytes)
{
	struct column *col = &d->column[ML_COLUMN_CODES];
	uint64_t codes;

	if (__builtin_expect(bytes > col->count - col->next, 0)) {
		d->bad = true;
		return 0;
	}
	memcpy(&codes, col->data + col->next, 8); /* columns have so much room behind */
	col->next += bytes;
	return codes;
}

/* A step with more bases than a word has room for codes. */
static __attribute__((noinline)) void take_many(struct ml_decoder *d,
						struct ml_predict_hot *h,
						const struct ml_path *path,
						unsigned status)
{
	unsigned codes = status >> ML_STATUS_CODE0;

	for (unsigned i = 0; i < path->bases; i++) {
		if (i >= 2 && !((i - 2) & 3))
			codes = status & ML_STATUS_CODES
					? (unsigned)take(d, ML_COLUMN_CODES)
					: 0;
		take_base(d, h, &path->base[i], i, codes & 3);
		codes >>= 2;
	}
}

static INLINE void take_bases(struct ml_decoder *d, struct ml_predict_hot *h,
			      const struct ml_path *path, unsigned status)
{
	const struct ml_base *b = path->base;
	unsigned bases = path->bases;
	uint64_t codes = status >> ML_STATUS_CODE0;

	if (status & ML_STATUS_CODES && bases > 2)
		codes |= take_codes(d, (bases + 1) / 4) << 4;
	for (unsigned i = 0; i < bases; i++) {
		take_base(d, h, &b[i], i, codes & 3);
		codes >>= 2;
	}
}

/* True: the thread is another. */
static __attribute__((noinline)) bool take_rare(struct ml_decoder *d)
{
	struct ml_predict *p = &d->predict;
	unsigned rare = (unsigned)take(d, ML_COLUMN_RARE);

	if (rare & ML_RARE_THREAD)
		d->thread = (uint16_t)take(d, ML_COLUMN_THREAD);
	if (rare & ML_RARE_CALLER) {
		ml_predict_caller(p, (uint32_t)take(d, ML_COLUMN_CALLER));
		d->bad |= p->caller >= d->sites;
	}
	return rare & ML_RARE_THREAD;
}

/* Slots of which some did not happen: one by one. */
static size_t unroll_maybe(const struct ml_decoder *d, const struct ml_path *path,
			   struct ml_columns *out, size_t at)
{
	const struct ml_slot *slot = d->predict.shapes->at[path->shape].slot;
	size_t n = 0;

	for (unsigned i = 0; i < path->slots; i++) {
		uint64_t value = slot[i].base == ML_NO_BASE ? 0 : d->value[slot[i].base];

		if (slot[i].maybe && !value)
			continue;
		out->addr[at + n] = slot[i].offset + value;
		out->site[at + n] = slot[i].site;
		out->what[at + n] = slot[i].what;
		n++;
	}
	return n;
}

/* Four at a time: the output has room for it. */
static INLINE size_t unroll(struct ml_decoder *d, const struct ml_path *path,
			    struct ml_columns *out, size_t at)
{
	const struct ml_four *four = path->four;

	if (__builtin_expect(path->maybe, 0))
		return unroll_maybe(d, path, out, at);
	d->value[path->all_bases] = 0;
	for (unsigned i = 0; i < path->slots; i += 4, four++) {
		uint64_t *addr = out->addr + at + i;
		const uint64_t *value = d->value;
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

/* Thread and caller change rarely: they are filled in for whole stretches. */
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

/* The caller or the thread may have changed. */
static __attribute__((noinline)) void stretch_to(struct ml_columns *out,
						 struct stretch *s, size_t at,
						 uint32_t caller, uint16_t thread)
{
	fill(out, s, at);
	s->caller = caller;
	s->thread = thread;
}

/* A path that is not the first guess; UINT32_MAX if there is no such path. */
static __attribute__((noinline)) uint32_t
take_path(struct ml_decoder *d, const struct ml_path_guess *guess, unsigned which)
{
	const struct ml_shapes *shapes = d->predict.shapes;

	if (which == ML_STATUS_SECOND)
		return guess->second - 1;
	if (which == ML_STATUS_PATH)
		return (uint32_t)take(d, ML_COLUMN_PATH);
	uint32_t exit = (uint32_t)take(d, ML_COLUMN_EXIT);
	if (guess->first - 1 >= shapes->paths)
		return UINT32_MAX;
	const struct ml_path *path = &shapes->path[guess->first - 1];
	return exit <= path->exits ? path->first + exit : UINT32_MAX;
}

bool ml_decoder_next(struct ml_decoder *d, struct ml_columns *out, size_t room,
		     size_t *count, struct ml_err *err)
{
	struct ml_predict *p = &d->predict;
	const struct ml_shapes *shapes = p->shapes;
	struct stretch stretch = { 0, p->user ? 0 : p->caller, d->thread };
	struct column *statuses = &d->column[ML_COLUMN_STATUS];
	const uint8_t *at = statuses->data + statuses->next;
	const uint8_t *end = statuses->data + statuses->count;
	struct ml_predict_hot h = p->hot;
	size_t n = 0;

	while (at < end && n + shapes->most <= room) {
		struct ml_path_guess *guess = ml_predict_path(p, &h);
		unsigned status = *at++;
		uint32_t number = guess->first - 1;

		if (__builtin_expect(status & ML_STATUS_WHICH, 0))
			number = take_path(d, guess, status & ML_STATUS_WHICH);
		if (__builtin_expect(number >= shapes->paths || d->bad, 0))
			return ml_fail(err, ML_FORMAT, "its steps are malformed");
		const struct ml_path *path = &shapes->path[number];
		ml_predict_took(&h, guess, number);
		bool crossed = path->user != p->user;
		if (__builtin_expect(crossed, 0))
			ml_predict_cross(p, path->user);
		p->user_shape = path->user ? path->shape : p->user_shape;
		if (__builtin_expect(status & ML_STATUS_RARE, 0) && take_rare(d))
			h.known = 0;
		if (__builtin_expect(crossed || status & ML_STATUS_RARE, 0))
			stretch_to(out, &stretch, n, path->user ? 0 : p->caller,
				   d->thread);
		if (__builtin_expect(path->bases <= CODES, 1))
			take_bases(d, &h, path, status);
		else
			take_many(d, &h, path, status);
		ml_predict_leave(p, &h, path, d->value);
		n += unroll(d, path, out, n);
	}
	p->hot = h;
	statuses->next = (size_t)(at - statuses->data);
	fill(out, &stretch, n);
	bool done = at == end;
	if (d->bad || n > d->count || (done ? n != d->count : !n))
		return ml_fail(err, ML_FORMAT, "it holds other than %llu references",
			       (unsigned long long)d->count);
	d->count -= n;
	*count = n;
	return true;
}
