/*
 * A buffer of bytes that grows. Numbers are appended as little-endian words or as varints
 * (7 bits a byte, the low bits first, the top bit set in all bytes but the last; signed
 * values zigzag-coded). struct ml_bytes reads them from foreign bytes. A read beyond the
 * end returns 0 and sets `bad`, so that a parser need check only at the end of a record.
 * Held by tests/base/test_buf.c.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ml_buf {
	uint8_t *data;
	size_t size, cap;
};

void ml_buf_release(struct ml_buf *b);
/* Makes room for `more` bytes at data + size. */
void ml_buf_reserve(struct ml_buf *b, size_t more);
void ml_buf_put(struct ml_buf *b, const void *bytes, size_t size);
void ml_buf_u8(struct ml_buf *b, uint8_t v);
void ml_buf_u32(struct ml_buf *b, uint32_t v);
void ml_buf_u64(struct ml_buf *b, uint64_t v);
void ml_buf_varint(struct ml_buf *b, uint64_t v);
void ml_buf_zigzag(struct ml_buf *b, int64_t v);
void ml_buf_string(struct ml_buf *b, const char *text); /* varint length, bytes */
/* Appends formatted text of any length, without a 0 byte. */
void ml_buf_printf(struct ml_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ml_buf_vprintf(struct ml_buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Appends a text without its length and 0 byte. */
static inline void ml_buf_text(struct ml_buf *b, const char *text)
{
	ml_buf_put(b, text, strlen(text));
}

struct ml_bytes {
	const uint8_t *at, *end;
	bool bad; /* a read went beyond the end */
};

uint8_t ml_bytes_u8(struct ml_bytes *r);
uint32_t ml_bytes_u32(struct ml_bytes *r);
uint64_t ml_bytes_u64(struct ml_bytes *r);
uint64_t ml_bytes_varint(struct ml_bytes *r);
int64_t ml_bytes_zigzag(struct ml_bytes *r);
/* The next size bytes, not copied; NULL if there are fewer, and bad is set. */
const uint8_t *ml_bytes_take(struct ml_bytes *r, size_t size);
