/*
 * What a program under Valgrind tells: superblocks with the values of their bases.
 * Whatever tracks the companion makes of them, the trace has just the references that
 * they stand for, in that order. They are unrolled here by slow, obvious code.
 */
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "record/tracks/callers.h"
#include "record/reader/ring_reader.h"
#include "record/tracks/superblock_steps.h"
#include "record/ring.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { SHAPES = 12, SLOTS = 5, BASES = 3, MORE = 300 };

struct words {
	uint64_t *at;
	size_t count, cap;
	size_t *cut; /* places where a segment may end */
	size_t cuts, cut_cap;
};

struct log {
	struct ref {
		uint64_t addr, ip;
		uint16_t what, thread;
	} * at;
	size_t count, cap;
};

/* A superblock: slot i uses base[i], from which it is offset[i] away. */
struct block {
	unsigned slots, bases, exits;
	unsigned base[SLOTS], exit_slots[BASES], exit_bases[BASES];
	uint64_t offset[SLOTS], ip;
	uint16_t what[SLOTS];
	bool maybe; /* the last slot may not happen */
	bool plain; /* without registers; else any, which need not be true */
	bool brief; /* its steps are told so */
};

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

static void put(struct words *w, uint64_t word)
{
	w->at = ml_grow(w->at, &w->cap, w->count + 1, sizeof(*w->at));
	w->at[w->count++] = word;
}

static void cut(struct words *w)
{
	w->cut = ml_grow(w->cut, &w->cut_cap, w->cuts + 1, sizeof(*w->cut));
	w->cut[w->cuts++] = w->count;
}

/* Each new base begins with a slot at offset 0; an exit may stand before each but the
 * first. */
static struct block random_block(uint64_t ip)
{
	struct block b = { .ip = ip, .brief = random_below(3) };

	b.slots = 1 + (unsigned)random_below(SLOTS);
	for (unsigned i = 0; i < b.slots; i++) {
		bool fresh = !b.bases || (b.bases < BASES && random_below(2));

		if (fresh && b.bases && random_below(3) == 0) {
			b.exit_slots[b.exits] = i;
			b.exit_bases[b.exits++] = b.bases;
		}
		b.base[i] = fresh ? b.bases++ : (unsigned)random_below(b.bases);
		b.offset[i] = fresh ? 0 : 8 * random_below(64);
		b.what[i] = (uint16_t)(random_below(2) << 14 | 1u << random_below(4));
	}
	/* a slot that may not happen has a base of its own */
	if (b.slots < SLOTS && b.bases < BASES && random_below(6) == 0) {
		b.maybe = true;
		b.what[b.slots] = 8;
		b.base[b.slots++] = b.bases++;
	}
	return b;
}

static void put_block(struct words *w, uint32_t id, const struct block *b)
{
	unsigned effects = b->plain ? 0 : (unsigned)random_below(2);

	put(w,
	    ML_WORD(ML_WORD_SHAPE, 3 + b->bases + 3 * b->slots + b->exits + effects, id));
	put(w, b->ip);
	put(w, b->slots | (uint64_t)b->bases << 16 | (uint64_t)b->exits << 32 |
		       (uint64_t)effects << 48);
	/* with registers that it changes */
	put(w, random_below(256) | (uint64_t)b->brief << 24);
	for (unsigned i = 0; i < b->bases; i++)
		put(w, (!b->plain && random_below(3) ? random_below(8) : 0xff) |
			       random_below(64) << 32);
	for (unsigned i = 0; i < b->slots; i++) {
		put(w, b->ip + i);
		put(w, b->offset[i]);
		put(w, (b->what[i] & 0x3fffu) | (uint64_t)(b->what[i] >> 14) << 16 |
			       (uint64_t)(b->maybe && i == b->slots - 1) << 18 |
			       (uint64_t)b->base[i] << 32);
	}
	for (unsigned i = 0; i < b->exits; i++)
		put(w, b->exit_slots[i] | (uint64_t)b->exit_bases[i] << 32);
	if (effects)
		put(w, random_below(8) | random_below(b->bases) << 8 | 16ull << 32);
	cut(w);
}

/* It runs, and is left by an exit, or by none if that is `exits`. */
static void put_step(struct words *w, struct log *log, uint32_t id, const struct block *b,
		     unsigned exit, const uint64_t *value, uint16_t thread)
{
	bool whole = exit == b->exits;
	unsigned slots = whole ? b->slots : b->exit_slots[exit];
	unsigned bases = whole ? b->bases : b->exit_bases[exit];

	put(w, b->brief ? ML_WORD_BRIEF(id) | value[0] : ML_WORD(ML_WORD_STEP, 0, id));
	for (unsigned i = b->brief; i < bases; i++)
		put(w, value[i]);
	cut(w);
	for (unsigned i = 0; i < slots; i++) {
		if (b->maybe && i == b->slots - 1 && !value[b->base[i]])
			continue;
		log->at = ml_grow(log->at, &log->cap, log->count + 1, sizeof(*log->at));
		log->at[log->count++] = (struct ref){ value[b->base[i]] + b->offset[i],
						      b->ip + i, b->what[i], thread };
	}
}

/*
 * A program of loops, in whose steps most goes on as before: values stay, stride, keep
 * their distance from each other, or jump.
 */
static void run(struct words *w, struct log *log, unsigned steps)
{
	static const char *ways[] = { "0123", "45674567456", "89ab89", "0a" };
	struct block block[SHAPES];
	uint64_t value[SHAPES][BASES];
	uint16_t thread = 1;
	uint64_t index = 0x10000;

	for (unsigned i = 0; i < SHAPES; i++) {
		block[i] = random_block(0x400000 + 0x100 * i);
		put_block(w, i, &block[i]);
		for (unsigned k = 0; k < BASES; k++)
			value[i][k] = 0x1000 + 8 * random_below(1 << 20);
	}
	while (steps) {
		const char *way = ways[random_below(4)];
		unsigned rounds = (unsigned)random_below(60);

		for (unsigned n = 0; n < rounds && steps; n++) {
			index += 8;
			for (const char *c = way; *c && steps; c++, steps--) {
				unsigned id = *c <= '9' ? (unsigned)(*c - '0')
							: (unsigned)(*c - 'a') + 10;
				const struct block *b = &block[id];
				unsigned exit =
					random_below(20)
						? (id * 7) % (b->exits + 1)
						: (unsigned)random_below(b->exits + 1);

				for (unsigned k = 0; k < b->bases; k++)
					switch ((id + k) % 4) {
					case 0: value[id][k] = index + 64 * id; break;
					case 1: value[id][k] += 16; break;
					case 2:
						if (random_below(30) == 0)
							value[id][k] ^= 0x40;
						break;
					default:
						value[id][k] = 0x1000 +
							       8 * random_below(1 << 16);
					}
				if (b->maybe)
					value[id][b->bases - 1] *= random_below(2);
				put_step(w, log, id, b, exit, value[id], thread);
				if (random_below(40) == 0)
					break;
			}
		}
		if (random_below(50) == 0) {
			thread = (uint16_t)(1 + random_below(3));
			put(w, ML_WORD(ML_WORD_THREAD, 0, thread));
		}
		if (random_below(1000) == 0) { /* a number means something else */
			unsigned id = (unsigned)random_below(SHAPES);

			block[id] = random_block(block[id].ip + 0x10000);
			put_block(w, id, &block[id]);
		}
	}
}

/* Feeds the words in segments of about so many. */
static void record(const struct words *w, size_t segment)
{
	struct ml_record_options options = { .no_source = true };
	struct ml_err err;
	struct ml_ring_reader *d = ml_ring_reader_open(scratch(), &options, &err);
	size_t from = 0;

	CHECK(d);
	for (size_t i = 0; i < w->cuts; i++) {
		if (w->cut[i] - from < segment && i + 1 < w->cuts)
			continue;
		CHECK_OK(ml_ring_reader_feed(d, w->at + from, w->cut[i] - from, &err),
			 &err);
		from = w->cut[i];
	}
	CHECK_OK(ml_ring_reader_finish(d, false, &err), &err);
	CHECK(!ml_ring_reader_warning(d));
	ml_ring_reader_release(d);
}

static void check_same(const struct log *log)
{
	struct ml_trace t;
	struct ml_err err;
	struct ml_batch b;
	size_t at = 0;

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, log->count);
	struct ml_cursor *c = ml_cursor_open(&t, 0, t.count);
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++, at++) {
			const struct ref *r = &log->at[at];

			CHECK_EQ(b.addr[i], r->addr);
			CHECK_EQ(b.what[i], r->what);
			CHECK_EQ(b.thread[i], r->thread);
			CHECK_EQ(t.tables.sites.at[b.site[i]].ip, r->ip);
		}
	CHECK_EQ(at, log->count);
	ml_cursor_close(c);
	ml_trace_close(&t);
}

TEST(a_trace_has_just_what_superblocks_stand_for)
{
	for (seed = 1; seed <= 12; seed += 1) {
		struct words w = { 0 };
		struct log log = { 0 };
		uint64_t kept = seed;

		run(&w, &log, 200000);
		record(&w, kept % 3 ? 4000 : 300);
		check_same(&log);
		ml_free(w.at);
		ml_free(w.cut);
		ml_free(log.at);
		seed = kept;
	}
}

TEST(a_step_that_makes_no_sense_is_left_out_and_told)
{
	struct ml_record_options options = { .no_source = true };
	struct words w = { 0 };
	struct log log = { 0 };
	struct block b = { .slots = 1, .bases = 1, .ip = 0x400000, .what = { 8 } };
	struct ml_err err;

	put_block(&w, 0, &b);
	put_step(&w, &log, 0, &b, 0, (uint64_t[]){ 0x1000 }, 1);
	put(&w, ML_WORD(ML_WORD_STEP, 1, 0)); /* steps have no count */
	put(&w, ML_WORD(ML_WORD_STEP, 0, 1)); /* nor was this one declared */
	put_step(&w, &log, 0, &b, 0, (uint64_t[]){ 0x2000 }, 1);
	struct ml_ring_reader *d = ml_ring_reader_open(scratch(), &options, &err);
	CHECK(d);
	CHECK_OK(ml_ring_reader_feed(d, w.at, w.count, &err), &err);
	CHECK_OK(ml_ring_reader_finish(d, false, &err), &err);
	CHECK_STR(ml_ring_reader_warning(d),
		  "2 words of the recorder were malformed and were left out");
	ml_ring_reader_release(d);
	check_same(&log);
	ml_free(w.at);
	ml_free(w.cut);
	ml_free(log.at);
}

/* A loop of four superblocks that walk two arrays at the same pace. */
TEST(a_loop_whose_addresses_go_together_costs_next_to_nothing)
{
	struct words w = { 0 };
	struct log log = { 0 };
	struct block b[4];
	struct ml_trace t;
	struct ml_err err;

	for (unsigned i = 0; i < 4; i++) {
		b[i] = (struct block){ .slots = 2,
				       .bases = 2,
				       .base = { 0, 1 },
				       .ip = 0x400000 + 0x100 * i,
				       .plain = true,
				       .what = { 8, 8 } };
		put_block(&w, i, &b[i]);
	}
	for (uint64_t n = 0; n < 40000; n++)
		put_step(&w, &log, n % 4, &b[n % 4], 0,
			 (uint64_t[]){ 0x100000 + 8 * n, 0x900000 + 8 * n }, 1);
	record(&w, 4000);
	check_same(&log);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK(t.size < log.count / 10); /* with its tables: 80,000 references */
	ml_trace_close(&t);
	ml_free(w.at);
	ml_free(w.cut);
	ml_free(log.at);
}

/* x[i] and y[i] of which the elements are twice as large, with an i that jumps about. */
TEST(arrays_that_are_indexed_together_are_told_once)
{
	struct words w = { 0 };
	struct log log = { 0 };
	struct ml_trace t;
	struct ml_err err;
	struct block b = { .slots = 2,
			   .bases = 2,
			   .base = { 0, 1 },
			   .ip = 0x400000,
			   .plain = true,
			   .what = { 4, 8 } };

	put_block(&w, 0, &b);
	seed = 7;
	for (unsigned n = 0; n < 60000; n++) {
		uint64_t i = random_below(1 << 15);

		/* now and then it is not so, and what was learnt must not harm */
		put_step(&w, &log, 0, &b, 0,
			 (uint64_t[]){ 0x100000 + 4 * i,
				       0x900000 + 8 * i + (n % 97 ? 0 : 0x40000) },
			 1);
	}
	record(&w, 4000);
	check_same(&log);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	/* 17 bits for each i would be 127,500 bytes; the same for y twice that */
	CHECK(t.size < 170000);
	ml_trace_close(&t);
	ml_free(w.at);
	ml_free(w.cut);
	ml_free(log.at);
}

static bool is_brief(uint64_t id)
{
	return id % 3;
}

/* A superblock, with two addresses that stride, or jump. */
static void put_one(struct words *w, uint64_t id, uint64_t index)
{
	uint64_t first = 0x100000 + 8 * index + 64 * id;

	if (!is_brief(id))
		put(w, ML_WORD(ML_WORD_STEP, 0, id));
	put(w, first | (is_brief(id) ? ML_WORD_BRIEF(id) : 0));
	put(w, index % 50 ? 0x900000 + 16 * index : 0x700000 + 8 * index);
}

/* The superblocks of a string run. What the last one, z, does may not happen, and no
 * track goes on behind it. */
static void put_run(struct words *w, const char *run, uint64_t index)
{
	for (; *run; run++)
		put_one(w, (uint64_t)(*run - 'a'), index);
	cut(w);
}

/* What is told of them; by vectors or word by word. Returns how many steps. */
static size_t tell(const struct words *w, bool fast, struct ml_buf *out)
{
	struct ml_slot slot[2] = { { .what = 8, .base = 0 }, { .what = 8, .base = 1 } };
	struct ml_base base[2] = { { .state = ML_OWN_STATE, .reg = ML_NO_REG },
				   { .state = ML_OWN_STATE, .reg = ML_NO_REG } };
	struct ml_shape shape = {
		.slots = 2, .bases = 2, .slot = slot, .base = base, .user = true
	};
	struct ml_callers callers = { .user = true };
	uint32_t call[26 + MORE]; /* of each superblock; 0: none */
	struct ml_superblock_steps g;
	struct ml_writer *writer;
	struct ml_err err;
	size_t from = 0;

	CHECK_OK(ml_writer_open(&writer, scratch(), &err), &err);
	ml_superblock_steps_init(&g, writer);
	g.fast = g.fast && fast;
	for (uint32_t id = 0; id < 26 + MORE; id++) {
		slot[1].maybe = id == 25;
		call[id] = id % 4 ? 0 : id + 1;
		ml_superblock_steps_add(&g, id, &shape, &call[id], is_brief(id));
	}
	for (size_t i = 0; i < w->cuts; i++) {
		const uint64_t *at = w->at + from, *end = w->at + w->cut[i];

		if (w->cut[i] - from < 3000 && i + 1 < w->cuts)
			continue;
		CHECK_OK(ml_superblock_steps_take(&g, &callers, 0, &at, end, &err), &err);
		CHECK(at == end);
		ml_buf_put(out, &callers.last_call, sizeof(callers.last_call));
		from = w->cut[i];
	}
	const struct ml_steps *told = ml_writer_collected(writer);
	size_t count = told->count;
	ml_buf_put(out, told->at, told->count * sizeof(*told->at));
	ml_buf_put(out, told->value, told->values * sizeof(*told->value));
	ml_superblock_steps_release(&g);
	ml_writer_abandon(writer);
	return count;
}

TEST(vectors_tell_the_same_steps_as_word_by_word)
{
	static const char *runs[] = {
		"abcd", "abce", "abfgh", "aijkl", "mnop", "mnopqrs"
	};
	struct ml_buf fast = { 0 }, plain = { 0 };
	struct words w = { 0 };

	seed = 3;
	for (uint64_t i = 0; i < 40000; i++)
		put_run(&w, runs[random_below(random_below(6) + 1)], i);
	CHECK_EQ(tell(&w, true, &fast), tell(&w, false, &plain));
	CHECK_EQ(fast.size, plain.size);
	CHECK(!memcmp(fast.data, plain.data, fast.size));
	ml_buf_release(&fast);
	ml_buf_release(&plain);
	ml_free(w.at);
	ml_free(w.cut);
}

/* How many steps it takes to tell runs, each chosen by a draw from a string. */
static size_t steps_of(const char *const *runs, const char *draw, unsigned count)
{
	struct ml_buf told = { 0 };
	struct words w = { 0 };

	seed = 5;
	for (uint64_t i = 0; i < count; i++)
		put_run(&w, runs[draw[random_below(strlen(draw))] - '0'], i);
	size_t steps = tell(&w, true, &told);
	ml_buf_release(&told);
	ml_free(w.at);
	ml_free(w.cut);
	return steps;
}

TEST(a_track_is_the_way_that_most_runs_take)
{
	const char *runs[] = { "abcdefghz", "aijkz" };

	/* nine of ten go one way: a step for each, one for its z, one more for others */
	CHECK(steps_of(runs, "0000000001", 40000) < 40000 * 22 / 10);
}

TEST(runs_that_part_ways_have_tracks_side_by_side)
{
	const char *runs[] = { "abcdefghz", "abijklmnz", "aopqrstuz" };

	/* two steps for a run; with one track it would be three for two of three */
	CHECK(steps_of(runs, "012", 40000) < 40000 * 22 / 10);
}

/* More superblocks than can be looked at together were hot, and run no more. */
TEST(what_is_hot_no_more_does_not_keep_others_from_having_tracks)
{
	struct ml_buf told = { 0 };
	struct words w = { 0 };

	for (uint64_t id = 26; id < 26 + MORE; id++)
		for (uint64_t n = 0; n < 303; n++) { /* 300 begin to be looked at */
			put_one(&w, id, n);
			cut(&w);
		}
	for (uint64_t i = 0; i < 130000; i++)
		put_run(&w, "abc", i);
	CHECK(tell(&w, true, &told) < MORE * 303 + 3 * 110000);
	ml_buf_release(&told);
	ml_free(w.at);
	ml_free(w.cut);
}
