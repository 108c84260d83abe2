/*
 * The trace file: references read back as written, whole, in parts, by several threads;
 * and whatever happens to the file, a prefix of it opens or a sentence says why
 * not. Random steps are unrolled here by slow, obvious code.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/format.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

struct log {
	struct ml_ref *at;
	size_t count, cap;
};

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* Room for the parts of one random shape. */
struct parts {
	struct ml_shape shape;
	struct ml_slot slot[12];
	struct ml_base base[12];
	struct ml_exit exit[4];
	struct ml_effect effect[3];
};

static void random_shape(struct parts *p, uint32_t sites)
{
	struct ml_shape *s = &p->shape;

	memset(p, 0, sizeof(*p));
	s->slot = p->slot;
	s->base = p->base;
	s->exit = p->exit;
	s->effect = p->effect;
	s->user = random_below(2);
	s->clobber = (uint16_t)random_below(1 << ML_REGS);
	unsigned slots = (unsigned)random_below(12) + 1;
	for (unsigned i = 0; i < slots; i++) {
		struct ml_slot *slot = &p->slot[i];

		slot->site = (uint32_t)random_below(sites);
		slot->what = ml_what(random_below(2) ? ML_READ : ML_WRITE,
				     1u << random_below(4));
		switch (random_below(4)) {
		case 0: /* a constant address */
			slot->base = ML_NO_BASE;
			slot->offset = 0x600000 + random_below(100) * 8;
			break;
		case 1:
			if (s->bases) {
				slot->base = (uint16_t)random_below(s->bases);
				slot->offset = random_below(64) - 32;
				break;
			}
			/* fall through */
		default:
			slot->base = s->bases++;
			slot->maybe = !random_below(10);
			p->base[slot->base].state = ML_OWN_STATE;
			p->base[slot->base].reg =
				random_below(2) ? ML_NO_REG
						: (uint8_t)random_below(ML_REGS);
			p->base[slot->base].delta = (int32_t)random_below(100) - 50;
		}
		s->slots++;
		unsigned last = s->exits ? p->exit[s->exits - 1].bases : 0;
		if (s->exits < 4 && s->bases > last && !random_below(4))
			p->exit[s->exits++] = (struct ml_exit){ .slots = s->slots,
								.bases = s->bases,
								.clobber = s->clobber };
	}
	while (s->exits && p->exit[s->exits - 1].bases == s->bases)
		s->exits--;
	for (unsigned i = 0; i < 3 && s->bases; i++) {
		uint8_t reg = (uint8_t)(i * 5 + random_below(5));

		p->effect[s->effects++] =
			(struct ml_effect){ reg, (uint16_t)random_below(s->bases),
					    (int32_t)random_below(200) - 100 };
		s->clobber |= (uint16_t)(1u << reg);
	}
}

static void expect(struct log *log, const struct ml_shape *s, unsigned slots,
		   const uint64_t *value, uint16_t thread, uint32_t caller)
{
	for (unsigned i = 0; i < slots; i++) {
		const struct ml_slot *slot = &s->slot[i];
		uint64_t base = slot->base == ML_NO_BASE ? 0 : value[slot->base];

		if (slot->maybe && !base)
			continue;
		log->at = ml_grow(log->at, &log->cap, log->count + 1, sizeof(*log->at));
		log->at[log->count] = (struct ml_ref){ log->count, base + slot->offset,
						       slot->site, s->user ? 0 : caller,
						       thread,     slot->what };
		log->count++;
	}
}

enum { SHAPES = 40, SITES = 30 };

/* Writes random steps: loops of a few shapes with strides, broken by random jumps. */
static void write_random(const char *path, struct log *log, size_t steps)
{
	static struct parts parts[SHAPES];
	uint64_t value[12], at[SHAPES] = { 0 };
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, path, &err), &err);
	for (int i = 1; i < SITES; i++)
		ml_tables_place(ml_writer_tables(w), "f", "f.c", (uint32_t)i);
	for (int i = 0; i < SHAPES; i++) {
		random_shape(&parts[i], SITES);
		CHECK_EQ(ml_writer_shape(w, &parts[i].shape), i);
	}
	uint16_t thread = 1;
	uint32_t caller = 0;
	size_t now = 0;
	for (size_t k = 0; k < steps; k++) {
		if (!random_below(1000))
			ml_writer_thread(w, thread = (uint16_t)random_below(3));
		if (!random_below(20))
			caller = (uint32_t)random_below(SITES);
		now = random_below(9) ? (now + 1) % 5 : random_below(SHAPES);
		const struct ml_shape *s = &parts[now].shape;
		unsigned exit = random_below(6) ? s->exits
						: (unsigned)random_below(s->exits + 1u);
		unsigned slots = exit == s->exits ? s->slots : s->exit[exit].slots;
		unsigned bases = exit == s->exits ? s->bases : s->exit[exit].bases;
		at[now] += 8 * now;
		for (unsigned i = 0; i < bases; i++)
			value[i] = random_below(20)
					   ? 0x10000 * i + at[now] + 1
					   : random_below(1ull << 31) << random_below(17);
		for (unsigned i = 0; i < s->slots; i++)
			if (s->slot[i].maybe && random_below(2))
				value[s->slot[i].base] = 0;
		expect(log, s, slots, value, thread, caller);
		struct ml_step step = { ml_writer_path(w, (uint32_t)now, bases), caller,
					value };
		CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
	}
	CHECK_EQ(ml_writer_time(w), log->count);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

struct check {
	const struct log *log;
	uint64_t next;
};

static bool same(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct check *c = arg;

	(void)err;
	CHECK_EQ(b->time, c->next);
	CHECK(b->count && b->count <= ML_BATCH);
	for (size_t i = 0; i < b->count; i++) {
		struct ml_ref have = ml_batch_ref(b, i), want = c->log->at[c->next++];

		if (memcmp(&have, &want, sizeof(have)) != 0) {
			CHECK_EQ(have.time, want.time);
			CHECK_EQ(have.addr, want.addr);
			CHECK_EQ(have.site, want.site);
			CHECK_EQ(have.caller, want.caller);
			CHECK_EQ(have.thread, want.thread);
			CHECK_EQ(have.what, want.what);
		}
	}
	return true;
}

static void check_window(const struct ml_trace *t, const struct log *log, uint64_t from,
			 uint64_t to, unsigned threads)
{
	struct check c = { log, from };
	struct ml_err err = { 0 };

	CHECK_OK(ml_trace_each(t, from, to, threads, same, &c, &err), &err);
	CHECK_EQ(c.next, to);
}

TEST(random_steps_come_back_as_the_references_they_stand_for)
{
	struct ml_trace t;
	struct ml_err err;

	for (seed = 1; seed < 4000; seed += 777) {
		struct log log = { 0 };

		write_random(scratch(), &log, 3000 + random_below(3000));
		CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
		CHECK_EQ(t.count, log.count);
		CHECK(t.whole);
		check_window(&t, &log, 0, log.count, 0);
		ml_trace_close(&t);
		ml_free(log.at);
	}
}

TEST(any_window_of_many_chunks_is_read_in_order_by_any_number_of_threads)
{
	struct log log = { 0 };
	struct ml_trace t;
	struct ml_err err;

	seed = 5;
	write_random(scratch(), &log, 700000);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK(t.chunk_count > 3);
	check_window(&t, &log, 0, log.count, 0);
	check_window(&t, &log, 0, log.count, 3);
	for (int i = 0; i < 8; i++) {
		uint64_t from = random_below(log.count);

		check_window(&t, &log, from, from + random_below(log.count - from),
			     (unsigned)i % 3);
	}
	uint64_t edge = t.chunks[1].time;
	check_window(&t, &log, edge - 1, edge + 1, 2);
	check_window(&t, &log, edge, edge, 0);
	ml_trace_close(&t);
	ml_free(log.at);
}

/* A small trace with one of everything; returns its bytes. */
static uint8_t *small_trace(size_t *size, struct ml_arena *a)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *tables = ml_writer_tables(w);
	uint32_t site = ml_tables_place(tables, "main", "a.c", 7);
	struct ml_region *r = ML_ADD(tables->regions);
	r->kind = ML_REGION_HEAP;
	r->name = ml_tables_name(tables, "A");
	r->elem = 8;
	ml_tables_meta(tables, "command", "a.out");
	ml_writer_alloc(w, 1, 0x1000, 256);
	for (int round = 0; round < 3; round++) {
		ml_writer_mark(w, ML_MARK_BEGIN, "round");
		ml_writer_state(w, "n", -round);
		for (uint64_t i = 0; i < 32; i++) {
			struct ml_ref ref = { .addr = 0x1000 + 8 * i,
					      .site = site,
					      .thread = 1,
					      .what = ml_what(ML_WRITE, 8) };
			CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
		}
		ml_writer_mark(w, ML_MARK_END, "round");
		ml_writer_gap(w, 5, ML_GAP_SAMPLING);
		CHECK_OK(ml_writer_send(w, &err), &err);
	}
	ml_writer_free(w, 0x1000);
	ml_writer_source(w, "a.c", "int main;\n", 10);
	CHECK_OK(ml_writer_close(w, &err), &err);
	char *bytes;
	CHECK_OK(ml_file_read(scratch(), 1 << 20, a, &bytes, size, &err), &err);
	return (uint8_t *)bytes;
}

static void write_file(const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(scratch(), "wb");

	CHECK(f && fwrite(bytes, 1, size, f) == size);
	fclose(f);
}

static uint64_t count_refs(const struct ml_trace *t, struct ml_err *err)
{
	struct ml_cursor *c = ml_cursor_open(t, 0, t->count);
	struct ml_batch b;
	uint64_t n = 0;

	while (ml_cursor_next(c, &b, err)) {
		for (size_t i = 0; i < b.count; i++)
			CHECK_EQ(b.addr[i], 0x1000 + 8 * ((n + i) % 32));
		n += b.count;
	}
	ml_cursor_close(c);
	return n;
}

TEST(tables_marks_states_gaps_blocks_and_sources_come_back)
{
	struct ml_arena a = { 0 };
	struct ml_trace t;
	struct ml_err err;
	size_t size;

	small_trace(&size, &a);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(count_refs(&t, &err), 96);
	CHECK_EQ(t.tables.marks.count, 6);
	CHECK_EQ(t.tables.marks.at[1].time, 32);
	CHECK_EQ(t.tables.states.at[2].value, -2);
	CHECK_EQ(t.tables.gaps.count, 3);
	CHECK_EQ(t.tables.gaps.at[1].time, 64);
	CHECK_EQ(t.tables.gaps.at[1].count, 5);
	CHECK_STR(ml_tables_meta_find(&t.tables, "command"), "a.out");
	CHECK_OK(ml_trace_load_blocks(&t, &err), &err);
	CHECK_EQ(t.block_count, 1);
	CHECK_EQ(t.blocks[0].until, 96);
	CHECK_STR(ml_tables_text(&t.tables, t.tables.regions.at[1].name), "A");
	CHECK_STR(ml_trace_source(&t, "a.c", &size, &a), "int main;\n");
	CHECK(!ml_trace_source(&t, "b.c", &size, &a));
	ml_trace_close(&t);
	ml_arena_release(&a);
}

TEST(batches_end_at_gaps)
{
	struct ml_writer *w;
	struct ml_trace t;
	struct ml_err err;
	struct ml_batch b;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	for (uint64_t i = 0; i < 100; i++) {
		struct ml_ref ref = { .addr = 0x1000 + 8 * (i % 32), .thread = 1 };

		if (i % 40 == 10) {
			ml_writer_gap(w, 1, ML_GAP_SAMPLING);
			ml_writer_gap(w, 2, ML_GAP_SAMPLING);
		}
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.tables.gaps.count, 3);
	CHECK_EQ(t.tables.gaps.at[1].count, 3);
	struct ml_cursor *c = ml_cursor_open(&t, 5, 95);
	const uint64_t ends[] = { 10, 50, 90, 95 };
	for (int i = 0; i < 4; i++) {
		CHECK(ml_cursor_next(c, &b, &err));
		CHECK_EQ(b.time + b.count, ends[i]);
	}
	CHECK(!ml_cursor_next(c, &b, &err));
	ml_cursor_close(c);
	CHECK_EQ(count_refs(&t, &err), 100);
	ml_trace_close(&t);
}

TEST(a_file_cut_at_any_byte_opens_as_a_shorter_trace_or_says_why_not)
{
	struct ml_arena a = { 0 };
	size_t size;
	uint8_t *bytes = small_trace(&size, &a);
	uint64_t before = 0;

	for (size_t cut = 0; cut < size; cut++) {
		struct ml_trace t;
		struct ml_err err = { 0 };

		write_file(bytes, cut);
		if (!ml_trace_open(&t, scratch(), &err)) {
			CHECK(cut < ML_FORMAT_HEADER);
			CHECK(strstr(err.text, scratch()));
			continue;
		}
		CHECK(!t.whole);
		uint64_t n = count_refs(&t, &err);
		CHECK_EQ(err.kind, ML_OK);
		CHECK_EQ(n, t.count);
		CHECK(n >= before && n % 32 == 0);
		before = n;
		ml_trace_close(&t);
	}
	CHECK_EQ(before, 96);
	ml_arena_release(&a);
}

TEST(a_flipped_byte_never_yields_wrong_references_silently)
{
	struct ml_arena a = { 0 };
	size_t size;
	uint8_t *bytes = small_trace(&size, &a);

	for (size_t at = 0; at < size; at++) {
		struct ml_trace t;
		struct ml_err err = { 0 };

		bytes[at] ^= 0x40;
		write_file(bytes, size);
		bytes[at] ^= 0x40;
		if (!ml_trace_open(&t, scratch(), &err)) {
			CHECK(err.text[0]);
			continue;
		}
		uint64_t n = count_refs(&t, &err);
		if (err.kind != ML_OK)
			CHECK(strstr(err.text, "byte "));
		else
			CHECK(n == t.count && (n == 96 || !t.whole));
		ml_trace_close(&t);
	}
	ml_arena_release(&a);
}

TEST(foreign_files_and_later_versions_are_refused_with_a_reason)
{
	struct ml_arena a = { 0 };
	struct ml_trace t;
	struct ml_err err;
	size_t size;
	uint8_t *bytes = small_trace(&size, &a);

	bytes[8] = 9;
	write_file(bytes, size);
	CHECK_FAILS(ml_trace_open(&t, scratch(), &err), &err, "version 9 is newer");
	write_file((const uint8_t *)"#!/bin/sh\n", 10);
	CHECK_FAILS(ml_trace_open(&t, scratch(), &err), &err, "not a memlamp trace");
	write_file(bytes, 0);
	CHECK_FAILS(ml_trace_open(&t, scratch(), &err), &err, "not a memlamp trace");
	CHECK_FAILS(ml_trace_open(&t, "/nonexistent/x.mlt", &err), &err,
		    "/nonexistent/x.mlt");
	CHECK_FAILS(ml_trace_open(&t, "/tmp", &err), &err, "/tmp");
	ml_arena_release(&a);
}

TEST(a_full_disk_is_reported_and_leaves_a_readable_prefix)
{
	struct rlimit old, small = { .rlim_cur = 200000 };
	struct ml_writer *w;
	struct ml_trace t;
	struct ml_err err;
	bool ok = true;

	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	seed = 3;
	for (int i = 0; i < 4000000 && ok; i++) {
		/* the first chunk is small, the second is not */
		struct ml_ref ref = { .addr = i < 1100000 ? 0x1000
							  : random_below(1ull << 30),
				      .thread = 1,
				      .what = ml_what(ML_READ, 8) };

		ok = ml_writer_ref(w, &ref, &err);
	}
	/* chunks are written behind our back: the failure may show only at the end */
	if (ok)
		ok = ml_writer_close(w, &err);
	else
		ml_writer_abandon(w);
	CHECK(!ok);
	CHECK(strstr(err.text, "File too large") || strstr(err.text, "earlier write"));
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK(!t.whole && t.size <= 200000);
	CHECK_EQ(t.count, ML_CHUNK);
	ml_trace_close(&t);
}

/* Eight conditional accesses, each with a chance of `happens` per cent: a chunk has more
 * values than references. */
static void write_masked(uint64_t steps, uint64_t happens, struct log *log)
{
	struct ml_slot slot[8];
	struct ml_base base[8];
	struct ml_shape shape = { .slots = 8, .bases = 8, .slot = slot, .base = base };
	struct ml_writer *w;
	struct ml_err err;

	for (uint16_t i = 0; i < 8; i++) {
		slot[i] = (struct ml_slot){ .what = 8, .base = i, .maybe = true };
		base[i] = (struct ml_base){ .state = ML_OWN_STATE, .reg = ML_NO_REG };
	}
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	uint32_t number = ml_writer_shape(w, &shape);
	for (uint64_t i = 0; i < steps; i++) {
		uint64_t value[8];
		struct ml_step step = { ml_writer_path(w, number, 8), 0, value };

		for (int k = 0; k < 8; k++)
			value[k] = random_below(100) < happens
					   ? random_below(1ull << 40) + 1
					   : 0;
		expect(log, &shape, 8, value, 1, 0);
		CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

TEST(accesses_that_do_not_happen_take_room_but_no_time)
{
	static const uint64_t happens[] = { 0, 10, 50 };

	for (int i = 0; i < 3; i++) {
		struct log log = { 0 };
		struct ml_trace t;
		struct ml_err err;

		seed = 9;
		write_masked(300000, happens[i], &log);
		CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
		CHECK(t.whole);
		check_window(&t, &log, 0, log.count, 0);
		ml_trace_close(&t);
		ml_free(log.at);
	}
}

/* Are these the references of an encoded chunk? */
static void check_chunk(const struct ml_shapes *shapes, const struct ml_buf *chunk,
			const struct ml_ref *want, size_t count)
{
	static uint64_t addr[ML_BATCH + 4];
	static uint32_t site[ML_BATCH + 4], caller[ML_BATCH + 4];
	static uint16_t thread[ML_BATCH + 4], what[ML_BATCH + 4];
	struct ml_columns out = { .addr = addr,
				  .site = site,
				  .caller = caller,
				  .thread = thread,
				  .what = what };
	struct ml_decoder *d = ml_decoder_open(shapes, 1000);
	struct ml_err err;
	size_t n = 0, wrong = 0;

	CHECK_OK(ml_decoder_start(d, chunk->data, chunk->size, count, &err), &err);
	for (size_t done = 0;; done += n) {
		CHECK_OK(ml_decoder_next(d, &out, ML_BATCH, &n, &err), &err);
		CHECK(done + n <= count);
		if (!n) {
			CHECK_EQ(done, count);
			break;
		}
		for (size_t i = 0; i < n; i++) {
			const struct ml_ref *w = &want[done + i];

			wrong += addr[i] != w->addr || site[i] != w->site ||
				 caller[i] != w->caller || thread[i] != w->thread;
		}
	}
	CHECK_EQ(wrong, 0);
	ml_decoder_close(d);
}

/* Adds the shape of one reference. */
static void add_shape(struct ml_shapes *shapes, uint32_t site, bool user)
{
	struct ml_slot slot = { .site = site, .what = 8 };
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
	struct ml_shape shape = {
		.slots = 1, .bases = 1, .slot = &slot, .base = &base, .user = user
	};

	ml_shapes_add(shapes, &shape);
}

/* Adds a step of shape `number`, which should become the reference. */
static void add_step(struct ml_steps *steps, const struct ml_shapes *shapes,
		     uint32_t number, const struct ml_ref *ref)
{
	const struct ml_shape *s = &shapes->at[number];

	ml_steps_add(steps, shapes,
		     &(struct ml_step){ s->path, ref->caller, &ref->addr });
}

TEST(a_chunk_that_is_encoded_in_a_hurry_is_larger_and_the_same)
{
	enum { COUNT = 50000 };
	static struct ml_ref want[COUNT];
	struct ml_encoder *e = ml_encoder_open(1);
	struct ml_shapes shapes = { 0 };
	struct ml_steps steps;
	struct ml_buf calm = { 0 }, hurried = { 0 };

	add_shape(&shapes, 1, true);
	ml_steps_init(&steps);
	ml_steps_clear(&steps, 1);
	seed = 11;
	for (size_t i = 0; i < COUNT; i++) {
		/* little is left, but of most */
		want[i] = (struct ml_ref){ .addr = 0x100000 + random_below(16),
					   .site = 1,
					   .thread = 1 };
		add_step(&steps, &shapes, 0, &want[i]);
	}
	ml_encoder_chunk(e, &shapes, &steps, false, &calm);
	ml_encoder_chunk(e, &shapes, &steps, true, &hurried);
	CHECK(hurried.size > calm.size + COUNT / 8);
	check_chunk(&shapes, &calm, want, COUNT);
	check_chunk(&shapes, &hurried, want, COUNT);
	ml_buf_release(&calm);
	ml_buf_release(&hurried);
	ml_steps_release(&steps);
	ml_shapes_release(&shapes);
	ml_encoder_close(e);
}

TEST(unpredictable_paths_are_stored_without_prediction_in_a_hurry)
{
	enum { COUNT = 20000, PLACES = 64, CHUNKS = 20 };
	static struct ml_ref want[COUNT];
	struct ml_encoder *fresh = ml_encoder_open(1), *e = ml_encoder_open(1);
	struct ml_shapes shapes = { 0 };
	struct ml_steps steps, same;
	struct ml_buf out = { 0 };
	size_t outright = 0;
	uint32_t caller = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		add_shape(&shapes, 1 + i, i % 4 != 0);
	ml_steps_init(&steps);
	ml_steps_init(&same);
	ml_steps_clear(&steps, 1);
	ml_steps_clear(&same, 1);
	seed = 12;
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t number = (uint32_t)random_below(PLACES);
		uint16_t thread = (uint16_t)(1 + i / 1000 % 3);

		if (random_below(50) == 0)
			caller = (uint32_t)(100 + random_below(5));
		want[i] = (struct ml_ref){ .addr = 0x100000 + random_below(4000),
					   .site = 1 + number,
					   .caller = number % 4 ? 0 : caller,
					   .thread = thread };
		ml_steps_thread(&steps, thread);
		add_step(&steps, &shapes, number, &want[i]);
		add_step(&same, &shapes, 1, &want[i]);
	}
	ml_encoder_chunk(fresh, &shapes, &steps, true, &out);
	size_t guessed = out.size;
	for (int i = 0; i < CHUNKS; i++) {
		out.size = 0;
		ml_encoder_chunk(e, &shapes, &steps, i > 0, &out);
		check_chunk(&shapes, &out, want, COUNT);
		outright += i && out.size != guessed;
	}
	CHECK(outright > CHUNKS / 2 &&
	      outright < CHUNKS - 1); /* now and then it is tried */
	/* what is foreseen again is guessed again */
	ml_encoder_chunk(e, &shapes, &same, false, &out);
	out.size = 0;
	ml_encoder_chunk(e, &shapes, &steps, true, &out);
	CHECK_EQ(out.size, guessed);
	ml_buf_release(&out);
	ml_steps_release(&steps);
	ml_steps_release(&same);
	ml_shapes_release(&shapes);
	ml_encoder_close(fresh);
	ml_encoder_close(e);
}

TEST(a_reader_of_a_trace_that_is_replaced_goes_on_reading_the_old_one)
{
	struct log old = { 0 }, new = { 0 };
	struct ml_trace t;
	struct ml_err err;
	struct stat st;

	seed = 9;
	write_random(scratch(), &old, 5000);
	CHECK(!chmod(scratch(), 0600));
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	write_random(scratch(), &new, 10);
	check_window(&t, &old, 0, old.count, 0);
	ml_trace_close(&t);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	check_window(&t, &new, 0, new.count, 0);
	ml_trace_close(&t);
	CHECK(!stat(scratch(), &st));
	CHECK_EQ(st.st_mode & 0777, 0600);
	ml_free(old.at);
	ml_free(new.at);
}

TEST(a_trace_is_written_to_the_target_of_a_link)
{
	struct log log = { 0 };
	struct ml_trace t;
	struct ml_err err;
	struct stat st;
	char link[256];

	snprintf(link, sizeof(link), "%s.link", scratch());
	unlink(link);
	seed = 10;
	write_random(scratch(), &log, 10);
	CHECK(!symlink(scratch(), link));
	log.count = 0;
	write_random(link, &log, 100);
	CHECK(!lstat(link, &st) && S_ISLNK(st.st_mode));
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, log.count);
	ml_trace_close(&t);
	unlink(link);
	ml_free(log.at);
}

TEST(an_empty_trace_is_a_trace)
{
	struct ml_writer *w;
	struct ml_trace t;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK(t.whole);
	CHECK_EQ(count_refs(&t, &err), 0);
	ml_trace_close(&t);
}
