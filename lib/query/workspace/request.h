/*
 * Questions and answers: the routes of docs/api.md. A question is a path with
 * parameters; what answers it stands in one table, so that the server and the
 * command line cannot disagree. An answer is JSON, plain text, or columns of
 * numbers behind a JSON header.
 *
 *	static bool timeline(struct ml_workspace *d, const struct ml_request *q,
 *			     struct ml_answer *a, struct ml_err *err)
 *	{
 *		double *served = ml_arena_alloc(&a->arena, n * sizeof(*served));
 *		...
 *		ml_answer_columns(a);
 *		ml_answer_u64(a, "from", from);
 *		ml_answer_column(a, "served", ML_TYPE_F64, served, n);
 *		return true;
 *	}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/work.h"

struct ml_workspace;

struct ml_param {
	const char *key, *value;
};

enum { ML_REQUEST_PARAMS = 32, ML_REQUEST_NUMBERS = 2 };

struct ml_request {
	struct ml_work work;       /* cancelled when the client hangs up */
	const char *method, *path; /* "GET", "/api/sims/3/timeline" */
	struct ml_param params[ML_REQUEST_PARAMS];
	size_t count;
	uint64_t number[ML_REQUEST_NUMBERS]; /* those in the path, in order */
};

/* The value of a parameter, or NULL. */
const char *ml_request_text(const struct ml_request *q, const char *key);
/* A number; `otherwise` where it is not given. Fails when it is none. */
bool ml_request_u64(const struct ml_request *q, const char *key, uint64_t otherwise,
		    uint64_t *v, struct ml_err *err);
/* The window "from" to "to", cut at `end`; fails when it runs backwards. */
bool ml_request_window(const struct ml_request *q, uint64_t end, uint64_t *from,
		       uint64_t *to, struct ml_err *err);

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
	struct ml_arena arena; /* for what columns point to */
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

typedef bool ml_route_fn(struct ml_workspace *d, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err);

struct ml_route {
	const char *method, *path; /* # stands for a number */
	ml_route_fn *answer;
	const char *help; /* for the list of routes that `memlamp query` prints */
};

extern const struct ml_route ml_routes[]; /* ends with a zero one */

/* The route of a question, whose numbers are read; NULL: there is none. *exists says
 * whether the path exists with another method. */
const struct ml_route *ml_route_find(struct ml_request *q, bool *exists);
