#include "lib/trace/chunk.h"

#include <string.h>

#include "lib/base/pack.h"
#include "lib/trace/columns.h"
#include "lib/trace/predict.h"

struct column {
	uint8_t *start, *at;
};

struct ml_encoder {
	struct ml_predict predict;
	struct column column[ML_COLUMNS]; /* room for the largest chunk, so writes need no check */
	uint64_t run;                     /* steps as predicted since the last that differed */
	uint64_t steps, count;
	uint32_t caller;
	uint16_t thread, said_thread; /* now, and as the decoder thinks */
	uint16_t first_thread;
	int level;
	struct ml_packer packer;
	struct ml_buf plane;
};

static void clear(struct ml_encoder *e)
{
	for (int i = 0; i < ML_COLUMNS; i++)
		e->column[i].at = e->column[i].start;
	e->run = e->steps = e->count = 0;
	e->said_thread = e->first_thread = e->thread;
	ml_predict_reset(&e->predict);
}

struct ml_encoder *ml_encoder_open(const struct ml_shapes *shapes, int level)
{
	struct ml_encoder *e = ml_resize(NULL, sizeof(*e));

	*e = (struct ml_encoder){ .level = level, .thread = 1 };
	e->predict.shapes = shapes;
	for (int i = 0; i < ML_COLUMNS; i++)
		/* a run takes at most three bytes, everything else its width */
		e->column[i].start = ml_resize(
			NULL, (size_t)ML_CHUNK_MAX * (i == ML_COLUMN_RUN ? 3 : ml_column_bytes[i]));
	clear(e);
	return e;
}

void ml_encoder_close(struct ml_encoder *e)
{
	for (int i = 0; i < ML_COLUMNS; i++)
		ml_free(e->column[i].start);
	ml_predict_release(&e->predict);
	ml_packer_release(&e->packer);
	ml_buf_release(&e->plane);
	ml_free(e);
}

void ml_encoder_shapes(struct ml_encoder *e)
{
	struct ml_predict *p = &e->predict;

	p->base = ml_grow(p->base, &p->base_cap, p->shapes->states + 1, sizeof(*p->base));
	p->shape = ml_grow(p->shape, &p->shape_cap, p->shapes->count + 1, sizeof(*p->shape));
}

void ml_encoder_thread(struct ml_encoder *e, uint16_t thread)
{
	e->thread = thread;
	if (!e->steps)
		e->said_thread = e->first_thread = thread;
}

void ml_encoder_caller(struct ml_encoder *e, uint32_t site)
{
	e->caller = site;
}

uint64_t ml_encoder_count(const struct ml_encoder *e)
{
	return e->count;
}

static inline void put(struct ml_encoder *e, enum ml_column c, uint64_t v, size_t bytes)
{
	memcpy(e->column[c].at, &v, bytes);
	e->column[c].at += bytes;
}

static inline void put_run(struct ml_encoder *e)
{
	uint64_t v = e->run;

	for (; v > 0x7f; v >>= 7)
		put(e, ML_COLUMN_RUN, v | 0x80, 1);
	put(e, ML_COLUMN_RUN, v, 1);
	e->run = 0;
}

static inline unsigned put_base(struct ml_encoder *e, int64_t off)
{
	if (off == (int16_t)off) {
		put(e, ML_COLUMN_D2, (uint64_t)off, 2);
		return 1;
	}
	if (off == (int32_t)off) {
		put(e, ML_COLUMN_D4, (uint64_t)off, 4);
		return 2;
	}
	put(e, ML_COLUMN_D8, (uint64_t)off, 8);
	return 3;
}

/* Writes the codes and differences of a step's bases if any differs. */
static inline bool put_bases(struct ml_encoder *e, const struct ml_shape *shape, uint32_t number,
			     unsigned bases, const uint64_t *value)
{
	struct ml_predict *p = &e->predict;
	bool fresh;
	struct ml_base_state *state = ml_predict_bases(p, number, shape, &fresh);
	uint8_t *codes = e->column[ML_COLUMN_CODES].at;
	unsigned any = 0, byte = 0;

	for (unsigned i = 0; i < bases; i++) {
		struct ml_base base = shape->base[i];
		int64_t off = (int64_t)(value[i] - ml_predict_base(p, &state[i], base, fresh));

		if (off) {
			unsigned code = put_base(e, off);

			byte |= code << 2 * (i & 3);
			any |= code;
		}
		if ((i & 3) == 3) {
			codes[i >> 2] = (uint8_t)byte;
			byte = 0;
		}
		ml_predict_saw(p, &state[i], base, fresh, value[i]);
	}
	if (!any)
		return false;
	if (bases & 3)
		codes[bases >> 2] = (uint8_t)byte;
	e->column[ML_COLUMN_CODES].at += (bases + 3) >> 2;
	return true;
}

/* Outside the user's code: is the caller other than expected? */
static inline bool put_caller(struct ml_encoder *e, bool user, uint32_t shape)
{
	struct ml_predict *p = &e->predict;
	bool differs = false;

	if (user) {
		p->user_shape = shape;
	} else {
		if (p->user)
			p->caller = p->shape[p->user_shape].caller;
		if (e->caller != p->caller) {
			differs = true;
			put(e, ML_COLUMN_CALLER, e->caller, 4);
			p->caller = e->caller;
			p->shape[p->user_shape].caller = e->caller;
		}
	}
	p->user = user;
	return differs;
}

static uint64_t happened(const struct ml_shape *shape, unsigned slots, const uint64_t *value)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < slots; i++)
		n += !shape->slot[i].maybe || value[shape->slot[i].base];
	return n;
}

bool ml_encoder_step(struct ml_encoder *e, uint32_t path, const uint64_t *value)
{
	struct ml_predict *p = &e->predict;
	struct ml_path at = p->shapes->path[path];
	const struct ml_shape *shape = &p->shapes->at[at.shape];
	unsigned flags = 0;

	if (__builtin_expect(e->thread != e->said_thread, 0)) {
		flags |= ML_DIFFERS_THREAD;
		put(e, ML_COLUMN_THREAD, e->thread, 2);
		e->said_thread = e->thread;
		p->known = 0;
	}
	struct ml_path_guess guess = ml_predict_path(p);
	if (*guess.high != path + 1) {
		if (*guess.low == path + 1) {
			flags |= ML_DIFFERS_SECOND;
		} else {
			flags |= ML_DIFFERS_PATH;
			put(e, ML_COLUMN_PATH, path, 4);
		}
	}
	ml_predict_took(p, guess, path);
	if (put_bases(e, shape, at.shape, at.bases, value))
		flags |= ML_DIFFERS_BASES;
	ml_predict_leave(p, shape, path == shape->path + shape->exits, value);
	if (put_caller(e, shape->user, at.shape))
		flags |= ML_DIFFERS_CALLER;
	if (flags) {
		put_run(e);
		put(e, ML_COLUMN_FLAGS, flags, 1);
	} else {
		e->run++;
	}
	e->count += shape->maybe ? happened(shape, at.slots, value) : at.slots;
	return ++e->steps >= ML_CHUNK || e->count >= ML_CHUNK;
}

static void put_planes(struct ml_encoder *e, enum ml_column c, struct ml_buf *sizes,
		       struct ml_buf *out)
{
	size_t bytes = ml_column_bytes[c];
	size_t count = (size_t)(e->column[c].at - e->column[c].start) / bytes;
	const uint8_t *in = e->column[c].start;

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

void ml_encoder_take(struct ml_encoder *e, struct ml_buf *out)
{
	struct ml_buf packed = { 0 };

	ml_buf_varint(out, e->steps);
	ml_buf_varint(out, e->first_thread);
	for (enum ml_column c = 0; c < ML_COLUMNS; c++)
		put_planes(e, c, out, &packed);
	ml_buf_put(out, packed.data, packed.size);
	ml_buf_release(&packed);
	clear(e);
}
