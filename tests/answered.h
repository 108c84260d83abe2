/*
 * A workspace with traces and simulations, and questions to it: what the page would be
 * answered. Answers are looked at until the next question.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "lib/cache/machine/machine.h"
#include "lib/query/workspace/request.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/trace/text/model.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static struct ml_workspace workspace;
static struct ml_buf bytes;
static struct ml_err err;

static inline void open_workspace(const char *machine)
{
	struct ml_machine m;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
}

static inline void close_workspace(void)
{
	ml_buf_release(&bytes);
	bytes = (struct ml_buf){ 0 };
	ml_workspace_close(&workspace);
}

/* Adds a trace made from a text (text.h) or from a model (model.h). */
static inline void add_trace(const char *text, bool model)
{
	struct ml_writer *w;
	struct ml_model m;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	if (model) {
		CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
		CHECK_OK(ml_model_run(&m, w, &err), &err);
		ml_model_release(&m);
	} else
		CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	/* it stays open when the next one takes its name */
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	unlink(scratch());
}

/* Simulates a machine over a trace; the numbers of simulations go from 0. */
static inline void add_sim(uint64_t trace, const char *machine)
{
	struct ml_machine m;
	uint32_t sim;

	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	CHECK_OK(ml_open_sim_start(&workspace, trace, &m, ML_INTERLEAVE_AUTO, &sim, &err),
		 &err);
	CHECK_OK(ml_open_sim_finish(&workspace, sim, &err), &err);
}

/* Asks PATH?A=B&C=D. */
static inline bool ask(const char *question)
{
	char text[500];
	struct ml_request q = { .method = "GET", .path = text };
	struct ml_answer answer;
	bool exists;

	snprintf(text, sizeof(text), "%s", question);
	char *at = strchr(text, '?');
	if (at)
		*at++ = 0;
	for (char *next; at; at = next) {
		next = strchr(at, '&');
		if (next)
			*next++ = 0;
		char *value = strchr(at, '=');
		*value++ = 0;
		q.params[q.count++] = (struct ml_param){ at, value };
	}
	const struct ml_route *r = ml_workspace_route(&workspace, &q, &exists);
	CHECK(r != NULL);
	ml_answer_init(&answer);
	err = (struct ml_err){ 0 };
	bool ok = ml_request_answer(r, &workspace, &q, &answer, &err);
	bytes.size = 0;
	if (ok)
		ml_answer_write(&answer, &bytes);
	ml_buf_u8(&bytes, 0);
	bytes.size--;
	ml_answer_release(&answer);
	return ok;
}

/* A column of the last answer, by name; count may be NULL. */
static inline const void *column(const char *name, size_t *count)
{
	static const struct {
		const char *name;
		size_t size;
	} types[] = { { "u8", 1 },  { "u16", 2 }, { "u32", 4 }, { "u64", 8 },
		      { "i64", 8 }, { "f32", 4 }, { "f64", 8 } };
	const uint8_t *data = bytes.data;
	uint32_t head;
	char *text, *at;

	if (count)
		*count = 0;
	CHECK(!memcmp(data, "MLC1", 4));
	memcpy(&head, data + 4, 4);
	CHECK_EQ(head % 8, 0);
	text = strndup((const char *)data + 8, head);
	data += 8 + head;
	for (at = strstr(text, "\"columns\":["); at && (at = strstr(at, "{\"name\":"));
	     at++) {
		char is[50], type[10];
		size_t n, i = 0;

		CHECK_EQ(
			sscanf(at,
			       "{\"name\":\"%49[^\"]\",\"type\":\"%9[^\"]\",\"count\":%zu",
			       is, type, &n),
			3);
		while (strcmp(types[i].name, type) != 0)
			i++;
		if (!strcmp(is, name)) {
			free(text);
			if (count)
				*count = n;
			return data;
		}
		data += (n * types[i].size + 7) / 8 * 8;
	}
	free(text);
	TEST_SAY("no column %s", name);
	return NULL;
}

/* A number of the answer's JSON or header. */
static inline uint64_t number(const char *key)
{
	char pattern[60];

	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	/* the header of columns starts behind 8 bytes, which may be 0 */
	const char *text = (const char *)bytes.data;
	const char *at = strstr(!memcmp(text, "MLC1", 4) ? text + 8 : text, pattern);
	CHECK(at != NULL);
	return strtoull(at + strlen(pattern), NULL, 10);
}

/* Whether the last answer, as text, has this part. */
static inline bool says(const char *text)
{
	return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}
