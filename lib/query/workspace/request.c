#include "lib/query/workspace/request.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"

const char *ml_request_text(const struct ml_request *q, const char *key)
{
	for (size_t i = 0; i < q->count; i++)
		if (!strcmp(q->params[i].key, key))
			return q->params[i].value;
	return NULL;
}

static bool read_number(const char *key, const char *text, uint64_t *v,
			struct ml_err *err)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	return (isdigit((unsigned char)*text) && !*end && !errno) ||
	       ml_fail(err, ML_USAGE, "%s=%.40s is not a number", key, text);
}

bool ml_request_u64(const struct ml_request *q, const char *key, uint64_t otherwise,
		    uint64_t *v, struct ml_err *err)
{
	const char *text = ml_request_text(q, key);

	*v = otherwise;
	return !text || read_number(key, text, v, err);
}

bool ml_request_window(const struct ml_request *q, uint64_t end, uint64_t *from,
		       uint64_t *to, struct ml_err *err)
{
	if (!ml_request_u64(q, "from", 0, from, err) ||
	    !ml_request_u64(q, "to", end, to, err))
		return false;
	if (*from > *to)
		return ml_fail(err, ML_USAGE, "from=%" PRIu64 " lies behind to=%" PRIu64,
			       *from, *to);
	*to = *to < end ? *to : end;
	*from = *from < *to ? *from : *to;
	return true;
}

/* Whether path has the form of pattern; reads the numbers. */
static bool matches(const char *pattern, const char *path, uint64_t *number)
{
	for (; *pattern; pattern++) {
		if (*pattern == '#') {
			char *end;

			if (!isdigit((unsigned char)*path))
				return false;
			errno = 0;
			*number++ = strtoull(path, &end, 10);
			if (errno)
				return false;
			path = end;
		} else if (*pattern != *path++)
			return false;
	}
	return !*path;
}

const struct ml_route *ml_request_route(struct ml_request *q,
					const struct ml_route *routes, bool *exists)
{
	for (const struct ml_route *r = routes; r->path; r++)
		if (matches(r->path, q->path, q->number)) {
			*exists = true;
			if (!strcmp(r->method, q->method))
				return r;
		}
	return NULL;
}

static bool check_number(const struct ml_route_param *p, struct ml_workspace *ws,
			 const struct ml_request *q, const char *text, struct ml_err *err)
{
	uint64_t v, count;

	if (!read_number(p->key, text, &v, err))
		return false;
	if (v < p->min || v > p->max)
		return ml_fail(err, ML_USAGE,
			       "%s=%" PRIu64 " is not %" PRIu64 " to %" PRIu64, p->key, v,
			       p->min, p->max);
	if (!p->count)
		return true;
	if (!p->count(ws, q, &count, err))
		return false;
	return v < count ||
	       ml_fail(err, ML_USAGE,
		       "%s=%" PRIu64 ": there are %" PRIu64 ", and they count from 0",
		       p->key, v, count);
}

static bool check_real(const char *key, const char *text, struct ml_err *err)
{
	char *end;
	double v = strtod(text, &end);

	return (*text && !*end && isfinite(v) && fabs(v) <= (double)ML_PARAM_MAX) ||
	       ml_fail(err, ML_USAGE, "%s=%.40s is not a number", key, text);
}

static bool check_param(const struct ml_route_param *p, struct ml_workspace *ws,
			const struct ml_request *q, const char *text, struct ml_err *err)
{
	switch (p->type) {
	case ML_PARAM_NUMBER: return check_number(p, ws, q, text, err);
	case ML_PARAM_REAL: return check_real(p->key, text, err);
	case ML_PARAM_TEXT: break;
	}
	return strlen(text) <= p->max ||
	       ml_fail(err, ML_USAGE, "%s has more than %" PRIu64 " bytes", p->key,
		       p->max);
}

bool ml_request_check(const struct ml_route *r, struct ml_workspace *ws,
		      const struct ml_request *q, struct ml_err *err)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct ml_route_param *p = r->params;

		if (!strcmp(q->params[i].key, "token")) /* the server has looked at it */
			continue;
		while (p && p->key && strcmp(p->key, q->params[i].key) != 0)
			p++;
		if (!p || !p->key)
			return ml_fail(err, ML_USAGE, "%s has no parameter '%.40s'",
				       r->path, q->params[i].key);
		if (!check_param(p, ws, q, q->params[i].value, err))
			return false;
	}
	return true;
}

bool ml_request_answer(const struct ml_route *r, struct ml_workspace *ws,
		       const struct ml_request *q, struct ml_answer *a,
		       struct ml_err *err)
{
	if (!ml_request_check(r, ws, q, err))
		return false;
	uint64_t holes = ml_file_map_holes();
	bool ok = r->answer(ws, q, a, err);
	/* an answer from zeros is none */
	return ml_file_map_holes() != holes
		       ? ml_fail(err, ML_IO,
				 "a file was cut off while it was open: open it again")
		       : ok;
}

enum { HELP_AT = 30, PARAMS_AT = 4, LINE = 100 };

/* "from=N", "cells=1..65536", "file=N", "tolerance=X", "select=TEXT". */
static const char *declaration(const struct ml_route_param *p, struct ml_arena *a)
{
	if (p->type == ML_PARAM_TEXT)
		return ml_arena_printf(a, "%s=TEXT", p->key);
	if (p->type == ML_PARAM_REAL)
		return ml_arena_printf(a, "%s=X", p->key);
	if (p->count || (!p->min && p->max >= UINT32_MAX))
		return ml_arena_printf(a, "%s=N", p->key);
	if (p->max == ML_PARAM_MAX)
		return ml_arena_printf(a, "%s=%llu..", p->key,
				       (unsigned long long)p->min);
	return ml_arena_printf(a, "%s=%llu..%llu", p->key, (unsigned long long)p->min,
			       (unsigned long long)p->max);
}

void ml_routes_print(const struct ml_route *routes, const char *with, struct ml_buf *out)
{
	struct ml_arena a = { 0 };

	for (const struct ml_route *r = routes; r->path; r++) {
		size_t at = LINE;

		if (strcmp(r->method, "GET") != 0 || !strstr(r->path, with))
			continue;
		ml_buf_printf(out, "%-*s %s\n", HELP_AT - 1, r->path, r->help);
		for (const struct ml_route_param *p = r->params; p->key; p++) {
			const char *text = declaration(p, &a);

			if (at + 1 + strlen(text) > LINE) {
				ml_buf_printf(out, "%s%*s", p == r->params ? "" : "\n",
					      PARAMS_AT - 1, "");
				at = PARAMS_AT - 1;
			}
			ml_buf_printf(out, " %s", text);
			at += 1 + strlen(text);
		}
		ml_buf_text(out, r->params->key ? "\n" : "");
	}
	ml_arena_release(&a);
}
