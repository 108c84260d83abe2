/* What a replay hands to its passes: order, times, regions, cores, gaps. */
#include <stdlib.h>

#include "lib/analyse/passes/thread_cores.h"
#include "lib/base/buf.h"
#include "tests/replayed.h"

#define TINY "L1 256 2w 64B lru | L2 1K 4w"

enum { MOST = 1000 };

struct seen {
	size_t count, gaps, misses, leaves, leaves_late;
	uint64_t addr[MOST], time[MOST], position[MOST];
	uint32_t region[MOST];
	uint16_t core[MOST], outcome[MOST];
	size_t gap_at[10];
	bool interleaved, stop;
};

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct seen *s = arg;

	(void)err;
	for (size_t i = 0; i < e->refs->count; i++, s->count++) {
		s->addr[s->count] = e->refs->addr[i];
		s->time[s->count] = e->time ? e->time[i] : e->refs->time + i;
		s->position[s->count] = e->position + i;
		s->region[s->count] = e->region[i];
		s->core[s->count] = e->core ? e->core[i] : 0;
		s->outcome[s->count] = e->outcome[i];
	}
	s->interleaved |= e->time != NULL;
	return true;
}

static void on_gap(void *arg, const struct ml_gap *gap)
{
	struct seen *s = arg;

	(void)gap;
	s->gap_at[s->gaps++] = s->count;
}

static void on_miss(void *arg, const struct ml_events *e, const struct ml_miss *m)
{
	struct seen *s = arg;

	/* it belongs to a batch that comes next */
	CHECK(m->access < e->refs->count);
	CHECK_EQ(e->position, s->count);
	s->misses++;
}

static void on_leave(void *arg, const struct ml_events *e, const struct ml_leave *l)
{
	struct seen *s = arg;

	(void)l;
	s->leaves++;
	s->leaves_late += !e->refs;
}

static struct seen *watch(struct replayed *x, const struct ml_replay_options *o)
{
	struct seen *s = calloc(1, sizeof(*s));
	struct ml_pass pass = { .arg = s,
				.batch = on_batch,
				.miss = on_miss,
				.leave = on_leave,
				.gap = on_gap };

	replayed_run(x, o, &pass);
	return s;
}

TEST(references_come_with_their_regions_and_serving_levels)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options(TINY);

	replayed_write("region A 0x1000 64\nregion B 0x2000 64\nr0x1000 r0x2000 r0x1008");
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->count, 3);
	CHECK_EQ(s->addr[1], 0x2000);
	CHECK(s->region[0] != s->region[1]);
	CHECK_EQ(s->region[0], s->region[2]);
	CHECK_STR(ml_profile_region_name(&x.p, &x.trace.tables, s->region[0]), "A");
	CHECK_EQ(ml_outcome_served(s->outcome[0]), 3);
	CHECK_EQ(ml_outcome_cause(s->outcome[0], 1), ML_CAUSE_COLD);
	CHECK_EQ(s->outcome[2], 1);
	CHECK(!s->interleaved);
	free(s);
	replayed_release(&x);
}

TEST(batches_that_are_decoded_already_give_the_same)
{
	struct ml_replay_options o = replayed_options(TINY);
	struct ml_pass pass = { .batch = on_batch };
	struct seen *want, *s = calloc(1, sizeof(*s));
	static uint64_t addr[MOST];
	static uint32_t site[MOST], caller[MOST];
	static uint16_t thread[MOST], what[MOST];
	struct ml_batch batches[2];
	struct ml_replay *r;
	struct replayed x;
	struct ml_batch b;
	struct ml_err err;

	replayed_write("region A 0 256\nregion B 256 256\n"
		       "r0 w64 r256 r300 w8:16 r510:4 r1024 r0 r128 w256\n");
	want = watch(&x, &o);
	struct ml_cursor *c = ml_cursor_open(&x.trace, 0, UINT64_MAX);
	CHECK(ml_cursor_next(c, &b, &err));
	CHECK_EQ(b.count, want->count);
	memcpy(addr, b.addr, b.count * sizeof(*addr));
	memcpy(site, b.site, b.count * sizeof(*site));
	memcpy(caller, b.caller, b.count * sizeof(*caller));
	memcpy(thread, b.thread, b.count * sizeof(*thread));
	memcpy(what, b.what, b.count * sizeof(*what));
	ml_cursor_close(c);
	for (size_t i = 0; i < 2; i++)
		batches[i] = (struct ml_batch){ 4 * i,          i ? want->count - 4 : 4,
						addr + 4 * i,   site + 4 * i,
						caller + 4 * i, thread + 4 * i,
						what + 4 * i };
	CHECK_OK(ml_replay_open(&r, &x.trace, &o, &err), &err);
	pass.arg = s;
	CHECK_OK(ml_replay_run_batches(r, &pass, 1, batches, 2, &err), &err);
	ml_replay_close(r);
	CHECK_EQ(s->count, want->count);
	for (size_t i = 0; i < s->count; i++) {
		CHECK_EQ(s->time[i], want->time[i]);
		CHECK_EQ(s->region[i], want->region[i]);
		CHECK_EQ(s->outcome[i], want->outcome[i]);
	}
	free(s);
	free(want);
	replayed_release(&x);
}

TEST(misses_come_before_their_batch_and_every_line_leaves_in_the_end)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options(TINY);

	/* 5 lines of 64 bytes: each misses both levels; set 0 of L1 (two ways) gets
	 * lines 0, 2 and 4, so one leaves; the other 4 and all 5 of L2 leave at the end
	 */
	replayed_write("r0+64*5");
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->misses, 10);
	CHECK_EQ(s->leaves, 10);
	CHECK_EQ(s->leaves_late, 9);
	free(s);
	replayed_release(&x);
}

TEST(a_gap_is_told_where_it_is_and_makes_first_touches_unknown)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options(TINY);

	replayed_write("r0 r64\ngap 5 sampling\nr0 r128");
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->gaps, 1);
	CHECK_EQ(s->gap_at[0], 2);
	CHECK_EQ(ml_outcome_cause(s->outcome[1], 1), ML_CAUSE_COLD);
	CHECK_EQ(s->outcome[2], 1);
	CHECK_EQ(ml_outcome_cause(s->outcome[3], 1), ML_CAUSE_UNKNOWN);
	CHECK_EQ(x.p.gaps, 1);
	CHECK_EQ(x.p.missing, 5);
	free(s);
	replayed_release(&x);
}

TEST(gaps_at_the_edge_of_a_window_are_not_in_it)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options(TINY);

	replayed_write(
		"gap 1 lost\nr0\ngap 2 lost\nr64 r0\ngap 4 lost\nr0\ngap 8 lost\nr0\ngap 16 limit\n");
	replayed_run(&x, &o, NULL);
	CHECK_EQ(x.p.missing, 31);
	replayed_release(&x);
	o.from = 1;
	o.to = 4;
	replayed_run(&x, &o, NULL);
	CHECK_EQ(x.p.missing, 4);
	CHECK_EQ(x.p.gaps, 1);
	replayed_release(&x);
}

TEST(a_window_starts_with_empty_caches)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options(TINY);

	replayed_write("r0 r0 r0 r64 r0");
	o.from = 2;
	o.to = 4;
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->count, 2);
	CHECK_EQ(s->time[0], 2);
	CHECK_EQ(s->position[0], 0);
	CHECK_EQ(ml_outcome_served(s->outcome[0]), 3);
	CHECK_EQ(ml_outcome_cause(s->outcome[0], 1), ML_CAUSE_UNKNOWN);
	CHECK_EQ(x.p.refs, 2);
	CHECK_EQ(x.p.from, 2);
	CHECK_EQ(x.p.to, 4);
	free(s);
	replayed_release(&x);
}

TEST(threads_that_nobody_describes_become_cores_by_their_numbers)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options("2 cores | " TINY);

	replayed_write("r0@7 r0@3 r0@7 r0@9 r0@3");
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->core[0], 1);
	CHECK_EQ(s->core[1], 0);
	CHECK_EQ(s->core[2], 1);
	CHECK_EQ(s->core[3], 0); /* there is no third core */
	CHECK_EQ(s->core[4], 0);
	free(s);
	replayed_release(&x);
}

/* Else a trace of several threads could be simulated as if one core made everything. */
TEST(threads_that_nobody_describes_are_counted)
{
	static const struct {
		const char *text;
		size_t threads;
	} cases[] = { { "r0@7 r0@3 r0@7 r0@9", 3 }, { "r0@5 r64@5", 1 }, { "r0", 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct replayed x;
		struct ml_replay_options o = replayed_options("2 cores | " TINY);

		replayed_write(cases[i].text);
		free(watch(&x, &o));
		CHECK_EQ(ml_thread_count(&x.trace.tables), cases[i].threads);
		replayed_release(&x);
	}
}

TEST(threads_can_be_given_cores)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options("4 cores | " TINY);
	struct ml_replay_core cores[] = { { 3, 2 } };
	struct ml_replay *r;
	struct ml_err err;

	o.cores = cores;
	o.core_count = 1;
	replayed_write("r0@7 r0@3 r0@9");
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->core[0], 0);
	CHECK_EQ(s->core[1], 2);
	CHECK_EQ(s->core[2], 1);
	free(s);
	cores[0].core = 4;
	CHECK_FAILS(ml_replay_open(&r, &x.trace, &o, &err), &err,
		    "the machine has cores 0 to 3");
	replayed_release(&x);
}

TEST(interleaved_references_carry_their_times)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options("2 cores | " TINY);

	o.interleave = 1;
	replayed_write("r0@1*3 r0@2*3");
	struct seen *s = watch(&x, &o);
	static const uint64_t times[] = { 0, 3, 1, 4, 2, 5 };
	CHECK(s->interleaved);
	for (size_t i = 0; i < 6; i++) {
		CHECK_EQ(s->time[i], times[i]);
		CHECK_EQ(s->position[i], i);
		CHECK_EQ(s->core[i], i % 2);
	}
	CHECK_EQ(x.p.interleave, 1);
	free(s);
	replayed_release(&x);
}

TEST(a_gap_is_not_interleaved_over)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options("2 cores | " TINY);

	o.interleave = 1;
	replayed_write("r0@1*3\ngap 1 lost\nr0@2*3");
	struct seen *s = watch(&x, &o);
	CHECK_EQ(s->gap_at[0], 3);
	for (size_t i = 0; i < 6; i++)
		CHECK_EQ(s->time[i], i);
	free(s);
	replayed_release(&x);
}

TEST(a_trace_of_no_known_recorder_is_not_interleaved_by_itself)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options("2 cores | " TINY);

	o.interleave = ML_INTERLEAVE_AUTO;
	replayed_write("r0@1*3 r0@2*3");
	struct seen *s = watch(&x, &o);
	CHECK(!s->interleaved);
	free(s);
	replayed_release(&x);
}

TEST(opt_is_not_interleaved)
{
	struct replayed x;
	struct ml_replay_options o = replayed_options("L1 256 2w opt");
	struct ml_replay *r;
	struct ml_err err;

	replayed_write("r0@1 r0@2");
	replayed_run(&x, &o, NULL);
	o.interleave = 1;
	CHECK_FAILS(ml_replay_open(&r, &x.trace, &o, &err), &err, "recorded order");
	replayed_release(&x);
}

TEST(opt_knows_the_future)
{
	struct replayed x;
	/* one set of two ways: 0 64 128 0 64; OPT keeps 0 and evicts 64: 4 misses, and so
	 * does keeping 64 and evicting 0; LRU misses 5 times */
	struct ml_replay_options o = replayed_options("L1 128 2w opt");

	replayed_write("r0 r64 r128 r0 r64");
	replayed_run(&x, &o, NULL);
	CHECK_EQ(x.p.served[2], 4);
	replayed_release(&x);
	o = replayed_options("L1 128 2w lru");
	replayed_run(&x, &o, NULL);
	CHECK_EQ(x.p.served[2], 5);
	replayed_release(&x);
}

static bool stops(void *arg, const struct ml_events *e, struct ml_err *err)
{
	(void)e;
	(void)err;
	__atomic_store_n((volatile bool *)arg, true, __ATOMIC_RELAXED);
	return true;
}

/* Fails at its third batch. */
static bool fails(void *arg, const struct ml_events *e, struct ml_err *err)
{
	unsigned *batches = arg;

	(void)e;
	if (++*batches == 3)
		return ml_fail(err, ML_IO, "the third batch is one too many");
	return true;
}

TEST(a_pass_that_fails_ends_the_run)
{
	const char *machines[] = { "L1 256 2w 64B | L2 1K 4w", "L1 256 2w 64B fifo" };

	for (unsigned i = 0; i < 4; i++) {
		struct ml_replay_options o = replayed_options(machines[i % 2]);
		struct ml_trace trace;
		struct ml_replay *r;
		struct ml_err err;
		unsigned batches = 0;
		struct ml_pass pass = { .arg = &batches, .batch = fails };

		o.want = i < 2 ? 0 : ML_SIM_CAUSES | ML_SIM_USE;
		replayed_write("r0+8*100000");
		CHECK_OK(ml_trace_open(&trace, scratch(), &err), &err);
		CHECK_OK(ml_replay_open(&r, &trace, &o, &err), &err);
		CHECK(!ml_replay_run(r, &pass, 1, &err));
		CHECK_STR(err.text, "the third batch is one too many");
		CHECK_EQ(batches, 3);
		ml_replay_close(r);
		ml_trace_close(&trace);
	}
}

static bool is_set(void *arg)
{
	return ml_stopped(arg);
}

TEST(it_stops_when_asked_to)
{
	struct ml_replay_options o = replayed_options(TINY);
	volatile bool stop = false;
	struct ml_work work = { .cancelled = is_set, .arg = (void *)&stop };
	struct ml_trace trace;
	struct ml_replay *r;
	struct ml_err err;
	struct ml_pass pass = { .arg = (void *)&stop, .batch = stops };

	replayed_write("r0+8*100000");
	o.work = &work;
	CHECK_OK(ml_trace_open(&trace, scratch(), &err), &err);
	CHECK_OK(ml_replay_open(&r, &trace, &o, &err), &err);
	CHECK(!ml_replay_run(r, &pass, 1, &err));
	CHECK_EQ(err.kind, ML_STOPPED);
	ml_replay_close(r);
	ml_trace_close(&trace);
}

/* What two passes of different stages make of each piece, in memory that it carries. */
struct carried {
	uint64_t sum, seen, wrong; /* of offsets; references; pieces out of order */
	uint64_t misses;
};

static bool put_sum(void *arg, const struct ml_events *e, struct ml_err *err)
{
	uint64_t sum = 0;

	(void)arg;
	(void)err;
	for (size_t i = 0; i < e->refs->count; i++)
		sum += e->offset[i];
	*(uint64_t *)e->along = sum;
	return true;
}

static bool take_sum(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct carried *c = arg;

	(void)err;
	c->wrong += e->position != c->seen;
	c->sum += *(uint64_t *)e->along;
	c->seen += e->refs->count;
	for (size_t i = 0; i < e->refs->count; i++)
		c->misses += ml_outcome_served(e->outcome[i]) > 1;
	return true;
}

/* The cache holds all of A: only the first part misses, once for each of 256 lines. */
TEST(parts_share_the_caches_and_stages_see_each_piece_in_turn)
{
	static const struct ml_replay_part parts[] = { { 0, 2048 },
						       { 40960, 2 * 40960 },
						       { 100000, 100010 } };
	struct ml_replay_options o = replayed_options("L1 64K full 64B");
	struct carried c = { 0 };
	struct ml_pass passes[] = { { .batch = take_sum, .arg = &c, .stage = 3 },
				    { .batch = put_sum } };
	char text[2000] = "global A 0x10000 16384\n";
	struct ml_trace trace;
	struct ml_replay *r;
	struct ml_err err;

	for (unsigned i = 0; i < 50; i++)
		strcat(text, "r0x10000+8*2048 ");
	replayed_write(strcat(text, "\n"));
	o.want = 0;
	o.parts = parts;
	o.part_count = 3;
	o.places = true;
	o.along = sizeof(uint64_t);
	CHECK_OK(ml_trace_open(&trace, scratch(), &err), &err);
	CHECK_OK(ml_replay_open(&r, &trace, &o, &err), &err);
	CHECK_OK(ml_replay_run(r, passes, 2, &err), &err);
	CHECK_EQ(c.seen, 2048 + 40960 + 10);
	CHECK_EQ(c.wrong, 0);
	CHECK_EQ(c.misses, 256);
	/* 21 walks over all offsets, and ten from 8 * (100000 % 2048) on */
	CHECK_EQ(c.sum, 21 * 8 * (2047 * 2048 / 2) + 8 * (10 * 1696 + 45));
	ml_replay_close(r);
	ml_trace_close(&trace);
}
