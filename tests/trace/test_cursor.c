/* A cursor after a seek reads the same references as a new cursor. */
#include <stdlib.h>

#include "lib/trace/text/model.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { REFS = 2500000 }; /* more than two chunks */

static struct ml_err err;

static uint64_t sum(struct ml_cursor *c, uint64_t *count)
{
	struct ml_batch b;
	uint64_t all = 0;

	*count = 0;
	while (ml_cursor_next(c, &b, &err)) {
		for (size_t i = 0; i < b.count; i++)
			all = all * 31 + b.addr[i] + (b.time + i) * 7;
		*count += b.count;
	}
	CHECK_EQ(err.kind, ML_OK);
	return all;
}

TEST(a_cursor_that_was_elsewhere_walks_as_a_new_one)
{
	/* on, on within a chunk, back a little, back far, over chunks, nothing, the end
	 */
	static const uint64_t windows[][2] = {
		{ 0, 1000 },          { 1000, 1001 },
		{ 1001, 9000 },       { 50000, 50010 },
		{ 50005, 60000 },     { 49999, 50000 },
		{ 1048570, 1048590 }, { 2000000, 2000100 },
		{ 100, 200 },         { 2000100, 2000100 },
		{ 900000, 2400000 },  { 2499990, 9999999 },
		{ 2499995, 2500000 }, { 0, 10 },
	};
	const char *text = "chase 0x100000 5000 64 2500000";
	struct ml_model m;
	struct ml_writer *w;
	struct ml_trace t;

	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	ml_model_release(&m);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, REFS);
	CHECK(t.chunk_count > 2);
	struct ml_cursor *old = ml_cursor_open(&t, 5, 6);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		struct ml_cursor *c = ml_cursor_open(&t, windows[i][0], windows[i][1]);
		uint64_t n, m1;

		ml_cursor_seek(old, windows[i][0], windows[i][1]);
		CHECK_EQ(sum(old, &n), sum(c, &m1));
		CHECK_EQ(n, m1);
		ml_cursor_close(c);
	}
	ml_cursor_close(old);
	ml_trace_close(&t);
}
