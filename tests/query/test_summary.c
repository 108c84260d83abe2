/*
 * The summary of a trace: compared, on random traces, with counting by hand one
 * reference after the other; and its tables, on traces short enough to read.
 */
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static uint64_t seed;

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

struct opened {
	struct ml_trace trace;
	struct ml_summary s;
};

static void open_summary(struct opened *o)
{
	struct ml_err err;

	CHECK_OK(ml_trace_open(&o->trace, scratch(), &err), &err);
	CHECK_OK(ml_summary_open(&o->s, &o->trace, NULL, &err), &err);
}

static void close_summary(struct opened *o)
{
	ml_summary_close(&o->s);
	ml_trace_close(&o->trace);
}

static const struct ml_summary_region *region(const struct opened *o, const char *name)
{
	for (size_t i = 0; i < o->s.regions.count; i++)
		if (!strcmp(o->s.regions.at[i].name, name))
			return &o->s.regions.at[i];
	TEST_SAY("no region %s", name);
	return NULL;
}

static const struct ml_summary_line *line(const struct opened *o, const char *file,
					  uint32_t number)
{
	for (size_t i = 0; i < o->s.lines.count; i++)
		if (!strcmp(o->s.lines.at[i].at.file, file) &&
		    o->s.lines.at[i].at.line == number)
			return &o->s.lines.at[i];
	TEST_SAY("no line %s:%u", file, number);
	return NULL;
}

enum { SITES = 30, HEAP = 8, PAGE = 4096, BLOCKS = 40 };

/* Blocks that come and go, references to them and around them, from several threads. */
static void write_random(unsigned refs)
{
	struct ml_writer *w;
	struct ml_err err;
	uint64_t block[BLOCKS] = { 0 };
	uint32_t heap[HEAP];

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	for (uint32_t i = 0; i < SITES; i++) {
		struct ml_frame f = { ml_tables_name(t, i % 3 ? "f" : "g"),
				      ml_tables_name(t, i % 2 ? "a.c" : "b.c"),
				      10 + i % 7 };

		ml_tables_site(t, 0x1000 + i, i % 4 ? "program" : "libc.so", i % 4, &f,
			       1);
	}
	for (uint32_t i = 0; i < HEAP; i++) {
		heap[i] = (uint32_t)t->regions.count;
		struct ml_region *r = ML_ADD(t->regions);
		char name[8] = { 'R', (char)('0' + i), 0 };

		r->kind = ML_REGION_HEAP;
		r->name = ml_tables_name(t, name);
	}
	for (unsigned i = 0; i < refs; i++) {
		unsigned b = (unsigned)random_below(BLOCKS);
		uint64_t base = 0x10000000 + b * 64ull * PAGE * (b % 5 ? 1 : 300);

		if (!block[b] && random_below(4) == 0) {
			block[b] = 1 + random_below(60 * PAGE);
			ml_writer_alloc(w, heap[random_below(HEAP)], base, block[b]);
		} else if (block[b] && random_below(50) == 0) {
			ml_writer_free(w, base);
			block[b] = 0;
		}
		if (random_below(1000) == 0)
			ml_writer_gap(w, random_below(10), ML_GAP_SAMPLING);
		struct ml_ref ref = {
			.addr = base + random_below(61 * PAGE),
			.site = (uint32_t)random_below(SITES + 1),
			.caller = random_below(3) ? 0 : (uint32_t)random_below(SITES),
			.thread = (uint16_t)(1 + random_below(3)),
			.what = ml_what((enum ml_kind)random_below(3),
					(unsigned)random_below(200)),
		};
		CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	}
	CHECK_OK(ml_writer_close(w, &err), &err);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t distinct(uint64_t *v, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(v, count, sizeof(*v), by_value);
	for (size_t i = 0; i < count; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

/* Everything that the pass counts, by slow, obvious code. */
struct slow {
	uint64_t *refs, *writes; /* by region */
	uint64_t *touched;       /* region << 40 | line, each as often as it comes */
	size_t touches, cap;
	uint64_t thread[4];
	struct ml_region_lookup *space;
};

static void count_slowly(struct ml_trace *t, struct slow *x)
{
	struct ml_cursor *c = ml_cursor_open(t, 0, t->count);
	struct ml_batch batch;
	struct ml_err err;

	x->space = ml_region_lookup_open(t, &err);
	x->refs = calloc(1000, sizeof(*x->refs));
	x->writes = calloc(1000, sizeof(*x->writes));
	while (ml_cursor_next(c, &batch, &err))
		for (size_t i = 0; i < batch.count; i++) {
			struct ml_ref ref = ml_batch_ref(&batch, i);
			uint64_t r = ml_region_lookup_find(x->space, &ref).region;
			uint64_t size = ml_what_size(ref.what);

			x->refs[r]++;
			x->writes[r] += ml_what_kind(ref.what) == ML_WRITE;
			x->thread[ref.thread]++;
			for (uint64_t l = ref.addr / 64;
			     l <= (ref.addr + (size ? size : 1) - 1) / 64; l++) {
				x->touched = ml_grow(x->touched, &x->cap, x->touches + 1,
						     sizeof(*x->touched));
				x->touched[x->touches++] = r << 40 | l;
			}
		}
	ml_cursor_close(c);
	x->touches = distinct(x->touched, x->touches);
}

TEST(random_traces_are_counted_as_slow_obvious_code_counts_them)
{
	for (seed = 1; seed < 6; seed++) {
		struct slow x = { 0 };
		struct opened o;
		uint64_t all = 0, library = 0, made = 0, with = 0;

		write_random(20000);
		open_summary(&o);
		count_slowly(&o.trace, &x);
		for (size_t i = 0; i < o.s.regions.count; i++) {
			const struct ml_summary_region *r = &o.s.regions.at[i];
			uint64_t lines = 0;

			for (size_t k = 0; k < x.touches; k++)
				lines += x.touched[k] >> 40 == r->region;
			CHECK_EQ(r->count.refs, x.refs[r->region]);
			CHECK_EQ(r->count.writes, x.writes[r->region]);
			CHECK_EQ(r->lines, lines);
			all += r->count.refs;
		}
		CHECK_EQ(all, 20000);
		for (size_t k = 0; k < x.touches; k++)
			x.touched[k] &= ((uint64_t)1 << 40) - 1;
		x.touches = distinct(x.touched, x.touches);
		CHECK_EQ(o.s.touched.lines, x.touches);
		for (size_t k = 0; k < x.touches; k++)
			x.touched[k] /= 64;
		CHECK_EQ(o.s.touched.pages, distinct(x.touched, x.touches));
		for (size_t i = 0; i < o.s.threads.count; i++)
			CHECK_EQ(o.s.threads.at[i].refs, x.thread[o.s.threads.at[i].id]);
		for (size_t i = 0; i < o.s.functions.count; i++) {
			made += o.s.functions.at[i].made.refs;
			with += o.s.functions.at[i].with_library;
		}
		CHECK_EQ(made, 20000);
		CHECK_EQ(with, 20000);
		all = 0;
		for (size_t i = 0; i < o.s.lines.count; i++) {
			all += o.s.lines.at[i].count.refs;
			library += o.s.lines.at[i].at.library;
		}
		CHECK_EQ(all, 20000);
		CHECK(library > 0 && library < 20000);
		ml_region_lookup_close(x.space);
		free(x.refs);
		free(x.writes);
		ml_free(x.touched);
		close_summary(&o);
	}
}

TEST(a_reference_across_a_line_touches_both_and_a_line_of_two_regions_counts_once)
{
	struct opened o;

	write_text("global A 0x1000 32\nglobal B 0x1020 64\n"
		   "r 0x1000 8 1\nr 0x1018 8 1\nr 0x1020 8 1\nr 0x103c 8 1\n");
	open_summary(&o);
	CHECK_EQ(region(&o, "A")->lines, 1);
	CHECK_EQ(region(&o, "B")->lines, 2);
	CHECK_EQ(o.s.touched.lines, 2);
	CHECK_EQ(o.s.touched.pages, 1);
	close_summary(&o);
}

TEST(a_region_is_as_large_as_its_blocks_that_live_together)
{
	struct opened o;

	write_text("alloc A 0x1000 100\nr 0x1000 8 1\nalloc A 0x2000 50\nr 0x2000 8 1\n"
		   "free 0x1000\nr 0x2000 8 1\nalloc A 0x3000 60\nr 0x3000 8 1\n");
	open_summary(&o);
	CHECK_EQ(region(&o, "A")->blocks, 3);
	CHECK_EQ(region(&o, "A")->size, 150);
	close_summary(&o);
}

TEST(what_a_library_does_counts_for_the_line_that_called_and_for_both_functions)
{
	struct opened o;
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	struct ml_frame own = { ml_tables_name(t, "save"), ml_tables_name(t, "a.c"), 7 };
	struct ml_frame lib = { ml_tables_name(t, "memcpy"), 0, 0 };
	uint32_t call = ml_tables_site(t, 1, "prog", true, &own, 1);
	uint32_t copy = ml_tables_site(t, 2, "libc.so", false, &lib, 1);
	struct ml_ref refs[] = {
		{ .addr = 0, .site = call, .thread = 1, .what = ml_what(ML_READ, 8) },
		{ .addr = 0,
		  .site = copy,
		  .caller = call,
		  .thread = 1,
		  .what = ml_what(ML_WRITE, 8) },
		{ .addr = 8,
		  .site = copy,
		  .caller = call,
		  .thread = 1,
		  .what = ml_what(ML_WRITE, 8) },
		{ .addr = 8, .site = copy, .thread = 1, .what = ml_what(ML_WRITE, 8) },
	};
	for (size_t i = 0; i < 4; i++)
		CHECK_OK(ml_writer_ref(w, &refs[i], &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	open_summary(&o);

	const struct ml_summary_line *l = line(&o, "a.c", 7);
	CHECK_EQ(l->count.refs, 3);
	CHECK_EQ(l->count.writes, 2);
	CHECK_EQ(l->at.library, 2);
	CHECK_STR(l->at.through, "memcpy");
	CHECK_EQ(o.s.lines.count, 2);
	CHECK(!o.s.lines.at[1].at.own);
	CHECK_STR(o.s.functions.at[0].at.func, "save");
	CHECK_EQ(o.s.functions.at[0].made.refs, 1);
	CHECK_EQ(o.s.functions.at[0].with_library, 3);
	CHECK_STR(o.s.functions.at[1].at.func, "memcpy");
	CHECK_EQ(o.s.functions.at[1].made.refs, 3);
	CHECK_EQ(o.s.functions.at[1].with_library, 1);
	close_summary(&o);
}

TEST(a_template_of_the_system_counts_for_the_line_it_is_inlined_into)
{
	struct opened o;
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	struct ml_frame chain[] = {
		{ ml_tables_name(t, "std::fill"),
		  ml_tables_name(t, "/usr/include/c++/fill.h"), 90 },
		{ ml_tables_name(t, "main"), ml_tables_name(t, "/home/me/a.cpp"), 5 },
	};
	struct ml_ref ref = { .site = ml_tables_site(t, 1, "prog", true, chain, 2),
			      .thread = 1,
			      .what = ml_what(ML_READ, 8) };
	CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	open_summary(&o);
	CHECK_STR(line(&o, "/home/me/a.cpp", 5)->at.func, "main");
	CHECK_STR(o.s.functions.at[0].at.func, "std::fill");
	close_summary(&o);
}

TEST(what_an_accessor_touches_counts_for_the_line_that_calls_it)
{
	struct opened o;
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	struct ml_tables *t = ml_writer_tables(w);
	struct ml_frame chain[] = {
		{ ml_tables_name(t, "get"), ml_tables_name(t, "/home/me/a.h"), 90 },
		{ ml_tables_name(t, "main"), ml_tables_name(t, "/home/me/a.c"), 5 },
	};
	struct ml_ref ref = { .site = ml_tables_site(t, 1, "prog", true, chain, 2),
			      .thread = 1,
			      .what = ml_what(ML_READ, 8) };
	t->sites.at[ref.site].accessors = 1;
	CHECK_OK(ml_writer_ref(w, &ref, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	open_summary(&o);
	CHECK_STR(line(&o, "/home/me/a.c", 5)->at.func, "main");
	CHECK_STR(line(&o, "/home/me/a.c", 5)->at.through, "get");
	CHECK_EQ(line(&o, "/home/me/a.c", 5)->at.library, 0);
	close_summary(&o);
}

TEST(phases_nest_repeat_and_count_what_several_threads_do_in_them_once)
{
	struct opened o;

	write_text(
		"begin a\nr0 r8\nbegin b\nr0\nend b\nbegin b\nr0 r8\nend b\nend a\nr0\n"
		"begin b\nr0\nbegin b @2\nr0@2\nend b\nr0\nend b @2\nr0\n"
		"begin c\nbegin d\nr0\nend c\nend c\nbegin e\nr0\n");
	open_summary(&o);
	static const struct ml_phase expected[] = {
		{ "a", 0, 1, 5, false }, { "b", 1, 2, 3, false }, { "b", 0, 2, 3, false },
		{ "c", 0, 1, 1, false }, { "d", 1, 1, 1, false }, { "e", 0, 1, 1, true },
	};
	CHECK_EQ(o.s.phases.count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct ml_phase *p = &o.s.phases.at[i], *e = &expected[i];

		CHECK_STR(p->name, e->name);
		CHECK_EQ(p->depth, e->depth);
		CHECK_EQ(p->times, e->times);
		CHECK_EQ(p->refs, e->refs);
		CHECK_EQ(p->open, e->open);
	}
	close_summary(&o);
}

TEST(marks_states_and_gaps_are_summed_up_by_name)
{
	struct opened o;

	write_text(
		"mark m\nr0\nmark m\nstate i 5\nr0\nstate i -7\nr0\ngap 3 sampling\nr0\n"
		"gap 4 sampling\nr0\ngap ? lost\nr0\n");
	open_summary(&o);
	CHECK_EQ(o.s.marks.count, 1);
	CHECK_EQ(o.s.marks.at[0].times, 2);
	CHECK_EQ(o.s.states.count, 1);
	CHECK_EQ(o.s.states.at[0].low, -7);
	CHECK_EQ(o.s.states.at[0].high, 5);
	CHECK_EQ(o.s.gaps.count, 2);
	CHECK_EQ(o.s.gaps.at[0].gaps, 2);
	CHECK_EQ(o.s.gaps.at[0].missing, 7);
	CHECK(!o.s.gaps.at[0].unknown);
	CHECK(o.s.gaps.at[1].unknown);
	close_summary(&o);
}

TEST(an_empty_trace_has_an_empty_summary)
{
	struct opened o;

	write_text("");
	open_summary(&o);
	CHECK_EQ(o.s.total.refs, 0);
	CHECK_EQ(o.s.regions.count, 0);
	CHECK_EQ(o.s.lines.count, 0);
	CHECK_EQ(o.s.touched.pages, 0);
	close_summary(&o);
}
