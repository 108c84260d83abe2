#include "lib/trace/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/columns.h"
#include "lib/trace/predict.h"

struct column {
	uint8_t *data;
	size_t cap;         /* bytes */
	size_t count, next; /* elements */
};

struct ml_decoder {
	struct ml_predict predict;
	struct column column[ML_COLUMNS];
	uint64_t steps;     /* still to come */
	uint64_t run;       /* of these, as predicted before the next that differs */
	uint64_t count;     /* references still to come */
	bool differs;       /* a step that differs follows the run */
	uint16_t thread;
	size_t sites;
	struct ml_unpacker unpacker;
	struct ml_buf plane;
	uint64_t value[ML_SLOTS_MAX + 1]; /* bases of the step, and a 0 for slots without one */
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
	if (!col->count)
		return true;
	/* eight more, so that a value can be read as a whole word */
	col->data = ml_grow(col->data, &col->cap, col->count * bytes + 8, 1);
	for (size_t k = 0; k < bytes; k++) {
		const uint8_t *in = ml_bytes_take(packed, sizes[k]);

		if (!in)
			return ml_fail(err, ML_FORMAT, "column %d ends early", (int)c);
		if (bytes == 1)
			return ml_unpack(&d->unpacker, in, sizes[k], col->data, col->count, err);
		d->plane.size = 0;
		ml_buf_reserve(&d->plane, col->count);
		if (!ml_unpack(&d->unpacker, in, sizes[k], d->plane.data, col->count, err))
			return false;
		for (size_t i = 0; i < col->count; i++)
			col->data[i * bytes + k] = d->plane.data[i];
	}
	return true;
}

static bool next_run(struct ml_decoder *d)
{
	struct column *run = &d->column[ML_COLUMN_RUN];
	uint64_t v = 0;

	d->differs = d->column[ML_COLUMN_FLAGS].next < d->column[ML_COLUMN_FLAGS].count;
	if (!d->differs) {
		d->run = d->steps;
		return true;
	}
	for (unsigned shift = 0; shift < 28 && run->next < run->count; shift += 7) {
		uint8_t b = run->data[run->next++];

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			d->run = v;
			return v < d->steps;
		}
	}
	return false;
}

bool ml_decoder_start(struct ml_decoder *d, const uint8_t *data, size_t size, uint64_t count,
		      struct ml_err *err)
{
	struct ml_bytes in = { data, data + size, false };
	uint64_t sizes[ML_COLUMNS][ML_COLUMN_BYTES_MAX] = { 0 };

	d->steps = ml_bytes_varint(&in);
	d->thread = (uint16_t)ml_bytes_varint(&in);
	d->count = count;
	for (enum ml_column c = 0; c < ML_COLUMNS; c++) {
		uint64_t most = (uint64_t)ML_CHUNK_MAX * (c == ML_COLUMN_RUN ? 3 : 1);

		d->column[c].count = ml_bytes_varint(&in);
		for (size_t k = 0; k < ml_column_bytes[c] && d->column[c].count; k++)
			sizes[c][k] = ml_bytes_varint(&in);
		if (d->column[c].count > most)
			return ml_fail(err, ML_FORMAT, "column %d is too long", (int)c);
	}
	if (in.bad || d->steps > ML_CHUNK_MAX || count > ML_CHUNK_MAX)
		return ml_fail(err, ML_FORMAT, "its head is malformed");
	for (enum ml_column c = 0; c < ML_COLUMNS; c++)
		if (!get_planes(d, c, &in, sizes[c], err))
			return false;
	ml_predict_reset(&d->predict);
	return next_run(d) || ml_fail(err, ML_FORMAT, "its runs are malformed");
}

/* The next value of a column; zero when there is none left. */
static inline uint64_t take(struct ml_decoder *d, enum ml_column c)
{
	struct column *col = &d->column[c];
	size_t bytes = ml_column_bytes[c];
	uint64_t v = 0;

	if (col->next < col->count)
		memcpy(&v, col->data + bytes * col->next, bytes);
	col->next++;
	return v;
}

static inline int64_t take_base(struct ml_decoder *d, unsigned code)
{
	switch (code) {
	case 0: return 0;
	case 1: return (int16_t)take(d, ML_COLUMN_D2);
	case 2: return (int32_t)take(d, ML_COLUMN_D4);
	default: return (int64_t)take(d, ML_COLUMN_D8);
	}
}

/*
 * The values of the step's bases. `coded` is a constant where this is inlined: steps as
 * predicted, which are most, read no codes.
 */
static inline __attribute__((always_inline)) void take_bases(struct ml_decoder *d,
							     const struct ml_shape *shape,
							     uint32_t number, unsigned bases,
							     bool coded)
{
	struct ml_predict *p = &d->predict;
	bool fresh;
	struct ml_base_state *state = ml_predict_bases(p, number, shape, &fresh);
	unsigned codes = 0;

	for (unsigned i = 0; i < bases; i++) {
		struct ml_base base = shape->base[i];
		uint64_t value = ml_predict_base(p, &state[i], base, fresh);

		if (coded) {
			if (!(i & 3))
				codes = (unsigned)take(d, ML_COLUMN_CODES);
			value += (uint64_t)take_base(d, codes & 3);
			codes >>= 2;
		}
		ml_predict_saw(p, &state[i], base, fresh, value);
		d->value[i] = value;
	}
}

static inline void expect_caller(struct ml_predict *p, bool user, uint32_t shape)
{
	if (user)
		p->user_shape = shape;
	else if (p->user)
		p->caller = p->shape[p->user_shape].caller;
	p->user = user;
}

/* Slots of which some did not happen: one by one. */
static size_t unroll_maybe(const struct ml_decoder *d, const struct ml_shape *shape,
			   unsigned slots, struct ml_columns *out, size_t at)
{
	size_t n = 0;

	for (unsigned i = 0; i < slots; i++) {
		uint64_t value = d->value[shape->base_of[i]];

		if (shape->slot[i].maybe && !value)
			continue;
		out->addr[at + n] = shape->offset[i] + value;
		out->site[at + n] = shape->site[i];
		out->what[at + n] = shape->what[i];
		n++;
	}
	return n;
}

/* Four at a time: the columns of shapes and the output have room for it. */
static inline size_t unroll(struct ml_decoder *d, const struct ml_shape *shape,
			    unsigned slots, struct ml_columns *out, size_t at)
{
	d->value[shape->bases] = 0;
	if (__builtin_expect(shape->maybe, 0))
		return unroll_maybe(d, shape, slots, out, at);
	for (unsigned i = 0; i < slots; i += 4) {
		for (unsigned k = i; k < i + 4; k++)
			out->addr[at + k] = shape->offset[k] + d->value[shape->base_of[k]];
		memcpy(out->site + at + i, shape->site + i, 4 * sizeof(*out->site));
		memcpy(out->what + at + i, shape->what + i, 4 * sizeof(*out->what));
	}
	return slots;
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

static inline void stretch_to(struct ml_columns *out, struct stretch *s, size_t at,
			      uint32_t caller, uint16_t thread)
{
	if (caller == s->caller && thread == s->thread)
		return;
	fill(out, s, at);
	s->caller = caller;
	s->thread = thread;
}

bool ml_decoder_next(struct ml_decoder *d, struct ml_columns *out, size_t room, size_t *count,
		     struct ml_err *err)
{
	struct ml_predict *p = &d->predict;
	const struct ml_shapes *shapes = p->shapes;
	struct stretch stretch = { 0, p->user ? 0 : p->caller, d->thread };
	size_t n = 0;

	while (d->steps) {
		struct ml_path_guess guess = ml_predict_path(p);
		uint32_t path = *guess.high - 1;
		unsigned flags = 0;

		if (!d->run) {
			flags = d->column[ML_COLUMN_FLAGS].data[d->column[ML_COLUMN_FLAGS].next];
			if (flags & ML_DIFFERS_PATH)
				/* peeked: the step may not fit and come again */
				memcpy(&path, d->column[ML_COLUMN_PATH].data +
						      4 * d->column[ML_COLUMN_PATH].next, 4);
			else if (flags & ML_DIFFERS_SECOND)
				path = *guess.low - 1;
			if (flags & ~(unsigned)ML_DIFFERS_FLAGS || !flags ||
			    (flags & ML_DIFFERS_PATH && d->column[ML_COLUMN_PATH].next >=
								d->column[ML_COLUMN_PATH].count))
				return ml_fail(err, ML_FORMAT, "its steps are malformed");
		}
		if (__builtin_expect(path >= shapes->paths, 0))
			return ml_fail(err, ML_FORMAT, "path %u does not exist", path);
		struct ml_path at = shapes->path[path];
		const struct ml_shape *shape = &shapes->at[at.shape];
		if (n + at.slots > room)
			break;

		if (flags & ML_DIFFERS_THREAD) {
			d->thread = (uint16_t)take(d, ML_COLUMN_THREAD);
			p->known = 0;
		}
		d->column[ML_COLUMN_PATH].next += flags & ML_DIFFERS_PATH;
		ml_predict_took(p, guess, path);
		if (flags & ML_DIFFERS_BASES)
			take_bases(d, shape, at.shape, at.bases, true);
		else
			take_bases(d, shape, at.shape, at.bases, false);
		ml_predict_leave(p, shape, path == shape->path + shape->exits, d->value);
		expect_caller(p, shape->user, at.shape);
		if (flags & ML_DIFFERS_CALLER) {
			p->caller = (uint32_t)take(d, ML_COLUMN_CALLER);
			p->shape[p->user_shape].caller = p->caller;
			if (p->caller >= d->sites)
				return ml_fail(err, ML_FORMAT, "site %u does not exist", p->caller);
		}
		stretch_to(out, &stretch, n, shape->user ? 0 : p->caller, d->thread);
		n += unroll(d, shape, at.slots, out, n);

		d->steps--;
		if (d->run--)
			continue;
		d->column[ML_COLUMN_FLAGS].next++;
		if (!next_run(d))
			return ml_fail(err, ML_FORMAT, "its runs are malformed");
	}
	fill(out, &stretch, n);
	if (n > d->count || (!d->steps && n != d->count) || (d->steps && !n))
		return ml_fail(err, ML_FORMAT, "it holds other than %llu references",
			       (unsigned long long)d->count);
	d->count -= n;
	*count = n;
	return true;
}
