/*
 * The words of programs built by `memlamp cc`: single references, of several threads. The
 * trace has exactly these references in this order, whatever tracks the companion finds.
 */
#include <sys/mman.h>

#include "lib/base/arena.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/trace.h"
#include "record/reader/ring_reader.h"
#include "record/reader/ring_slots.h"
#include "record/reader/thread_merge.h"
#include "record/ring.h"
#include "tests/scratch.h"
#include "tests/test.h"

struct words {
	uint64_t *at;
	size_t count, cap;
};

static void put(struct words *w, uint64_t word)
{
	w->at = ml_grow(w->at, &w->cap, w->count + 1, sizeof(*w->at));
	w->at[w->count++] = word;
}

static void put_ref(struct words *w, unsigned place, enum ml_ref_kind kind,
		    unsigned log_size, uint64_t addr)
{
	put(w, (uint64_t)((unsigned)kind << 4 | log_size) << ML_REF_SHIFT |
		       (0x400000 + 16 * (uint64_t)place));
	put(w, addr);
}

/* Feeds the words in pieces of so many. */
static void record(const struct words *w, size_t piece,
		   const struct ml_record_options *options)
{
	struct ml_err err;
	struct ml_ring_reader *d = ml_ring_reader_open(scratch(), options, &err);

	CHECK(d);
	for (size_t at = 0; at < w->count; at += piece)
		CHECK_OK(ml_ring_reader_feed(
				 d, w->at + at,
				 w->count - at < piece ? w->count - at : piece, &err),
			 &err);
	CHECK_OK(ml_ring_reader_finish(d, false, &err), &err);
	ml_ring_reader_release(d);
}

/* The trace at scratch() has exactly the references of the words. */
static void check_same(const struct words *w)
{
	struct ml_trace t;
	struct ml_err err;
	struct ml_batch b;
	size_t at = 0;
	bool second = false; /* of a modification: the write */

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_cursor *c = ml_cursor_open(&t, 0, t.count);
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++) {
			CHECK(at + 1 < w->count);
			unsigned what = (unsigned)(w->at[at] >> ML_REF_SHIFT);
			bool both = what >> 4 == ML_REF_MODIFY;

			CHECK_EQ(b.addr[i], w->at[at + 1]);
			CHECK_EQ(ml_what_size(b.what[i]), 1 << (what & 15));
			CHECK_EQ(ml_what_kind(b.what[i]),
				 what >> 4 == ML_REF_WRITE || second ? ML_WRITE
								     : ML_READ);
			CHECK_EQ(t.tables.sites.at[b.site[i]].ip,
				 (w->at[at] & 0xffffffffffff) - 1);
			second = both && !second;
			at += second ? 0 : 2;
		}
	CHECK_EQ(at, w->count);
	ml_cursor_close(c);
	ml_trace_close(&t);
}

TEST(a_loop_over_two_arrays_comes_back_as_it_was)
{
	struct ml_record_options o = { .no_source = true };
	struct words w = { 0 };

	for (uint64_t j = 0; j < 50; j++) {
		for (uint64_t k = 0; k < 300; k++) {
			put_ref(&w, 1, ML_REF_READ, 3, 0x10000 + 8 * k);
			put_ref(&w, 2, ML_REF_READ, 3, 0x90000 + 2400 * k + 8 * j);
		}
		put_ref(&w, 3, ML_REF_MODIFY, 3, 0x200000 + 8 * j);
	}
	record(&w, w.count, &o);
	check_same(&w);
	ml_free(w.at);
}

/* A program at random: loops whose bodies branch, with addresses of all kinds. */
static void random_program(struct words *w, unsigned seed, size_t refs)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u + 1, stride[20], at[20];

	for (int i = 0; i < 20; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		stride[i] = (x >> 33) % 5 * 8;
		at[i] = 0x100000 * (uint64_t)(i + 1);
	}
	while (w->count < 2 * refs) {
		for (unsigned i = 0; i < 20; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			uint64_t r = x >> 33;

			if (i % 5 == 4 && r % 3 == 0)
				continue; /* a branch */
			if (i % 7 == 3)
				at[i] = 0x5000000 + r % 4096 * 8;
			else if (i % 7 == 4)
				at[i] = at[i - 1] + 24; /* a field beside it */
			else
				at[i] += stride[i];
			if (r % 1000 == 0)
				at[i] = 0x7000000 + r % 100000;
			put_ref(w, i, (enum ml_ref_kind)(1 + i % 3), i % 6, at[i]);
		}
	}
}

TEST(programs_at_random_come_back_as_they_were)
{
	struct ml_record_options o = { .no_source = true };

	for (unsigned seed = 0; seed < 12; seed++) {
		struct words w = { 0 };

		random_program(&w, seed, 60000);
		record(&w, seed % 2 ? 4096 : 32768, &o);
		check_same(&w);
		ml_free(w.at);
	}
}

TEST(a_limit_and_a_start_cut_between_references)
{
	struct ml_record_options o = { .no_source = true, .skip = 1000, .limit = 500 };
	struct words w = { 0 };
	struct ml_trace t;
	struct ml_err err;

	for (uint64_t k = 0; k < 3000; k++)
		put_ref(&w, 1, ML_REF_READ, 3, 0x10000 + 8 * k);
	record(&w, 1000, &o);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, 500);
	CHECK_EQ(t.tables.gaps.count, 2); /* 1000 skipped, and the limit */
	CHECK_EQ(t.tables.gaps.at[0].count, 1000);
	ml_trace_close(&t);
	ml_free(w.at);
}

TEST(blocks_that_live_between_two_references_are_counted)
{
	struct ml_record_options o = { .no_source = true };
	struct words w = { 0 };
	struct ml_summary s;
	struct ml_trace t;
	struct ml_err err;

	put_ref(&w, 1, ML_REF_READ, 3, 0x900000);
	for (int i = 0; i < 3; i++) {
		put(&w, ML_WORD(ML_WORD_BLOCK, 3, 0));
		put(&w, 0x10000);
		put(&w, 64);
		put(&w, 0x400000);
		put(&w, ML_WORD(ML_WORD_FREE, 1, 0));
		put(&w, 0x10000);
	}
	record(&w, w.count, &o);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_OK(ml_summary_open(&s, &t, NULL, &err), &err);
	ml_summary_close(&s);
	ml_trace_close(&t);
	ml_free(w.at);
}

/* A ring of which two threads of process 7 have slots. */
enum { SLOTS = 4 };

struct fake {
	struct ml_ring_control *control;
	struct ml_ring_slots ring;
	struct ml_ring *slot[2];
};

static struct ml_ring *open_slot(struct ml_ring_control *control, uint32_t thread)
{
	struct ml_ring *r = ml_ring_slot(control, ml_ring_claim(control, SLOTS));

	r->pid = 7;
	r->birth = 70;
	r->thread = thread;
	r->segments = 2;
	r->data = (uint64_t)(uintptr_t)r + ML_RING_PAGE;
	r->cur = r->data;
	r->state = ML_RING_OPEN;
	control->bell++;
	return r;
}

static void fake_open(struct fake *f)
{
	f->control = mmap(NULL, ML_RING_FILE_BYTES(SLOTS), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(f->control != MAP_FAILED);
	f->control->slots = SLOTS;
	ml_ring_slots_init(&f->ring, f->control);
	f->slot[0] = open_slot(f->control, 1);
	f->slot[1] = open_slot(f->control, 2);
}

static void write_words(struct ml_ring *r, const uint64_t *words, size_t count)
{
	memcpy((void *)(uintptr_t)r->cur, words, count * sizeof(*words));
	r->cur += count * sizeof(*words);
}

static void write_stamp(struct ml_ring *r, uint64_t clock)
{
	write_words(r, (uint64_t[]){ ML_WORD(ML_WORD_STAMP, 1, 0), clock }, 2);
}

static void write_ref(struct ml_ring *r, uint64_t addr)
{
	write_words(r,
		    (uint64_t[]){ (uint64_t)(ML_REF_READ << 4) << ML_REF_SHIFT | 0x400000,
				  addr },
		    2);
}

/* Addresses and threads of the trace at scratch(), as "1:5 2:6". */
static const char *order(char *text)
{
	struct ml_trace t;
	struct ml_err err;
	struct ml_batch b;
	char *at = text;

	*at = 0;
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_cursor *c = ml_cursor_open(&t, 0, t.count);
	while (ml_cursor_next(c, &b, &err))
		for (size_t i = 0; i < b.count; i++)
			at += sprintf(at, "%s%u:%u", at == text ? "" : " ", b.thread[i],
				      (unsigned)b.addr[i]);
	ml_cursor_close(c);
	ml_trace_close(&t);
	return text;
}

TEST(threads_are_put_in_order_by_their_stamps)
{
	struct ml_record_options o = { .no_source = true };
	struct ml_err err;
	struct fake f;
	struct ml_thread_merge s;
	char text[200];

	fake_open(&f);
	struct ml_ring_reader *d = ml_ring_reader_open(scratch(), &o, &err);
	ml_thread_merge_init(&s, &f.ring, f.slot[0], d);
	write_stamp(f.slot[0], 10);
	write_ref(f.slot[0], 100);
	write_stamp(f.slot[0], 30);
	write_ref(f.slot[0], 101);
	write_ref(f.slot[0], 102);
	write_stamp(f.slot[1], 20);
	write_ref(f.slot[1], 200);
	write_stamp(f.slot[1], 40);
	write_ref(f.slot[1], 201);
	CHECK_OK(ml_thread_merge_round(&s, false, &err), &err);
	/* the second thread continues, later than all words of this round */
	write_ref(f.slot[1], 202);
	CHECK_OK(ml_thread_merge_round(&s, false, &err), &err);
	/* words stamped after the begin of the round wait for the next one */
	write_stamp(f.slot[0], UINT64_MAX);
	write_ref(f.slot[0], 103);
	CHECK_OK(ml_thread_merge_round(&s, false, &err), &err);
	CHECK_OK(ml_ring_reader_finish(d, false, &err), &err);
	CHECK_STR(order(text), "1:100 2:200 1:101 1:102 2:201 2:202");
	ml_ring_reader_release(d);
	ml_thread_merge_release(&s);
	munmap(f.control, ML_RING_FILE_BYTES(SLOTS));
}

TEST(a_page_is_taken_by_the_stamp_beside_it)
{
	struct ml_record_options o = { .no_source = true };
	struct ml_err err;
	struct fake f;
	struct ml_thread_merge s;
	char text[8000];

	fake_open(&f);
	struct ml_ring_reader *d = ml_ring_reader_open(scratch(), &o, &err);
	ml_thread_merge_init(&s, &f.ring, f.slot[0], d);
	uint64_t *stamps = (uint64_t *)(uintptr_t)(f.slot[0]->data + ML_RING_DATA_BYTES);
	stamps[0] = 10;
	stamps[1] = 30;
	for (unsigned i = 0; i < ML_RING_STAMP_BYTES / 16 + 1; i++)
		write_ref(f.slot[0], i);
	write_stamp(f.slot[1], 20);
	write_ref(f.slot[1], 1000);
	CHECK_OK(ml_thread_merge_round(&s, false, &err), &err);
	CHECK_OK(ml_ring_reader_finish(d, false, &err), &err);
	order(text);
	CHECK(strstr(text, "1:255 2:1000 1:256"));
	ml_ring_reader_release(d);
	ml_thread_merge_release(&s);
	munmap(f.control, ML_RING_FILE_BYTES(SLOTS));
}

TEST(read_segments_return_to_their_thread_and_slots_are_freed_when_it_ends)
{
	struct ml_record_options o = { .no_source = true };
	struct ml_err err;
	struct fake f;
	struct ml_thread_merge s;

	fake_open(&f);
	struct ml_ring_reader *d = ml_ring_reader_open(scratch(), &o, &err);
	ml_thread_merge_init(&s, &f.ring, f.slot[0], d);
	write_ref(f.slot[1], 1);
	f.slot[1]->used[0] = 2;
	f.slot[1]->head = 1;
	f.slot[1]->cur = f.slot[1]->data + ML_RING_SEGMENT_WORDS * 8;
	CHECK_OK(ml_thread_merge_round(&s, false, &err), &err);
	CHECK_EQ(f.slot[1]->tail, 1);
	write_ref(f.slot[1], 2);
	f.slot[1]->state = ML_RING_CLOSED;
	CHECK_OK(ml_thread_merge_round(&s, false, &err), &err);
	CHECK_EQ(f.slot[1]->state, ML_RING_FREE);
	CHECK_EQ(ml_ring_reader_count(d).refs, 2);
	CHECK_OK(ml_ring_reader_finish(d, false, &err), &err);
	ml_ring_reader_release(d);
	ml_thread_merge_release(&s);
	munmap(f.control, ML_RING_FILE_BYTES(SLOTS));
}
