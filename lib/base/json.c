#include "lib/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

static void new_line(struct ml_json *w)
{
	if (!w->indent)
		return;
	ml_buf_text(w->out, "\n");
	for (int i = 0; i < w->depth * w->indent; i++)
		ml_buf_text(w->out, " ");
}

static struct ml_json_level *innermost(struct ml_json *w)
{
	return w->depth ? &w->levels[w->depth - 1] : NULL;
}

static void separate(struct ml_json *w)
{
	struct ml_json_level *l = innermost(w);

	if (l->filled)
		ml_buf_text(w->out, ",");
	l->filled = true;
	new_line(w);
}

static void before_value(struct ml_json *w)
{
	struct ml_json_level *l = innermost(w);

	if (!l)
		return;
	assert(w->keyed == (l->close == '}'));
	if (!w->keyed)
		separate(w);
	w->keyed = false;
}

static void enter(struct ml_json *w, const char *open, char close)
{
	before_value(w);
	assert(w->depth < ML_JSON_DEPTH);
	ml_buf_text(w->out, open);
	w->levels[w->depth++] = (struct ml_json_level){ .close = close };
}

void ml_json_object(struct ml_json *w)
{
	enter(w, "{", '}');
}

void ml_json_array(struct ml_json *w)
{
	enter(w, "[", ']');
}

void ml_json_end(struct ml_json *w)
{
	assert(w->depth > 0 && !w->keyed);
	struct ml_json_level l = w->levels[--w->depth];

	if (l.filled)
		new_line(w);
	ml_buf_u8(w->out, (uint8_t)l.close);
	if (!w->depth && w->indent)
		ml_buf_text(w->out, "\n");
}

/*
 * Length of the well-formed UTF-8 sequence at p (Unicode 15, table 3-7: no
 * overlong forms, no surrogates, nothing above U+10FFFF), or 0.
 */
static size_t utf8_length(const uint8_t *p, size_t left)
{
	size_t n = p[0] < 0x80                   ? 1
		   : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		   : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		   : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						 : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_escaped(struct ml_json *w, uint8_t c)
{
	static const char short_form[128] = {
		['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
		['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
	};
	char text[8];

	if (short_form[c])
		snprintf(text, sizeof(text), "\\%c", short_form[c]);
	else
		snprintf(text, sizeof(text), "\\u%04x", c);
	ml_buf_text(w->out, text);
}

static void put_string(struct ml_json *w, const char *text, size_t size)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + size;

	ml_buf_text(w->out, "\"");
	while (p < end) {
		const uint8_t *run = p;

		while (p < end && is_plain(*p))
			p++;
		ml_buf_put(w->out, run, (size_t)(p - run));
		if (p == end)
			break;
		size_t n = utf8_length(p, (size_t)(end - p));
		if (n == 1)
			put_escaped(w, *p);
		else if (n)
			ml_buf_put(w->out, p, n);
		else
			ml_buf_text(w->out, "\xef\xbf\xbd");
		p += n ? n : 1;
	}
	ml_buf_text(w->out, "\"");
}

void ml_json_key(struct ml_json *w, const char *key)
{
	assert(w->depth && innermost(w)->close == '}' && !w->keyed);
	separate(w);
	put_string(w, key, strlen(key));
	ml_buf_text(w->out, w->indent ? ": " : ":");
	w->keyed = true;
}

void ml_json_bytes(struct ml_json *w, const char *text, size_t size)
{
	before_value(w);
	put_string(w, text, size);
}

void ml_json_string(struct ml_json *w, const char *text)
{
	if (text)
		ml_json_bytes(w, text, strlen(text));
	else
		ml_json_null(w);
}

static void put_bare(struct ml_json *w, const char *text)
{
	before_value(w);
	ml_buf_text(w->out, text);
}

void ml_json_u64(struct ml_json *w, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	put_bare(w, text);
}

void ml_json_i64(struct ml_json *w, int64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, v);
	put_bare(w, text);
}

void ml_json_address(struct ml_json *w, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", v);
	put_bare(w, text);
}

void ml_json_real(struct ml_json *w, double v)
{
	char text[32];

	if (!isfinite(v)) {
		ml_json_null(w);
		return;
	}
	/* as few digits as suffice: 0.1 and not 0.10000000000000001 */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	put_bare(w, text);
}

void ml_json_bool(struct ml_json *w, bool v)
{
	put_bare(w, v ? "true" : "false");
}

void ml_json_null(struct ml_json *w)
{
	put_bare(w, "null");
}

void ml_json_key_object(struct ml_json *w, const char *key)
{
	ml_json_key(w, key);
	ml_json_object(w);
}

void ml_json_key_array(struct ml_json *w, const char *key)
{
	ml_json_key(w, key);
	ml_json_array(w);
}

void ml_json_key_string(struct ml_json *w, const char *key, const char *text)
{
	ml_json_key(w, key);
	ml_json_string(w, text);
}

void ml_json_key_u64(struct ml_json *w, const char *key, uint64_t v)
{
	ml_json_key(w, key);
	ml_json_u64(w, v);
}

void ml_json_key_i64(struct ml_json *w, const char *key, int64_t v)
{
	ml_json_key(w, key);
	ml_json_i64(w, v);
}

void ml_json_key_address(struct ml_json *w, const char *key, uint64_t v)
{
	ml_json_key(w, key);
	ml_json_address(w, v);
}

void ml_json_key_real(struct ml_json *w, const char *key, double v)
{
	ml_json_key(w, key);
	ml_json_real(w, v);
}

void ml_json_key_bool(struct ml_json *w, const char *key, bool v)
{
	ml_json_key(w, key);
	ml_json_bool(w, v);
}
