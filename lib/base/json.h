/*
 * A JSON writer that appends to a buffer. It asserts correct nesting: every value in an
 * object has a key, no other value has one, every object and array ends. A writer
 * needs only its buffer:
 *
 *	struct ml_json w = { .out = &buf, .indent = 2 };
 *
 *	ml_json_object(&w);
 *	ml_json_key_u64(&w, "references", 12);
 *	ml_json_key_array(&w, "levels");
 *	ml_json_string(&w, "L1");
 *	ml_json_end(&w);
 *	ml_json_end(&w);
 *
 * Held by tests/base/test_json.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;

enum { ML_JSON_DEPTH = 32 };

struct ml_json {
	struct ml_buf *out;
	int indent; /* spaces a level; 0 puts all on one line */
	int depth;
	bool keyed; /* the last thing written is a key */
	struct ml_json_level {
		char close;  /* '}' or ']' */
		bool filled; /* has an element */
	} levels[ML_JSON_DEPTH];
};

void ml_json_object(struct ml_json *w);
void ml_json_array(struct ml_json *w);
void ml_json_end(struct ml_json *w); /* ends the innermost object or array */
void ml_json_key(struct ml_json *w, const char *key);

void ml_json_string(struct ml_json *w, const char *text); /* NULL is null */
/* A string of any bytes; each byte that is not part of valid UTF-8 becomes U+FFFD. */
void ml_json_bytes(struct ml_json *w, const char *text, size_t size);
void ml_json_u64(struct ml_json *w, uint64_t v);
void ml_json_i64(struct ml_json *w, int64_t v);
void ml_json_address(struct ml_json *w, uint64_t v); /* "0x7ffe0010" */
/* Written with enough digits to read back the same number; null if not finite. */
void ml_json_real(struct ml_json *w, double v);
void ml_json_bool(struct ml_json *w, bool v);
void ml_json_null(struct ml_json *w);

/* A key and its value. */
void ml_json_key_object(struct ml_json *w, const char *key); /* begins an object */
void ml_json_key_array(struct ml_json *w, const char *key);  /* begins an array */
void ml_json_key_string(struct ml_json *w, const char *key, const char *text);
void ml_json_key_u64(struct ml_json *w, const char *key, uint64_t v);
void ml_json_key_i64(struct ml_json *w, const char *key, int64_t v);
void ml_json_key_address(struct ml_json *w, const char *key, uint64_t v);
void ml_json_key_real(struct ml_json *w, const char *key, double v);
void ml_json_key_bool(struct ml_json *w, const char *key, bool v);
