/*
 * Requests that an input chooses: a route of any kind, with the parameters that the route
 * declares (request.h). Their values lie within the declared range, at its ends or beyond.
 */
#pragma once

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"

/* The input, read byte by byte; zeros behind its end. */
struct input {
	const uint8_t *at, *end;
};

static inline uint8_t byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static inline uint64_t word(struct input *in)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | byte(in);
	return v;
}

static inline uint64_t choose_number(struct ml_workspace *ws, struct input *in,
				     const struct ml_route_param *p,
				     const struct ml_request *q)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  3,
					  255,
					  256,
					  4096,
					  65535,
					  65536,
					  INT32_MAX,
					  UINT32_MAX,
					  UINT64_C(1) << 32,
					  INT64_MAX,
					  UINT64_MAX,
					  UINT64_MAX - 1,
					  UINT64_MAX / 8 };
	uint64_t count = 1;
	struct ml_err err;

	if (p->count && !p->count(ws, q, &count, &err))
		count = 1;
	switch (byte(in) % 9) {
	case 0: return p->min;
	case 1: return p->max;
	case 2: return p->max + 1;
	case 3: return p->min - 1;
	case 4: return count;
	case 5: return count - 1;
	case 6: return edges[byte(in) % (sizeof(edges) / sizeof(*edges))];
	case 7: return word(in);
	default: return byte(in);
	}
}

/* Words that some parameter takes, alone or joined. */
static const char *const words[] = {
	"last",
	"count",
	"served",
	"first",
	"reuse",
	"distance",
	"used",
	"read",
	"write",
	"fetch",
	"raw",
	"normalised",
	"matched",
	"phase",
	"reference",
	"line",
	"region",
	"miss",
	"selection",
	"-",
	"+",
	"0",
	"1",
	"0,1",
	"0:0",
	"0-64",
	"64-0",
	"main",
	"a.c",
	"h",
	"A",
	"cold",
	"capacity",
	"conflict",
	"n=3",
	"n=1000",
	"L1 size",
	"L1 1K",
	"L1 8G 16w",
	"zen4",
	"time",
	"parameter",
	"map",
	"big",
	"big=1",
	"odd",
	"name = a",
	"cpu",
	"latency",
	"lines",
	"columns",
	"offenders",
	"0,8,0,64,0,1",
	"1,8,0,16,64,2",
	"0:8:64",
	"1:4:8,2:8:8",
	"0:0,100:50",
	"4294967295",
	"18446744073709551615",
	"nan",
	"1e308",
	"site",
	"found",
	"reduced",
	"address",
	"A:C",
	"mean",
	"variants",
	"",
};

static inline void choose_text(struct input *in, char *out, size_t room)
{
	size_t n = 0, parts = 1 + byte(in) % 3;

	out[0] = 0;
	for (size_t i = 0; i < parts; i++) {
		static const char joints[] = ",;:= .-";
		uint8_t kind = byte(in);

		if (i && n + 1 < room)
			out[n++] = joints[kind % (sizeof(joints) - 1)];
		if (kind < 200) {
			n += (size_t)snprintf(
				out + n, room - n, "%s",
				words[byte(in) % (sizeof(words) / sizeof(*words))]);
		} else {
			for (unsigned k = kind - 200; k && n + 1 < room; k--) {
				uint8_t c = byte(in);

				if (c)
					out[n++] = (char)c;
			}
		}
		n = n < room - 1 ? n : room - 1;
		out[n] = 0;
	}
}

static inline void choose_value(struct ml_workspace *ws, struct input *in,
				const struct ml_route_param *p,
				const struct ml_request *q, char *out, size_t room)
{
	if (p->type == ML_PARAM_TEXT || byte(in) % 16 == 15)
		choose_text(in, out, room);
	else if (p->type == ML_PARAM_REAL)
		snprintf(out, room, "%g", (double)(int64_t)word(in) / (1 + byte(in)));
	else
		snprintf(out, room, "%" PRIu64, choose_number(ws, in, p, q));
}

static inline const struct ml_route *choose_route(struct ml_workspace *ws,
						  struct input *in)
{
	const struct ml_route *all[128];
	size_t count = 0;

	for (const struct ml_route *r = ws->routes; r->path; r++)
		all[count++] = r;
	for (size_t i = 0; ws->kinds[i]; i++)
		for (const struct ml_route *r = ws->kinds[i]->routes;
		     r->path && count < 128; r++)
			all[count++] = r;
	return all[byte(in) % count];
}

/* Replaces # by a number of a document. */
static inline void choose_path(struct input *in, const char *pattern, char *out,
			       size_t room)
{
	size_t n = 0;

	for (; *pattern && n + 24 < room; pattern++)
		if (*pattern == '#')
			n += (size_t)sprintf(out + n, "%u", byte(in) % 4);
		else
			out[n++] = *pattern;
	out[n] = 0;
}

/* The client hangs up after a second. */
static inline bool hung_up(void *since)
{
	return ml_now() - *(const uint64_t *)since > ML_SECOND;
}

/* Asks one question with parameters that the input chooses. */
static inline void ask_any(struct ml_workspace *ws, struct input *in)
{
	uint64_t start = ml_now();
	char path[100], value[ML_REQUEST_PARAMS][200];
	struct ml_request q = { .work = { .cancelled = hung_up, .arg = &start },
				.path = path };
	struct ml_answer a;
	struct ml_buf out = { 0 };
	struct ml_err err = { 0 };
	bool exists;

	const struct ml_route *r = choose_route(ws, in);
	q.method = r->method;
	choose_path(in, r->path, path, sizeof(path));
	if (ml_workspace_route(ws, &q, &exists) != r)
		return;
	for (const struct ml_route_param *p = r->params;
	     p->key && q.count < ML_REQUEST_PARAMS; p++)
		if (byte(in) % 2) {
			choose_value(ws, in, p, &q, value[q.count], sizeof(*value));
			q.params[q.count] = (struct ml_param){ p->key, value[q.count] };
			q.count++;
		}
	ml_answer_init(&a);
	if (ml_request_answer(r, ws, &q, &a, &err))
		ml_answer_write(&a, &out);
	ml_buf_release(&out);
	ml_answer_release(&a);
}
