/*
 * Changed layouts: the new addresses of single bytes, and the change of misses that can
 * be counted by hand. Lines have 16 bytes.
 */
#include "lib/analyse/trial/elements.h"
#include "lib/analyse/trial/whatif.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static const struct ml_change_block block = { .base = 0x1000, .size = 96, .number = 3 };

static uint64_t moved(const struct ml_change *c, uint64_t offset)
{
	size_t at = 0;
	struct ml_change_ref ref = { block.base + offset, 1, 0, &at };

	return ml_change_address(c, &ref, &block);
}

TEST(padding_moves_each_row_by_that_of_the_rows_before_it)
{
	struct ml_change c = { .kind = ML_CHANGE_PAD, .pitch = 32, .pad = 8 };
	uint64_t start = moved(&c, 0);

	CHECK_EQ(start % 4096, block.base % 4096);
	CHECK_EQ(moved(&c, 31) - start, 31);
	CHECK_EQ(moved(&c, 32) - start, 40);
	CHECK_EQ(moved(&c, 95) - start, 2 * 40 + 31);
}

TEST(a_turned_matrix_has_its_columns_where_its_rows_were)
{
	/* 3 rows of 4 units of 8 bytes become 4 rows of 3 */
	struct ml_change c = { .kind = ML_CHANGE_TURN, .pitch = 32, .unit = 8 };

	CHECK_EQ(moved(&c, 0), 0x1000);
	CHECK_EQ(moved(&c, 32), 0x1000 + 8);               /* [1][0] is [0][1] */
	CHECK_EQ(moved(&c, 64 + 24 + 5), 0x1000 + 95 - 2); /* the last unit stays */
	CHECK_EQ(moved(&c, 8), 0x1000 + 24);               /* [0][1] is [1][0] */
}

TEST(turning_is_a_permutation_also_of_what_is_left_behind_the_last_row)
{
	struct ml_change c = { .kind = ML_CHANGE_TURN, .pitch = 40, .unit = 8 };
	bool taken[96] = { 0 };

	for (uint64_t i = 0; i < 96; i++) {
		uint64_t to = moved(&c, i) - block.base;

		CHECK(to < 96);
		CHECK(!taken[to]);
		taken[to] = true;
	}
	CHECK_EQ(moved(&c, 85), 0x1000 + 85);
}

TEST(rows_that_are_blocks_of_their_own_are_turned_together)
{
	/* two rows of 64 bytes, of which the block of 96 bytes at 0x1000 is the second */
	struct ml_change c = { .kind = ML_CHANGE_TURN,
			       .pitch = 64,
			       .unit = 8,
			       .base = 0x1000 - 64,
			       .size = 128 };

	CHECK_EQ(moved(&c, 0), 0x1000 - 64 + 8);      /* [1][0] is [0][1] */
	CHECK_EQ(moved(&c, 8 + 3), 0x1000 - 64 + 27); /* [1][1] is [1][1] of rows of 16 */
	CHECK_EQ(moved(&c, 64), 0x1000 + 64);         /* behind the rows */
}

TEST(a_split_element_has_its_bytes_in_two_arrays)
{
	/* bytes 4 to 7 of 12 stand alone; the second part has 8 bytes */
	static const uint32_t to[] = { 4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11 };
	struct ml_change c = {
		.kind = ML_CHANGE_SPLIT, .pitch = 12, .unit = 4, .pad = 8, .to = to
	};

	CHECK_EQ(moved(&c, 12 + 4) - moved(&c, 4), 4);
	CHECK_EQ(moved(&c, 7) - moved(&c, 4), 3);
	CHECK_EQ(moved(&c, 12) - moved(&c, 0), 8);
	CHECK_EQ(moved(&c, 8) - moved(&c, 0), 4);
	CHECK(moved(&c, 0) - moved(&c, 4) > 4096);
}

TEST(a_mirrored_sweep_goes_backwards_every_other_time)
{
	static const uint64_t turns[] = { 10, 20 };
	struct ml_change c = { .kind = ML_CHANGE_MIRROR,
			       .pitch = 16,
			       .unit = 80,
			       .list = turns,
			       .list_count = 2 };
	size_t at = 0;
	struct ml_change_ref ref = { block.base + 16, 8, 9, &at };

	CHECK_EQ(ml_change_address(&c, &ref, &block), block.base + 16);
	ref.time = 10; /* the first of 64 bytes is now the last */
	CHECK_EQ(ml_change_address(&c, &ref, &block), block.base + 72);
	ref.addr = block.base + 88; /* outside of the sweep */
	CHECK_EQ(ml_change_address(&c, &ref, &block), block.base + 88);
	ref.time = 20;
	ref.addr = block.base + 16;
	CHECK_EQ(ml_change_address(&c, &ref, &block), block.base + 16);
}

TEST(listed_references_go_to_their_addresses_and_others_stay)
{
	static const uint64_t times[] = { 5, 7 }, to[] = { 0x9000, 0x8000 };
	struct ml_change c = {
		.kind = ML_CHANGE_LIST, .list = times, .other = to, .list_count = 2
	};
	uint64_t expected[] = { 0x9000, 0x1000, 0x8000, 0x1000 };
	size_t at = 0;

	for (uint64_t i = 0; i < 4; i++) {
		struct ml_change_ref ref = { 0x1000, 8, 5 + i, &at };

		CHECK_EQ(ml_change_address(&c, &ref, &block), expected[i]);
	}
}

TEST(packed_elements_lie_where_they_are_told_and_others_stay)
{
	struct ml_elements elements = { 0 };
	uint64_t places[] = { 0, 0x70000, 0 };
	struct ml_change c = { .kind = ML_CHANGE_PACK,
			       .pitch = 16,
			       .elements = &elements,
			       .places = places };

	ml_elements_add(&elements, ml_change_element(16, block.number, 32));
	ml_elements_add(&elements, ml_change_element(16, block.number, 64));
	CHECK_EQ(moved(&c, 32), 0x70000);
	CHECK_EQ(moved(&c, 47), 0x70000 + 15);
	CHECK_EQ(moved(&c, 48), block.base + 48);
	CHECK_EQ(moved(&c, 64), block.base + 64);
	ml_elements_release(&elements);
}

TEST(elements_that_shrink_lie_closer_together)
{
	struct ml_change c = { .kind = ML_CHANGE_SHRINK, .pitch = 8, .unit = 4 };

	CHECK_EQ(moved(&c, 8) - moved(&c, 0), 4);
	CHECK_EQ(moved(&c, 80) - moved(&c, 0), 40);
}

struct tried {
	struct ml_trace trace;
	struct ml_whatif w;
	struct ml_trial trial;
	uint64_t window;         /* 0: all */
	struct ml_slices slices; /* none: those of the window */
};

static void run(struct tried *x, const char *machine, const char *text,
		const struct ml_change *c)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_trace_open(&x->trace, scratch(), &err), &err);
	CHECK_OK(ml_machine_parse(&x->w.machine, machine, &err), &err);
	x->w.slices = x->slices;
	if (!x->slices.count)
		CHECK_OK(ml_slices_choose(&x->w.slices, &x->trace, 0, 0, x->window, &err),
			 &err);
	x->w.trace = &x->trace;
	x->w.changes = c;
	x->w.count = !x->w.see;
	x->w.trials = &x->trial;
	CHECK_OK(ml_whatif_run(&x->w, &err), &err);
}

static uint32_t region(const char *name, const char *text)
{
	struct tried x = { 0 };

	run(&x, "L1 64 1w 16B", text, &(struct ml_change){ 0 });
	uint32_t number = 0;
	for (uint32_t i = 1; i < x.trace.tables.regions.count; i++)
		if (!strcmp(ml_tables_text(&x.trace.tables,
					   x.trace.tables.regions.at[i].name),
			    name))
			number = i;
	ml_trace_close(&x.trace);
	return number;
}

/* Two rows of 64 bytes, which is the size of the cache: they fall into the same sets. */
static const char rows[] = "global A 0x1000 128 8 2 8\n"
			   "r0x1000 r0x1040 r0x1000 r0x1040 r0x1000 r0x1040\n";

TEST(rows_that_meet_in_one_set_do_not_when_padded)
{
	struct ml_change c = {
		.kind = ML_CHANGE_PAD, .region = region("A", rows), .pitch = 64, .pad = 16
	};
	struct tried x = { 0 };

	run(&x, "L1 64 1w 16B", rows, &c);
	CHECK_EQ(x.w.refs, 6);
	CHECK_EQ(x.w.served[2], 6);
	CHECK_EQ(x.trial.served[2], 2);
	CHECK_EQ(x.trial.served[1], 4);
	CHECK_EQ(x.trial.region_before[2], 6);
	CHECK_EQ(x.trial.region_after[2], 2);
	ml_trace_close(&x.trace);
}

TEST(of_a_partial_list_only_the_listed_references_count_as_concerned)
{
	static const uint64_t times[] = { 1, 3 }, to[] = { 0x1000, 0x1000 };
	struct ml_change c = { .kind = ML_CHANGE_LIST,
			       .region = region("A", rows),
			       .list = times,
			       .other = to,
			       .list_count = 2 };

	for (unsigned partial = 0; partial < 2; partial++) {
		struct tried x = { 0 };

		c.partial = partial;
		run(&x, "L1 64 1w 16B", rows, &c);
		CHECK_EQ(x.trial.served[2], 2); /* the first reference, and the last */
		CHECK_EQ(x.trial.region_before[2], partial ? 2 : 6);
		CHECK_EQ(x.trial.region_after[1], partial ? 2 : 4);
		ml_trace_close(&x.trace);
	}
}

TEST(regions_that_meet_in_one_set_do_not_when_one_is_shifted)
{
	static const char text[] = "global A 0x1000 8\nglobal B 0x1040 8\n"
				   "r0x1000 r0x1040 r0x1000 r0x1040 r0x1000 r0x1040\n";
	struct ml_change c = { .kind = ML_CHANGE_SHIFT,
			       .region = region("B", text),
			       .pad = 16 };
	struct tried x = { 0 };

	run(&x, "L1 64 1w 16B", text, &c);
	CHECK_EQ(x.w.served[2], 6);
	CHECK_EQ(x.trial.served[2], 2);
	CHECK_EQ(x.trial.region_before[2], 3);
	CHECK_EQ(x.trial.region_after[2], 1);
	ml_trace_close(&x.trace);
}

TEST(dropped_references_are_not_made_and_further_changes_apply)
{
	/* A is dropped; without its shift B would meet C */
	static const char text[] =
		"global A 0x1000 8\nglobal B 0x1040 8\nglobal C 0x1080 8\n"
		"r0x1000 r0x1040 r0x1080 r0x1000 r0x1040 r0x1080\n";
	struct ml_change shift = { .kind = ML_CHANGE_SHIFT,
				   .region = region("B", text),
				   .pad = 16 };
	struct ml_change c = { .kind = ML_CHANGE_DROP,
			       .region = region("A", text),
			       .also = &shift };
	struct tried x = { 0 };

	run(&x, "L1 64 1w 16B", text, &c);
	CHECK_EQ(x.w.served[2], 6);
	CHECK_EQ(x.trial.served[2], 2);
	CHECK_EQ(x.trial.served[1], 2);
	CHECK_EQ(x.trial.region_before[2], 2);
	CHECK_EQ(x.trial.region_after[0], 2);
	ml_trace_close(&x.trace);
}

TEST(tlbs_are_simulated)
{
	struct ml_change c = { .kind = ML_CHANGE_SHRINK, .pitch = 8192, .unit = 1024 };
	static const char text[] =
		"global A 0x100000 32768\nr0x100000+8192*4 r0x100000+8192*4\n";
	struct tried x = { 0 };

	c.region = region("A", text);
	run(&x, "L1 1K 8w 64B | TLB 2e 2w 4K | walk 30c", text, &c);
	CHECK_EQ(x.w.paged[2], 8);     /* four pages by turns, the TLB holds two */
	CHECK_EQ(x.trial.paged[2], 1); /* all in one page */
	CHECK_EQ(x.trial.paged[1], 7);
	ml_trace_close(&x.trace);
}

TEST(a_change_for_some_sites_leaves_the_references_of_others)
{
	/* b.c:2 reads the second row: only a.c:1 is moved, and it never conflicts again
	 */
	static const char text[] = "global A 0x1000 128 8 2 8\n"
				   "L a.c:1\nr0x1000\nL b.c:2\nr0x1040\n"
				   "L a.c:1\nr0x1008\nL b.c:2\nr0x1048\n";
	struct ml_change c = { .kind = ML_CHANGE_SHIFT,
			       .region = region("A", text),
			       .pad = 16 };
	bool by[] = { false, true, false };
	struct tried x = { 0 };

	c.by = by;
	run(&x, "L1 64 1w 16B", text, &c);
	CHECK_EQ(x.trace.tables.sites.count, 3);
	CHECK_EQ(x.w.served[2], 4);
	CHECK_EQ(x.trial.served[2], 2);
	CHECK_EQ(x.trial.region_before[2], 2);
	CHECK_EQ(x.trial.region_after[2], 1);
	CHECK_EQ(x.trial.region_after[1], 1);
	ml_trace_close(&x.trace);
}

TEST(a_long_trace_is_tried_in_slices_of_the_window)
{
	struct ml_change c = { .kind = ML_CHANGE_NONE, .region = 1 };
	struct tried x = { .window = 80 };

	run(&x, "L1 64 1w 16B", "global A 0 8000\nr0+8*1000\n", &c);
	CHECK_EQ(x.w.refs, 80);
	CHECK_EQ(x.trial.served[1] + x.trial.served[2], 80);
	/*
	 * Of 64 intervals of 15 references each 8th from the 4th is one slice: they start
	 * at 15 * (8 * i + 4), and 10 references touch 5 lines.
	 */
	CHECK_EQ(x.w.served[2], 8 * 5);
	ml_trace_close(&x.trace);
}

/*
 * The cache holds all of A, so only its first visit misses. A slice of 40,000 references
 * from the start of a batch on is three batches; the last one, of 7232, begins behind the
 * references that only fill the cache.
 */
TEST(references_that_fill_the_caches_are_not_counted)
{
	struct ml_change c = { .kind = ML_CHANGE_SHIFT, .region = 1, .pad = 0 };
	struct tried x = { 0 };
	struct ml_trial parts[2 * 2];
	char text[20000] = "global A 0 1600\n";

	for (unsigned i = 0; i < 1000; i++)
		strcat(text, "r0+16*100 ");
	strcat(text, "\n");
	run(&x, "L1 2K full 16B", text, &c);
	CHECK_EQ(x.w.served[2], 100);
	ml_trace_close(&x.trace);

	x = (struct tried){ .w = { .warm_up = 20000, .parts = parts } };
	x.slices = (struct ml_slices){ .count = 2, .phases = 1, .refs = 80000 };
	x.slices.at[0] = (struct ml_slice){ 0, 40000, 0, 1.25 };
	x.slices.at[1] = (struct ml_slice){ 49152, 89152, 0, 1.25 };
	run(&x, "L1 2K full 16B", text, &c);
	CHECK_EQ(x.w.refs, 2 * 7232);
	CHECK_EQ(x.w.served[1], 2 * 7232);
	CHECK_EQ(x.w.served[2], 0);
	CHECK_EQ(x.trial.served[1], 2 * 7232);
	CHECK_EQ(x.trial.region_before[1], 2 * 7232);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_EQ(parts[i].served[1], 7232);
		CHECK_EQ(parts[i].served[2], 0);
	}
	ml_trace_close(&x.trace);
}

TEST(heap_blocks_are_moved_each_by_itself_as_long_as_they_live)
{
	/* two blocks of one name, the second where the first was: rows of 32 bytes */
	static const char text[] = "alloc A 0x1000 64 8\nr0x1000 r0x1020\nfree 0x1000\n"
				   "alloc A 0x1000 64 8\nr0x1000 r0x1020\n";
	struct ml_change c = {
		.kind = ML_CHANGE_PAD, .region = region("A", text), .pitch = 32, .pad = 16
	};
	struct tried x = { 0 };

	run(&x, "L1 1K 1w 16B", text, &c);
	CHECK_EQ(x.w.served[2], 2);
	CHECK_EQ(x.trial.served[2], 4); /* padded blocks are new memory each */
	ml_trace_close(&x.trace);
}

static unsigned seen;

static void see(void *arg, const struct ml_seen *s)
{
	const uint32_t *want = arg;

	for (size_t i = 0; i < s->refs->count; i++, seen++)
		CHECK_EQ(s->distance[i], want[seen]);
}

TEST(whoever_looks_on_is_told_offsets_outcomes_and_distances)
{
	uint32_t want[] = { UINT32_MAX, UINT32_MAX, 1, 0 };
	struct ml_change c = { 0 };
	struct tried x = { .w = { .see = see, .arg = want, .distances = true } };

	seen = 0;
	run(&x, "L1 64 1w 16B", "r0 r16 r0 r8\n", &c);
	CHECK_EQ(seen, 4);
	ml_trace_close(&x.trace);
}
