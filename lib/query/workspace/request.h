/*
 * A request: the path of a route with its parameters, as the page or `memlamp query`
 * sends it. docs/api.md describes all routes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/work.h"

struct ml_answer;
struct ml_buf;
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
/* A number; `otherwise` where the parameter is missing. Fails where it is no number. */
bool ml_request_u64(const struct ml_request *q, const char *key, uint64_t otherwise,
		    uint64_t *v, struct ml_err *err);
/* The window "from" to "to", cut at `end`; fails when it runs backwards. */
bool ml_request_window(const struct ml_request *q, uint64_t end, uint64_t *from,
		       uint64_t *to, struct ml_err *err);

typedef bool ml_route_fn(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err);

/*
 * A parameter as a route declares it. ml_request_check holds each request against the
 * declarations before the route sees it, so a route reads numbers that count something it
 * has, and texts of bounded length. A parameter that no declaration names is refused.
 */
struct ml_route_param {
	const char *key;
	enum ml_param_type { ML_PARAM_NUMBER, ML_PARAM_REAL, ML_PARAM_TEXT } type;
	uint64_t min, max; /* of a number; of a text, how many bytes it may have */
	/* A number must also be below what this counts; NULL: min and max say it all. */
	bool (*count)(struct ml_workspace *ws, const struct ml_request *q,
		      uint64_t *count, struct ml_err *err);
};

/* No number of a request is larger, so sums of a few do not overflow. Numbers of
 * JavaScript are exact up to here. */
#define ML_PARAM_MAX (UINT64_C(1) << 53)

#define ML_PARAMS(...) \
	(const struct ml_route_param[]) \
	{ \
		__VA_ARGS__, \
		{ \
			.key = NULL \
		} \
	}
#define ML_NO_PARAMS ((const struct ml_route_param[]){ { .key = NULL } })
#define ML_NUMBER_IN(k, low, high) \
	{ \
		.key = k, .type = ML_PARAM_NUMBER, .min = (low), .max = (high) \
	}
#define ML_NUMBER(k) ML_NUMBER_IN(k, 0, ML_PARAM_MAX)
#define ML_NUMBER_OF(k, things) \
	{ \
		.key = k, .type = ML_PARAM_NUMBER, .max = ML_PARAM_MAX, .count = things \
	}
#define ML_REAL(k) \
	{ \
		.key = k, .type = ML_PARAM_REAL \
	}
#define ML_TEXT(k, bytes) \
	{ \
		.key = k, .type = ML_PARAM_TEXT, .max = (bytes) \
	}
enum { ML_WORD_BYTES = 64, ML_NAME_BYTES = 1 << 10, ML_LIST_BYTES = 1 << 14 };

/* A route answers the requests whose path has the form of its pattern. */
struct ml_route {
	const char *method, *path; /* # stands for a number */
	ml_route_fn *answer;
	const char *help; /* what it answers; its parameters speak for themselves */
	/*
	 * Whether the answer to this request stays the same for ever, so that the server
	 * may keep an answer that took long. NULL: it may change.
	 */
	bool (*lasts)(struct ml_workspace *ws, const struct ml_request *q);
	const struct ml_route_param *params; /* ends with one without a key */
};

/*
 * Writes the routes that GET reaches and whose path has the text `with` in it: path, help,
 * and the parameters as they are declared, "cells=1..65536".
 */
void ml_routes_print(const struct ml_route *routes, const char *with, struct ml_buf *out);

/*
 * Finds the route of a request in a list that ends with a zero entry; NULL: none. Reads
 * the numbers of the path. Sets *exists if a route of any method has the path.
 */
const struct ml_route *ml_request_route(struct ml_request *q,
					const struct ml_route *routes, bool *exists);

/* Whether each parameter of the request is one that the route declares, with a value that
 * it declares. */
bool ml_request_check(const struct ml_route *r, struct ml_workspace *ws,
		      const struct ml_request *q, struct ml_err *err);
/* Checks the request and lets the route answer it: the only way to a route. */
bool ml_request_answer(const struct ml_route *r, struct ml_workspace *ws,
		       const struct ml_request *q, struct ml_answer *a,
		       struct ml_err *err);
