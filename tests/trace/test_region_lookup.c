/*
 * Which datum a reference touches, in words; and on random blocks, against a search
 * through all of them.
 */
#include "lib/trace/regions/region_lookup.h"
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

/* The datum that each reference of the trace touches, a line each. */
static void places_are(const char *want)
{
	struct ml_arena a = { 0 };
	struct ml_trace t;
	struct ml_batch b;
	struct ml_err err;
	struct ml_buf out = { 0 };

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_region_lookup *s = ml_region_lookup_open(&t, &err);
	CHECK(s);
	for (int twice = 0; twice < 2; twice++) {
		struct ml_cursor *c = ml_cursor_open(&t, 0, UINT64_MAX);

		out.size = 0;
		ml_region_lookup_rewind(s);
		while (ml_cursor_next(c, &b, &err))
			for (size_t i = 0; i < b.count; i++) {
				struct ml_ref ref = ml_batch_ref(&b, i);
				struct ml_place p = ml_region_lookup_find(s, &ref);
				const char *text = ml_region_lookup_describe(s, &p, &a);

				ml_buf_put(&out, text, strlen(text));
				ml_buf_put(&out, "\n", 1);
			}
		ml_cursor_close(c);
		ml_buf_u8(&out, 0);
		CHECK_STR((const char *)out.data, want);
	}
	ml_region_lookup_close(s);
	ml_trace_close(&t);
	ml_buf_release(&out);
	ml_arena_release(&a);
}

static struct ml_writer *begin(void)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	return w;
}

static void end(struct ml_writer *w)
{
	struct ml_err err;

	CHECK_OK(ml_writer_close(w, &err), &err);
}

static void text(const char *lines)
{
	struct ml_writer *w = begin();
	struct ml_err err;

	CHECK_OK(read_text(w, lines, strlen(lines), "test", &err), &err);
	end(w);
}

static void touch(struct ml_writer *w, uint64_t addr, uint16_t thread, uint32_t site)
{
	struct ml_ref ref = {
		.addr = addr, .thread = thread, .site = site, .what = ml_what(ML_READ, 8)
	};
	struct ml_err err;

	CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
}

TEST(an_element_is_named_by_its_indices)
{
	text("global A 0x1000 96 8 3 4\n"
	     "global x 0x2000 8 8\n"
	     "global raw 0x3000 100\n"
	     "r0x1000 r0x1008 r0x1020 r0x1058 r0x105c:4 r0x2000 r0x3007\n");
	places_are("A[0][0]\nA[0][1]\nA[1][0]\nA[2][3]\nA[2][3]+4\nx\nraw+7\n");
}

TEST(three_dimensions_are_three_indices)
{
	text("global T 0x1000 240 2 4 5 6\n"
	     "r0x1000 r0x1002 r0x100c r0x103c r0x10ee\n");
	/* a row has 12 bytes, a plane 60 */
	places_are("T[0][0][0]\nT[0][0][1]\nT[0][1][0]\nT[1][0][0]\nT[3][4][5]\n");
}

TEST(an_unknown_address_is_other)
{
	text("global x 0x2000 8 8\n"
	     "r0x1fff r0x2008 r0\n");
	struct ml_trace t;
	struct ml_err err;
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_region_lookup *s = ml_region_lookup_open(&t, &err);
	for (uint64_t addr = 0; addr < 3; addr++) {
		struct ml_ref ref = { .addr = addr * 0x1000 };
		struct ml_place p = ml_region_lookup_find(s, &ref);

		CHECK_EQ(p.region, addr == 2 ? 1 : 0);
		CHECK_EQ(p.block, ML_NO_BLOCK);
	}
	ml_region_lookup_close(s);
	ml_trace_close(&t);
}

TEST(the_fields_of_an_element_have_names)
{
	struct ml_writer *w = begin();
	struct ml_tables *t = ml_writer_tables(w);
	uint32_t x = ml_tables_name(t, "x"), id = ml_tables_name(t, "id");

	*ML_ADD(t->fields) = (struct ml_field){ .name = x, .offset = 0, .size = 8 };
	*ML_ADD(t->fields) = (struct ml_field){ .name = id, .offset = 12, .size = 4 };
	*ML_ADD(t->regions) = (struct ml_region){ .kind = ML_REGION_GLOBAL,
						  .name = ml_tables_name(t, "points"),
						  .elem = 16,
						  .dims = 1,
						  .dim = { 4 },
						  .field = 0,
						  .fields = 2 };
	*ML_ADD(t->globals) =
		(struct ml_block){ .addr = 0x1000,
				   .size = 64,
				   .until = ML_FOREVER,
				   .region = (uint32_t)t->regions.count - 1 };
	touch(w, 0x1010, 1, 0);
	touch(w, 0x1014, 1, 0);
	touch(w, 0x1018, 1, 0); /* between the two */
	touch(w, 0x101c, 1, 0);
	end(w);
	places_are("points[1].x\npoints[1].x\npoints[1]+8\npoints[1].id\n");
}

TEST(a_variable_lies_in_its_section)
{
	struct ml_writer *w = begin();
	struct ml_tables *t = ml_writer_tables(w);
	static const struct {
		const char *name;
		enum ml_region_kind kind;
		uint64_t addr, size;
	} blocks[] = { { ".data", ML_REGION_SECTION, 0x1000, 0x100 },
		       { "a", ML_REGION_GLOBAL, 0x1000, 8 },
		       { "b", ML_REGION_GLOBAL, 0x1010, 16 },
		       { "b.part", ML_REGION_GLOBAL, 0x1014, 4 },
		       { ".bss", ML_REGION_SECTION, 0x1100, 8 } };

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		*ML_ADD(t->regions) = (struct ml_region){
			.kind = blocks[i].kind, .name = ml_tables_name(t, blocks[i].name)
		};
		*ML_ADD(t->globals) =
			(struct ml_block){ .addr = blocks[i].addr,
					   .size = blocks[i].size,
					   .until = ML_FOREVER,
					   .region = (uint32_t)t->regions.count - 1 };
	}
	for (uint64_t addr = 0x1000; addr < 0x1020; addr += 4)
		touch(w, addr, 1, 0);
	touch(w, 0x10ff, 1, 0);
	touch(w, 0x1100, 1, 0);
	touch(w, 0x1108, 1, 0);
	end(w);
	places_are("a+0\na+4\n.data+8\n.data+12\nb+0\nb.part+0\nb+8\nb+12\n"
		   ".data+255\n.bss+0\nother+0\n");
}

TEST(blocks_of_one_region_are_numbered)
{
	text("alloc one 0x1000 16 8\n"
	     "alloc many 0x2000 16 8\n"
	     "r0x1008 r0x2008\n"
	     "alloc many 0x3000 16 8\n"
	     "r0x3000 r0x2000\n");
	places_are("one[1]\nmany#0[1]\nmany#1[0]\nmany#0[0]\n");
}

TEST(an_address_that_is_used_again_is_another_datum)
{
	text("alloc old 0x1000 64 8\n"
	     "r0x1000\n"
	     "free 0x1000\n"
	     "r0x1000\n"
	     "alloc new 0x1000 32 4\n"
	     "r0x1008 r0x1028\n");
	places_are("old[0]\nother+0\nnew[2]\nother+0\n");
}

TEST(a_registered_region_hides_the_blocks_below)
{
	text("alloc heap 0x1000 64 8\n"
	     "r0x1010\n"
	     "region M 0x1010 32 4 2 4\n"
	     "r0x1008 r0x1010 r0x1024 r0x102f r0x1030\n"
	     "unregion 0x1010\n"
	     "r0x1010\n"
	     "region late 0x1010 8 8\n"
	     "free 0x1000\n"
	     "r0x1010 r0x1008\n");
	places_are("heap[2]\nheap[1]\nM[0][0]\nM[1][1]\nM[1][3]+3\nheap[6]\nheap[2]\n"
		   "late\nother+0\n");
}

TEST(a_registered_region_may_lie_in_another)
{
	text("region all 0x1000 64 8\n"
	     "r0x1010\n"
	     "region part 0x1010 16 4\n"
	     "r0x1008 r0x1014 r0x1020 r0x1010\n"
	     "unregion 0x1010\n"
	     "r0x1014\n");
	places_are("all[2]\nall[1]\npart[1]\nall[4]\npart[0]\nall[2]+4\n");
}

TEST(each_thread_and_function_has_a_stack_region)
{
	struct ml_writer *w = begin();
	struct ml_tables *t = ml_writer_tables(w);
	uint32_t f = ml_tables_place(t, "f", "f.c", 1),
		 g = ml_tables_place(t, "g", "f.c", 9);
	uint64_t mib = 1 << 20;

	*ML_ADD(t->threads) = (struct ml_thread){ .id = 1,
						  .until = ML_FOREVER,
						  .stack_low = 100 * mib - 4096,
						  .stack_high = 100 * mib };
	*ML_ADD(t->threads) = (struct ml_thread){ .id = 2,
						  .until = ML_FOREVER,
						  .stack_low = 200 * mib,
						  .stack_high = 201 * mib };
	touch(w, 100 * mib - 8, 1, f);
	touch(w, 100 * mib - 8, 1, g);
	touch(w, 95 * mib, 1, g); /* the first stack grows */
	touch(w, 200 * mib + 8, 2, f);
	touch(w, 200 * mib + 8, 1, g); /* another thread looks at it */
	touch(w, 201 * mib, 2, f);
	touch(w, 200 * mib - 8, 2, f); /* no other does */
	touch(w, 200 * mib, 2, 0);
	end(w);
	places_are("stack of f\nstack of g\nstack of g\nstack of f (thread 2)\n"
		   "stack of g (thread 2)\nother+0\nother+0\n"
		   "stack of unknown functions (thread 2)\n");
}

TEST(mappings_come_and_go)
{
	struct ml_writer *w = begin();
	struct ml_tables *t = ml_writer_tables(w);
	uint32_t path = ml_tables_name(t, "/data/file.bin");
	struct ml_mapping file = {
		.low = 0x10000, .high = 0x14000, .path = path, .kind = ML_MAPPING_FILE
	};
	struct ml_mapping hole = { .low = 0x11000,
				   .high = 0x12000,
				   .kind = ML_MAPPING_NONE };
	struct ml_mapping anon = { .low = 0x13000,
				   .high = 0x15000,
				   .kind = ML_MAPPING_ANON };

	*ML_ADD(t->mappings) = file;
	touch(w, 0x11000, 1, 0);
	hole.time = ml_writer_time(w);
	*ML_ADD(t->mappings) = hole;
	touch(w, 0x10fff, 1, 0);
	touch(w, 0x11000, 1, 0);
	touch(w, 0x12004, 1, 0); /* counts from where the file begins */
	anon.time = ml_writer_time(w);
	*ML_ADD(t->mappings) = anon;
	touch(w, 0x12fff, 1, 0);
	touch(w, 0x13010, 1, 0);
	touch(w, 0x14010, 1, 0);
	end(w);
	places_are("file file.bin+4096\nfile file.bin+4095\nother+0\nfile file.bin+8196\n"
		   "file file.bin+12287\nanonymous memory+16\nanonymous memory+4112\n");
}

enum { EVENTS = 4000 };

/* The live blocks, in the order in which they began. */
static struct mine {
	uint64_t addr, size, number;
	bool over, live;
} mine[EVENTS];

/* The newest registered block that holds addr, or else the newest heap block. */
static uint64_t slow_block(size_t count, uint64_t addr)
{
	for (int over = 1; over >= 0; over--)
		for (size_t i = count; i-- > 0;)
			if (mine[i].live && mine[i].over == over &&
			    addr >= mine[i].addr && addr - mine[i].addr < mine[i].size)
				return mine[i].number;
	return ML_NO_BLOCK;
}

/* Heap blocks have slots of their own, of which some are large; registered ones lie
 * anywhere. */
static void random_event(struct ml_writer *w, size_t i, size_t *count)
{
	bool over = !random_below(4);
	uint64_t addr = over ? random_below(64 << 20) & ~7ull : random_below(64) << 20;
	uint64_t size = random_below(3) ? random_below(10000) + 1
					: random_below(1 << 20) + 1;

	/* one that begins at the address of a live one of its kind replaces it */
	for (size_t k = 0; k < *count; k++)
		if (mine[k].live && mine[k].over == over && mine[k].addr == addr) {
			mine[k].live = false;
			if (over)
				ml_writer_unregister(w, addr);
			else
				ml_writer_free(w, addr);
			if (i % 2)
				return;
		}
	if (over)
		ml_writer_register(w, 1, addr, size);
	else
		ml_writer_alloc(w, 1, addr, size);
	mine[*count] = (struct mine){ addr, size, *count, over, true };
	++*count;
}

TEST(random_blocks_are_found_as_by_looking_at_all_of_them)
{
	static uint64_t want[8 * EVENTS];
	struct ml_writer *w = begin();
	struct ml_tables *tables = ml_writer_tables(w);
	size_t count = 0, refs = 0;

	*ML_ADD(tables->regions) = (struct ml_region){ .kind = ML_REGION_HEAP };
	for (size_t i = 0; i < EVENTS; i++) {
		random_event(w, i, &count);
		for (uint64_t k = random_below(8); k > 0; k--) {
			uint64_t addr = random_below(64 << 20);

			if (random_below(2)) /* where there is something */
				addr = mine[count - 1 -
					    random_below(count < 90 ? count : 90)]
					       .addr +
				       random_below(9000);
			want[refs++] = slow_block(count, addr);
			touch(w, addr, 1, 0);
		}
	}
	end(w);

	struct ml_trace t;
	struct ml_batch b;
	struct ml_err err;
	static uint32_t region[ML_BATCH];
	size_t at = 0;
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.count, refs);
	struct ml_region_lookup *one = ml_region_lookup_open(&t, &err),
				*all = ml_region_lookup_open(&t, &err);
	CHECK(one && all);
	struct ml_cursor *c = ml_cursor_open(&t, 0, UINT64_MAX);
	while (ml_cursor_next(c, &b, &err)) {
		ml_region_lookup_batch(all, &b, region);
		for (size_t i = 0; i < b.count; i++, at++) {
			struct ml_ref ref = ml_batch_ref(&b, i);
			struct ml_place p = ml_region_lookup_find(one, &ref);

			CHECK_EQ(p.block, want[at]);
			CHECK_EQ(p.region, want[at] == ML_NO_BLOCK ? 0 : 1);
			CHECK_EQ(region[i], p.region);
		}
	}
	CHECK_EQ(at, refs);
	ml_cursor_close(c);
	ml_region_lookup_close(one);
	ml_region_lookup_close(all);
	ml_trace_close(&t);
}
