#include "lib/analyse/result/checkpoint.h"

#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/search.h"

/*
 * States differ in few places: a set that was not touched stays the same. Only pages that
 * differ are stored, combined by exclusive or, so that of a changed tag only the low
 * bytes are left. Finding them costs a comparison, which is far cheaper than compressing.
 */
enum { PAGE = 256, LEVEL = 1 };

static size_t page_size(size_t page, size_t size)
{
	size_t left = size - page * PAGE;

	return left < PAGE ? left : PAGE;
}

/* The bytes of a page that the old state has; the rest of the page counts as zeros. */
static size_t old_size(const struct ml_buf *old, size_t page)
{
	return page * PAGE < old->size ? page_size(page, old->size) : 0;
}

static bool differs(const struct ml_buf *old, const struct ml_buf *now, size_t page)
{
	static const uint8_t zeros[PAGE];
	const uint8_t *a = now->data + page * PAGE;
	size_t size = page_size(page, now->size), have = old_size(old, page);

	if (have > size)
		have = size;
	return (have && memcmp(a, old->data + page * PAGE, have) != 0) ||
	       memcmp(a + have, zeros, size - have) != 0;
}

static void put_page(struct ml_buf *raw, const struct ml_buf *old,
		     const struct ml_buf *now, size_t page)
{
	size_t size = page_size(page, now->size), have = old_size(old, page);

	ml_buf_reserve(raw, PAGE);
	uint8_t *to = raw->data + raw->size;
	memcpy(to, now->data + page * PAGE, size);
	for (size_t i = 0; i < have && i < size; i++)
		to[i] ^= old->data[page * PAGE + i];
	raw->size += size;
}

/*
 * A piece: varint unpacked size, one zstd frame: varint number of pages that differ; for
 * each of them varint number of pages skipped before it; then their bytes.
 */
void ml_checkpoint_put(struct ml_packer *p, const struct ml_buf *old,
		       const struct ml_buf *now, struct ml_buf *out)
{
	size_t pages = (now->size + PAGE - 1) / PAGE, count = 0, next = 0;
	struct ml_buf list = { 0 }, raw = { 0 };

	for (size_t i = 0; i < pages; i++)
		if (differs(old, now, i)) {
			ml_buf_varint(&list, i - next);
			next = i + 1;
			count++;
		}
	ml_buf_varint(&raw, count);
	ml_buf_put(&raw, list.data, list.size);
	struct ml_bytes in = { list.data, list.data + list.size, false };
	for (size_t i = 0, page = 0; i < count; i++, page++) {
		page += ml_bytes_varint(&in);
		put_page(&raw, old, now, page);
	}
	ml_buf_varint(out, raw.size);
	ml_pack(p, raw.data, raw.size, LEVEL, out);
	ml_buf_release(&list);
	ml_buf_release(&raw);
}

static void resize(struct ml_buf *state, size_t size)
{
	if (size > state->size) {
		ml_buf_reserve(state, size - state->size);
		memset(state->data + state->size, 0, size - state->size);
	}
	state->size = size;
}

static bool apply(struct ml_bytes *in, struct ml_buf *state, struct ml_err *err)
{
	uint64_t count = ml_bytes_varint(in), page = 0;
	struct ml_bytes list = *in;

	for (uint64_t i = 0; i < count && !in->bad; i++)
		ml_bytes_varint(in);
	for (uint64_t i = 0; i < count && !in->bad; i++, page++) {
		uint64_t skip = ml_bytes_varint(&list);

		if (skip >= state->size || (page + skip) * PAGE >= state->size)
			return ml_fail(err, ML_FORMAT, "a page lies beyond the end");
		page += skip;
		size_t size = page_size(page, state->size);
		const uint8_t *from = ml_bytes_take(in, size);
		for (size_t b = 0; from && b < size; b++)
			state->data[page * PAGE + b] ^= from[b];
	}
	if (in->bad || in->at != in->end)
		return ml_fail(err, ML_FORMAT, "has not the size that it states");
	return true;
}

bool ml_checkpoint_get(struct ml_unpacker *u, const uint8_t *piece, size_t piece_size,
		       size_t size, struct ml_buf *state, struct ml_err *err)
{
	struct ml_bytes packed = { piece, piece + piece_size, false };
	uint64_t raw_size = ml_bytes_varint(&packed);
	struct ml_buf raw = { 0 };

	/* a page number takes up to five bytes */
	if (packed.bad || size > ML_CHECKPOINT_STATE ||
	    raw_size > size + 5 * (size / PAGE + 2))
		return ml_fail(err, ML_FORMAT, "is larger than a state can be");
	ml_buf_reserve(&raw, raw_size + 1);
	raw.size = raw_size;
	bool ok = ml_unpack(u, packed.at, (size_t)(packed.end - packed.at), raw.data,
			    raw_size, err);
	struct ml_bytes in = { raw.data, raw.data + raw_size, false };
	if (ok) {
		resize(state, size);
		ok = apply(&in, state, err);
	}
	ml_buf_release(&raw);
	return ok;
}

void ml_checkpoints_init(struct ml_checkpoints *c, uint64_t refs, uint32_t cores,
			 uint64_t apart, uint64_t limit)
{
	*c = (struct ml_checkpoints){ 0 };
	c->apart = apart       ? apart
		   : cores > 1 ? ML_CHECKPOINT_APART_CORES
			       : ML_CHECKPOINT_APART;
	c->pace = cores > 1 ? ML_CHECKPOINT_BYTES_CORES : ML_CHECKPOINT_BYTES;
	if (!apart && c->apart < refs / ML_CHECKPOINT_SHARE)
		c->apart = refs / ML_CHECKPOINT_SHARE;
	c->limit = limit ? limit : ML_CHECKPOINT_LIMIT;
	c->next = c->apart;
}

void ml_checkpoints_release(struct ml_checkpoints *c)
{
	for (size_t i = 0; i < c->count; i++)
		ml_free(c->at[i].piece);
	ml_free(c->at);
	ml_buf_release(&c->last);
	ml_packer_release(&c->packer);
	ml_unpacker_release(&c->unpacker);
	*c = (struct ml_checkpoints){ 0 };
}

/* Appends a state to a list whose last one is c->last. */
static void append(struct ml_checkpoints *c, uint64_t position,
		   const struct ml_buf *state)
{
	struct ml_buf piece = { 0 }, nothing = { 0 };
	bool whole = c->count % ML_CHECKPOINT_CHAIN == 0;

	ml_checkpoint_put(&c->packer, whole ? &nothing : &c->last, state, &piece);
	c->at = ml_grow(c->at, &c->cap, c->count + 1, sizeof(*c->at));
	c->at[c->count++] = (struct ml_checkpoint){ position, state->size, whole,
						    ml_resize(piece.data, piece.size),
						    piece.size };
	c->bytes += piece.size;
	c->last.size = 0;
	ml_buf_put(&c->last, state->data, state->size);
}

static void step(struct ml_checkpoints *c, const struct ml_checkpoint *which,
		 struct ml_buf *state)
{
	struct ml_err err;

	if (which->whole)
		state->size = 0;
	bool ok = ml_checkpoint_get(&c->unpacker, which->piece, which->piece_size,
				    which->size, state, &err);
	assert(ok); /* the piece was made by this process */
	(void)ok;
}

/* Drops the first, the third, and so on. */
static void thin(struct ml_checkpoints *c)
{
	struct ml_checkpoint *old = c->at;
	struct ml_buf state = { 0 };
	size_t count = c->count;

	c->at = NULL;
	c->count = c->cap = 0;
	c->bytes = 0;
	for (size_t i = 0; i < count; i++) {
		step(c, &old[i], &state);
		if (i % 2)
			append(c, old[i].position, &state);
		ml_free(old[i].piece);
	}
	ml_free(old);
	ml_buf_release(&state);
}

/*
 * With causes, saving n bytes takes at most about as long as simulating n / 8 references.
 */
static uint64_t apart_for(const struct ml_checkpoints *c, size_t size)
{
	return c->apart < size / c->pace ? size / c->pace : c->apart;
}

uint64_t ml_checkpoints_after(const struct ml_checkpoints *c, uint64_t position,
			      size_t size)
{
	/* a state that is too large is not kept, and distances count from the last one */
	return size <= ML_CHECKPOINT_STATE ? position + apart_for(c, size) : position + 1;
}

void ml_checkpoints_add(struct ml_checkpoints *c, uint64_t position,
			const struct ml_buf *state)
{
	assert(!c->count || position > c->at[c->count - 1].position);
	c->apart = apart_for(c, state->size);
	if (state->size <= ML_CHECKPOINT_STATE)
		append(c, position, state);
	while (c->bytes > c->limit && c->count > 1) {
		thin(c);
		c->apart *= 2;
	}
	c->next = (c->count ? c->at[c->count - 1].position : position) + c->apart;
	if (c->next <= position)
		c->next = position + 1;
}
