/*
 * The answer to a request: JSON, plain text, or columns of numbers behind a JSON header
 * (docs/api.md).
 *
 *	double *served = ml_arena_alloc(&a->arena, n * sizeof(*served));
 *	...
 *	ml_answer_columns(a);
 *	ml_answer_u64(a, "from", from);
 *	ml_answer_column(a, "served", ML_TYPE_F64, served, n);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"

enum ml_answer_kind { ML_ANSWER_JSON, ML_ANSWER_TEXT, ML_ANSWER_COLUMNS };

enum ml_type {
	ML_TYPE_U8,
	ML_TYPE_U16,
	ML_TYPE_U32,
	ML_TYPE_U64,
	ML_TYPE_I64,
	ML_TYPE_F32,
	ML_TYPE_F64
};

enum { ML_ANSWER_COLUMNS_MAX = 16 };

/* Zero bytes and ml_answer_init make one. */
struct ml_answer {
	enum ml_answer_kind kind;
	struct ml_buf head;  /* the JSON or text; of columns, the header so far */
	struct ml_json json; /* writes into head */
	struct ml_answer_column {
		const char *name;
		enum ml_type type;
		const void *data;
		size_t count;
	} columns[ML_ANSWER_COLUMNS_MAX];
	size_t count;
	struct ml_arena arena; /* memory of the columns */
};

void ml_answer_init(struct ml_answer *a);
void ml_answer_release(struct ml_answer *a);
/* Begins an answer of columns, whose header is an object: keys may follow. */
void ml_answer_columns(struct ml_answer *a);
/* data must stay until the answer is written: take it from the answer's arena. */
void ml_answer_column(struct ml_answer *a, const char *name, enum ml_type type,
		      const void *data, size_t count);
/* key and value into the JSON (or header). */
void ml_answer_u64(struct ml_answer *a, const char *key, uint64_t v);
void ml_answer_string(struct ml_answer *a, const char *key, const char *text);
/* The bytes of the whole answer. */
void ml_answer_write(struct ml_answer *a, struct ml_buf *out);
const char *ml_answer_type(const struct ml_answer *a); /* "application/json"... */
