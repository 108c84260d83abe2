/*
 * Numbers and words in foreign text, which needs no terminating zero. There is no locale,
 * no sign, and no skipping of blanks. A function that reads a number returns the first
 * byte after it, or NULL if the number is missing or does not fit 64 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text that the caller owns. */
struct ml_scan_word {
	const char *at;
	size_t size;
};

/* The value of a hexadecimal digit; 16: it is none. */
static inline unsigned ml_scan_digit(char c)
{
	unsigned d = (unsigned char)c - (unsigned)'0';

	if (d < 10)
		return d;
	d = ((unsigned char)c | 0x20u) - (unsigned)'a';
	return d < 6 ? d + 10 : 16;
}

static inline const char *ml_scan_hex(const char *at, const char *end, uint64_t *value)
{
	const char *start = at;
	uint64_t v = 0, over = 0;
	unsigned d;

	for (; at < end && (d = ml_scan_digit(*at)) < 16; at++) {
		over |= v >> 60;
		v = v << 4 | d;
	}
	*value = v;
	return at == start || over ? NULL : at;
}

static inline const char *ml_scan_decimal(const char *at, const char *end,
					  uint64_t *value)
{
	const char *start = at;
	uint64_t v = 0;
	unsigned d;

	for (; at < end && (d = (unsigned char)*at - (unsigned)'0') < 10; at++) {
		if (v > UINT64_MAX / 10 || v * 10 > UINT64_MAX - d)
			return NULL;
		v = v * 10 + d;
	}
	*value = v;
	return at == start ? NULL : at;
}

/* Decimal, or hexadecimal with 0x. */
static inline const char *ml_scan_number(const char *at, const char *end, uint64_t *value)
{
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		return ml_scan_hex(at + 2, end, value);
	return ml_scan_decimal(at, end, value);
}

/* True if the whole word is such a number. */
static inline bool ml_scan_whole(struct ml_scan_word w, uint64_t *value)
{
	*value = 0;
	return w.size && ml_scan_number(w.at, w.at + w.size, value) == w.at + w.size;
}

static inline bool ml_scan_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline const char *ml_scan_blanks(const char *at, const char *end)
{
	while (at < end && ml_scan_blank(*at))
		at++;
	return at;
}

/*
 * A word for messages: at most 60 bytes, with '?' for control characters, which must not
 * reach a terminal.
 */
enum { ML_SCAN_SHOWN = 64 };

static inline const char *ml_scan_shown(struct ml_scan_word w, char text[ML_SCAN_SHOWN])
{
	size_t n = w.size < 60 ? w.size : 60;

	for (size_t i = 0; i < n; i++)
		text[i] = (unsigned char)w.at[i] < 0x20 || w.at[i] == 0x7f ? '?'
									   : w.at[i];
	for (size_t i = 0; i < 3 && n < w.size; i++)
		text[60 + i] = '.';
	text[n < w.size ? 63 : n] = 0;
	return text;
}
