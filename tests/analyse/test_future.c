/*
 * opt and pes against slow, obvious caches that search the rest of the stream for the
 * next use; and hints after a state was restored.
 */
#include "lib/analyse/passes/future.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/cache/engine.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

static void write_text(const char *text)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

/* Loops and jumps over a few lines, with accesses that overlap two of them. */
static void write_random(size_t count, uint64_t lines)
{
	struct ml_writer *w;
	struct ml_err err;
	uint64_t at = 0;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	for (size_t i = 0; i < count; i++) {
		struct ml_ref ref = { .thread = 1 };

		at = random_below(4) ? (at + 24) % (lines * 64)
				     : random_below(lines * 64);
		ref.addr = 0x10000 + at;
		ref.what = ml_what((enum ml_kind)random_below(3), 1u << random_below(6));
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

static struct ml_replay_options options(const char *machine)
{
	struct ml_replay_options o = { 0 };
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&o.machine, machine, &err), &err);
	return o;
}

/* Simulates [from, to) of the trace. */
static void run(struct ml_engine *s, struct ml_trace *t, uint64_t from, uint64_t to,
		uint16_t *outcome)
{
	struct ml_cursor *c = ml_cursor_open(t, from, to);
	struct ml_batch b;
	struct ml_err err;

	while (ml_cursor_next(c, &b, &err)) {
		struct ml_accesses a = { .count = b.count,
					 .addr = b.addr,
					 .what = b.what };

		CHECK_OK(ml_engine_run(s, &a, outcome + (b.time - from), &err), &err);
	}
	ml_cursor_close(c);
}

/* Lines asked for, numbered in the order in which the machine is asked. */
struct stream {
	struct request {
		uint64_t line, order;
	} * at;
	size_t count, cap;
};

static void push(struct stream *s, struct request r)
{
	s->at = ml_grow(s->at, &s->cap, s->count + 1, sizeof(*s->at));
	s->at[s->count++] = r;
}

static struct stream merged(const struct stream *a, const struct stream *b)
{
	struct stream s = { 0 };

	for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
		bool first = k == b->count ||
			     (i < a->count && a->at[i].order < b->at[k].order);

		push(&s, first ? a->at[i++] : b->at[k++]);
	}
	return s;
}

struct slow {
	unsigned sets, ways;
	enum { LRU, OPT, PES } policy;
};

/* How much a policy wants to be rid of a line that was used last at `used`. */
static uint64_t unwanted(const struct slow *c, const struct stream *in, size_t now,
			 uint64_t line, size_t used)
{
	size_t next = now + 1;

	if (c->policy == LRU)
		return SIZE_MAX - used;
	while (next < in->count && in->at[next].line != line)
		next++;
	return c->policy == OPT ? next : SIZE_MAX - next;
}

/* One cache, fed with a stream; what it misses is the stream of the next one. */
static struct stream slow_run(const struct slow *c, const struct stream *in)
{
	uint64_t held[64];
	size_t used[64] = { 0 }; /* + 1; 0 is an empty way */
	struct stream missed = { 0 };

	assert_true(c->sets * c->ways <= 64);
	for (size_t i = 0; i < in->count; i++) {
		uint64_t line = in->at[i].line, most = 0;
		size_t first = line % c->sets * c->ways, place = first;
		bool hit = false;

		for (size_t w = first; w < first + c->ways; w++)
			if (used[w] && held[w] == line) {
				hit = true;
				place = w;
			}
		for (size_t w = first; !hit && w < first + c->ways; w++) {
			uint64_t u = used[w] ? unwanted(c, in, i, held[w], used[w])
					     : UINT64_MAX;

			if (u > most) {
				most = u;
				place = w;
			}
		}
		held[place] = line;
		used[place] = i + 1;
		if (!hit)
			push(&missed, in->at[i]);
	}
	return missed;
}

static void streams_of(struct ml_trace *t, uint64_t from, uint64_t to, bool split,
		       struct stream *data, struct stream *fetches)
{
	struct ml_cursor *c = ml_cursor_open(t, from, to);
	struct ml_batch b;
	struct ml_err err;
	uint64_t order = 0;

	*data = *fetches = (struct stream){ 0 };
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++) {
			bool fetch = split && ml_what_kind(b.what[i]) == ML_FETCH;
			uint64_t line = b.addr[i] / 64;
			uint64_t last = (b.addr[i] + ml_what_size(b.what[i]) - 1) / 64;

			for (; line <= last; line++)
				push(fetch ? fetches : data,
				     (struct request){ line, order++ });
		}
	ml_cursor_close(c);
}

static uint64_t missed(const struct ml_engine *s, unsigned level)
{
	struct ml_level_counts c;
	const uint64_t *m = c.missed;

	ml_engine_counts(s, level, &c);

	return m[0] + m[1] + m[2];
}

/* L1 has 4 sets of 2 ways, L1i is one line, L2 has 4 sets of 4, L3 4 sets of 8. */
static void compare(const char *machine, const struct slow level[3], uint64_t from,
		    uint64_t to)
{
	struct ml_replay_options o = options(machine);
	const struct slow icache = { 1, 1, LRU };
	struct stream data, fetches;
	struct ml_future *f;
	struct ml_trace t;
	struct ml_err err;

	o.from = from;
	o.to = to;
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK(ml_future_needed(&o.machine));
	CHECK_OK(ml_future_open(&f, &t, &o, &err), &err);
	struct ml_engine *s =
		ml_engine_open(&o.machine, &(struct ml_engine_job){ .slow = true }, &err);
	CHECK(s);
	CHECK_OK(ml_future_attach(f, s, &err), &err);
	uint16_t *outcome = ml_resize(NULL, t.count * sizeof(*outcome));
	run(s, &t, from, to ? to : t.count, outcome);

	streams_of(&t, from, to ? to : t.count, o.machine.split, &data, &fetches);
	struct stream first = slow_run(&level[0], &data);
	struct stream also = slow_run(&icache, &fetches);
	struct stream asked = merged(&first, &also);
	struct stream second = slow_run(&level[1], &asked);
	struct stream third = slow_run(&level[2], &second);
	CHECK_EQ(missed(s, 1), first.count);
	CHECK_EQ(missed(s, 2), second.count);
	CHECK_EQ(missed(s, 3), third.count);
	struct stream *all[] = {
		&data, &fetches, &first, &also, &asked, &second, &third
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ml_free(all[i]->at);
	ml_free(outcome);
	ml_engine_close(s);
	ml_future_close(f);
	ml_trace_close(&t);
}

#define L1 "L1 512 2w 64B "
#define L2 " | L2 1K 4w 64B "
#define L3 " | L3 2K 8w 64B "

static const struct slow opt_lru_lru[] = { { 4, 2, OPT }, { 4, 4, LRU }, { 4, 8, LRU } };
static const struct slow pes_lru_lru[] = { { 4, 2, PES }, { 4, 4, LRU }, { 4, 8, LRU } };
static const struct slow lru_opt_lru[] = { { 4, 2, LRU }, { 4, 4, OPT }, { 4, 8, LRU } };
static const struct slow lru_lru_pes[] = { { 4, 2, LRU }, { 4, 4, LRU }, { 4, 8, PES } };
static const struct slow opt_pes_opt[] = { { 4, 2, OPT }, { 4, 4, PES }, { 4, 8, OPT } };

static void compare_all(uint64_t from, uint64_t to)
{
	compare(L1 "opt" L2 "lru" L3 "lru", opt_lru_lru, from, to);
	compare(L1 "pes" L2 "lru" L3 "lru", pes_lru_lru, from, to);
	compare(L1 "lru" L2 "opt" L3 "lru", lru_opt_lru, from, to);
	compare(L1 "lru" L2 "lru" L3 "pes", lru_lru_pes, from, to);
	compare(L1 "opt" L2 "pes" L3 "opt", opt_pes_opt, from, to);
}

TEST(misses_are_those_of_a_slow_search_at_every_level)
{
	write_random(4000, 60);
	compare_all(0, 0);
	write_random(3000, 200);
	compare_all(0, 0);
}

TEST(the_future_of_a_window_ends_where_the_window_does)
{
	write_random(4000, 60);
	compare_all(1000, 2500);
}

TEST(fetches_go_to_their_own_first_level_and_meet_data_behind_it)
{
	write_random(3000, 60);
	compare("L1i 64 1w 64B lru | " L1 "opt" L2 "opt" L3 "lru",
		(const struct slow[]){ { 4, 2, OPT }, { 4, 4, OPT }, { 4, 8, LRU } }, 0,
		0);
}

TEST(a_window_over_the_end_of_a_chunk_is_read_across_it)
{
	const uint64_t chunk = 1 << 20;
	struct ml_trace t;
	struct ml_err err;

	write_random((size_t)chunk + 3000, 60);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.chunk_count, 2);
	CHECK_EQ(t.chunks[1].time, chunk);
	ml_trace_close(&t);
	compare(L1 "opt" L2 "pes" L3 "opt", opt_pes_opt, chunk - 1000, chunk + 1500);
}

/* Misses of a level of a whole simulation. */
static uint64_t misses_of(struct ml_trace *t, const char *machine, unsigned level)
{
	struct ml_replay_options o = options(machine);
	struct ml_future *f;
	struct ml_err err;

	CHECK_OK(ml_future_open(&f, t, &o, &err), &err);
	struct ml_engine *s =
		ml_engine_open(&o.machine, &(struct ml_engine_job){ .slow = true }, &err);
	uint16_t *outcome = ml_resize(NULL, t->count * sizeof(*outcome));
	CHECK_OK(ml_future_attach(f, s, &err), &err);
	run(s, t, 0, t->count, outcome);
	uint64_t count = missed(s, level);
	ml_free(outcome);
	ml_engine_close(s);
	ml_future_close(f);
	return count;
}

/*
 * Behind a cache of one line comes what was asked for, without what repeats at once.
 * Such repetitions always hit, so the cache behind misses as often as if it were alone.
 * There are more than 2^18 requests, which go to the temporary file in two blocks.
 */
TEST(behind_one_line_a_level_misses_as_if_it_were_alone)
{
	struct ml_trace t;
	struct ml_err err;

	write_random(700000, 1000);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(misses_of(&t, "L1 64 1w 64B | L2 16K 4w opt", 2),
		 misses_of(&t, "L1 16K 4w 64B opt", 1));
	CHECK(misses_of(&t, "L1 64 1w 64B | L2 16K 4w opt", 1) > 1 << 18);
	ml_trace_close(&t);
}

/*
 * A cache of two lines, over 1 2 3 1 2: opt keeps what comes back soonest. 1 and 2
 * come in; 3 drives out 2, whose next use is later; 1 hits; 2 misses: four misses.
 * pes drives out 1 for 3, then 2, which is wanted next, for 1, and misses all five.
 */
TEST(five_references_by_hand)
{
	static const struct {
		const char *machine;
		uint64_t misses;
	} cases[] = { { "L1 128 2w 64B opt", 4 }, { "L1 128 2w 64B pes", 5 } };

	write_text("r64 r128 r192 r64 r128");
	for (int i = 0; i < 2; i++) {
		struct ml_replay_options o = options(cases[i].machine);
		struct ml_future *f;
		struct ml_trace t;
		struct ml_err err;
		uint16_t outcome[5];

		CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
		CHECK_OK(ml_future_open(&f, &t, &o, &err), &err);
		struct ml_engine *s = ml_engine_open(
			&o.machine, &(struct ml_engine_job){ .slow = true }, &err);
		CHECK_OK(ml_future_attach(f, s, &err), &err);
		run(s, &t, 0, 5, outcome);
		CHECK_EQ(missed(s, 1), cases[i].misses);
		ml_engine_close(s);
		ml_future_close(f);
		ml_trace_close(&t);
	}
}

TEST(a_restored_state_goes_on_with_the_hints_of_its_place)
{
	struct ml_replay_options o = options(L1 "opt" L2 "opt" L3 "lru");
	struct ml_buf middle = { 0 }, end = { 0 }, again = { 0 };
	struct ml_future *f;
	struct ml_trace t;
	struct ml_err err;

	write_random(5000, 100);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_OK(ml_future_open(&f, &t, &o, &err), &err);
	uint16_t outcome[5000], later[3000];
	struct ml_engine *s =
		ml_engine_open(&o.machine, &(struct ml_engine_job){ .slow = true }, &err);
	CHECK_OK(ml_future_attach(f, s, &err), &err);
	run(s, &t, 0, 2000, outcome);
	ml_engine_save(s, &middle);
	run(s, &t, 2000, 5000, outcome + 2000);
	ml_engine_save(s, &end);

	struct ml_bytes in = { middle.data, middle.data + middle.size, false };
	CHECK_OK(ml_engine_restore(s, &in, &err), &err);
	CHECK_OK(ml_future_attach(f, s, &err), &err);
	run(s, &t, 2000, 5000, later);
	ml_engine_save(s, &again);
	CHECK_EQ(again.size, end.size);
	CHECK(!memcmp(again.data, end.data, end.size));
	CHECK(!memcmp(later, outcome + 2000, sizeof(later)));
	ml_buf_release(&middle);
	ml_buf_release(&end);
	ml_buf_release(&again);
	ml_engine_close(s);
	ml_future_close(f);
	ml_trace_close(&t);
}

TEST(only_machines_with_opt_or_pes_need_the_future)
{
	struct ml_replay_options lru = options("L1 1K 2w");
	struct ml_replay_options pes = options("L1 1K 2w | L2 4K 4w pes");

	CHECK(!ml_future_needed(&lru.machine));
	CHECK(ml_future_needed(&pes.machine));
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

TEST(preparation_stops_when_asked_to)
{
	struct ml_replay_options o = options(L1 "opt");
	struct ml_work work = { .cancelled = always };
	struct ml_future *f;
	struct ml_trace t;
	struct ml_err err;

	write_random(1000, 60);
	o.work = &work;
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_FAILS(ml_future_open(&f, &t, &o, &err), &err, "stopped");
	CHECK_EQ(err.kind, ML_STOPPED);
	ml_trace_close(&t);
}
