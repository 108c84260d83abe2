#include "lib/base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"

void ml_buf_release(struct ml_buf *b)
{
	ml_free(b->data);
	*b = (struct ml_buf){ 0 };
}

void ml_buf_reserve(struct ml_buf *b, size_t more)
{
	if (b->cap - b->size >= more)
		return;
	size_t cap = b->cap ? b->cap : 256;
	while (cap - b->size < more)
		cap *= 2;
	b->data = ml_resize(b->data, cap);
	b->cap = cap;
}

void ml_buf_put(struct ml_buf *b, const void *bytes, size_t size)
{
	ml_buf_reserve(b, size);
	if (size)
		memcpy(b->data + b->size, bytes, size);
	b->size += size;
}

void ml_buf_u8(struct ml_buf *b, uint8_t v)
{
	ml_buf_put(b, &v, 1);
}

static void put_word(struct ml_buf *b, uint64_t v, unsigned bytes)
{
	uint8_t le[8];

	for (unsigned i = 0; i < bytes; i++)
		le[i] = (uint8_t)(v >> (8 * i));
	ml_buf_put(b, le, bytes);
}

void ml_buf_u32(struct ml_buf *b, uint32_t v)
{
	put_word(b, v, 4);
}

void ml_buf_u64(struct ml_buf *b, uint64_t v)
{
	put_word(b, v, 8);
}

void ml_buf_varint(struct ml_buf *b, uint64_t v)
{
	uint8_t out[10];
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	ml_buf_put(b, out, n);
}

void ml_buf_zigzag(struct ml_buf *b, int64_t v)
{
	ml_buf_varint(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

void ml_buf_string(struct ml_buf *b, const char *text)
{
	size_t n = strlen(text);

	ml_buf_varint(b, n);
	ml_buf_put(b, text, n);
}

void ml_buf_vprintf(struct ml_buf *b, const char *fmt, va_list ap)
{
	va_list again;

	/* most text fits at once; the rest is formatted a second time */
	ml_buf_reserve(b, 128);
	va_copy(again, ap);
	int n = vsnprintf((char *)b->data + b->size, b->cap - b->size, fmt, ap);
	assert(n >= 0);
	if ((size_t)n >= b->cap - b->size) {
		ml_buf_reserve(b, (size_t)n + 1); /* vsnprintf adds a 0 byte */
		vsnprintf((char *)b->data + b->size, b->cap - b->size, fmt, again);
	}
	va_end(again);
	b->size += (size_t)n;
}

void ml_buf_printf(struct ml_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ml_buf_vprintf(b, fmt, ap);
	va_end(ap);
}

const uint8_t *ml_bytes_take(struct ml_bytes *r, size_t size)
{
	if ((size_t)(r->end - r->at) < size) {
		r->bad = true;
		r->at = r->end;
		return NULL;
	}
	const uint8_t *here = r->at;
	r->at += size;
	return here;
}

static uint64_t take_word(struct ml_bytes *r, unsigned bytes)
{
	const uint8_t *p = ml_bytes_take(r, bytes);
	uint64_t v = 0;

	for (unsigned i = 0; p && i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

uint8_t ml_bytes_u8(struct ml_bytes *r)
{
	return (uint8_t)take_word(r, 1);
}

uint32_t ml_bytes_u32(struct ml_bytes *r)
{
	return (uint32_t)take_word(r, 4);
}

uint64_t ml_bytes_u64(struct ml_bytes *r)
{
	return take_word(r, 8);
}

uint64_t ml_bytes_varint(struct ml_bytes *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b = ml_bytes_u8(r);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

int64_t ml_bytes_zigzag(struct ml_bytes *r)
{
	uint64_t v = ml_bytes_varint(r);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
