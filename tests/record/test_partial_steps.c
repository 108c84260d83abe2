/* Steps without some of their references, read back from the trace. */
#include "lib/trace/shape.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "record/reader/partial_steps.h"
#include "tests/scratch.h"
#include "tests/test.h"

/*
 * Two bases, five slots: a read and a write at the first base, a constant address, a
 * reference that may not happen (with the second base), another at the first.
 */
static const struct ml_slot slots[] = {
	{ .offset = 0, .site = 1, .what = 8, .base = 0 },
	{ .offset = 16, .site = 2, .what = ML_WRITE << 14 | 4, .base = 0 },
	{ .offset = 0x5000, .site = 1, .what = 2, .base = ML_NO_BASE },
	{ .offset = 0, .site = 2, .what = 1, .base = 1, .maybe = true },
	{ .offset = 32, .site = 1, .what = 8, .base = 0 },
};
static const struct ml_base bases[] = { { .reg = 3, .state = ML_OWN_STATE },
					{ .reg = ML_NO_REG, .state = ML_OWN_STATE } };
static const struct ml_shape shape = {
	.slots = 5, .bases = 2, .slot = slots, .base = bases, .user = true
};

static struct ml_writer *begin(uint32_t *number)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	ml_tables_place(ml_writer_tables(w), "f", "f.c", 1);
	ml_tables_place(ml_writer_tables(w), "f", "f.c", 2);
	ml_writer_thread(w, 1);
	*number = ml_writer_shape(w, &shape);
	return w;
}

/* The trace holds these references and no others. */
static void check(const struct ml_ref *want, size_t count)
{
	struct ml_trace t;
	struct ml_batch b;
	struct ml_err err;
	size_t seen = 0;

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_cursor *c = ml_cursor_open(&t, 0, UINT64_MAX);
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++, seen++) {
			CHECK(seen < count);
			CHECK_EQ(b.addr[i], want[seen].addr);
			CHECK_EQ(b.site[i], want[seen].site);
			CHECK_EQ(b.what[i], want[seen].what);
		}
	CHECK_STR(err.kind == ML_OK ? "" : err.text, "");
	CHECK_EQ(seen, count);
	ml_cursor_close(c);
	ml_trace_close(&t);
}

TEST(what_is_kept_of_a_step_is_in_the_trace)
{
	uint32_t number;
	struct ml_writer *w = begin(&number);
	struct ml_partial_steps thin;
	struct ml_err err;
	uint64_t value[] = { 0x1000, 0x2000 };
	bool ends[] = { true, false, false, false, true };
	bool middle[] = { false, true, true, true, false };

	ml_partial_steps_init(&thin, w);
	CHECK_OK(ml_partial_steps_write(&thin, &shape, number, 0, value, ends, 5, &err),
		 &err);
	CHECK_OK(ml_partial_steps_write(&thin, &shape, number, 0, value, middle, 5, &err),
		 &err);
	value[0] = 0x9000;
	CHECK_OK(ml_partial_steps_write(&thin, &shape, number, 0, value, ends, 5, &err),
		 &err);
	CHECK_EQ(thin.count, 2); /* a choice is a shape, made once */
	ml_partial_steps_release(&thin);
	CHECK_OK(ml_writer_close(w, &err), &err);
	check(
		(struct ml_ref[]){
			{ .addr = 0x1000, .site = 1, .what = 8 },
			{ .addr = 0x1020, .site = 1, .what = 8 },
			{ .addr = 0x1010, .site = 2, .what = ML_WRITE << 14 | 4 },
			{ .addr = 0x5000, .site = 1, .what = 2 },
			{ .addr = 0x2000, .site = 2, .what = 1 },
			{ .addr = 0x9000, .site = 1, .what = 8 },
			{ .addr = 0x9020, .site = 1, .what = 8 } },
		7);
}

TEST(a_step_that_was_left_early_has_fewer_slots)
{
	uint32_t number;
	struct ml_writer *w = begin(&number);
	struct ml_partial_steps thin;
	struct ml_err err;
	uint64_t value[] = { 0x1000 };
	bool keep[] = { false, true };

	ml_partial_steps_init(&thin, w);
	CHECK_OK(ml_partial_steps_write(&thin, &shape, number, 0, value, keep, 2, &err),
		 &err);
	ml_partial_steps_release(&thin);
	CHECK_OK(ml_writer_close(w, &err), &err);
	check(
		(struct ml_ref[]){
			{ .addr = 0x1010, .site = 2, .what = ML_WRITE << 14 | 4 } },
		1);
}

TEST(whole_and_thinned_steps_mix)
{
	uint32_t number;
	struct ml_writer *w = begin(&number);
	struct ml_partial_steps thin;
	struct ml_err err;
	uint64_t value[] = { 0x1000, 0 }; /* the fourth does not happen */
	bool keep[] = { false, false, true, false, false };
	struct ml_step step = { .path = ml_writer_path(w, number, 2), .value = value };

	ml_partial_steps_init(&thin, w);
	CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
	CHECK_OK(ml_partial_steps_write(&thin, &shape, number, 0, value, keep, 5, &err),
		 &err);
	CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
	ml_partial_steps_release(&thin);
	CHECK_OK(ml_writer_close(w, &err), &err);
	struct ml_ref whole[] = {
		{ .addr = 0x1000, .site = 1, .what = 8 },
		{ .addr = 0x1010, .site = 2, .what = ML_WRITE << 14 | 4 },
		{ .addr = 0x5000, .site = 1, .what = 2 },
		{ .addr = 0x1020, .site = 1, .what = 8 }
	};
	check((struct ml_ref[]){ whole[0], whole[1], whole[2], whole[3], whole[2],
				 whole[0], whole[1], whole[2], whole[3] },
	      9);
}
