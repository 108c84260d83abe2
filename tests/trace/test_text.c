/* Text traces: the reader reads every form, reads back the writer's, and names mistakes.
 */
#include "lib/trace/text/text.h"

#include "tests/dumped.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static void write_text(const char *path, const char *text)
{
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, path, &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "t", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
}

/* The text, read into a trace, is dumped as these lines; and these lines again. */
static void becomes(const char *text, const char *lines)
{
	const char *path = scratch();

	write_text(path, text);
	dumped_is(path, lines);
	write_text(path, lines);
	dumped_is(path, lines);
}

static void fails(const char *text, const char *says)
{
	const char *path = scratch();
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, path, &err), &err);
	CHECK_FAILS(read_text(w, text, strlen(text), "t", &err), &err, says);
	ml_writer_abandon(w);
}

TEST(the_compact_form_is_kind_address_size_and_thread)
{
	becomes("r0 w64 r0x40:4 w128@2 f16:2@3:1 # r1\n\n", "0 r 0x0 8 1\n"
							    "1 w 0x40 8 1\n"
							    "2 r 0x40 4 1\n"
							    "3 w 0x80 8 2\n"
							    "4 f 0x10 1 3\n");
}

TEST(a_modify_is_a_read_and_then_a_write)
{
	becomes("m8:4", "0 r 0x8 4 1\n1 w 0x8 4 1\n");
}

TEST(a_count_repeats_and_a_stride_moves_on)
{
	becomes("r0+8*3 w32-16*2 r5*2 r7*0", "0 r 0x0 8 1\n1 r 0x8 8 1\n2 r 0x10 8 1\n"
					     "3 w 0x20 8 1\n4 w 0x10 8 1\n"
					     "5 r 0x5 8 1\n6 r 0x5 8 1\n");
}

TEST(the_form_of_the_dissertation_is_read_with_its_lines)
{
	becomes("L /home/roni/code/program.cpp:47\n"
		"R 0x7000ffa0\nR 0x7000ffa1\nW 0x7000ffa2\n",
		"0 r 0x7000ffa0 4 1 /home/roni/code/program.cpp:47\n"
		"1 r 0x7000ffa1 4 1 /home/roni/code/program.cpp:47\n"
		"2 w 0x7000ffa2 4 1 /home/roni/code/program.cpp:47\n");
}

TEST(a_line_may_carry_site_function_object_and_caller)
{
	becomes("r 16 8 1 a.c:3 f\n"
		"w 0x10 4 2 0x401136 deflate [libz.so.1] <- b.c:9 main # a comment\n"
		"r 16 8 1 ? std::vector<int, std::allocator<int> >::size() const\n"
		"r 16 8 1 \"my \\\"file.c\":12 operator new(unsigned long)\n"
		"r 16 8 1 0x10 [a b]\r\n"
		"r 16\n",
		"0 r 0x10 8 1 a.c:3 f\n"
		"1 w 0x10 4 2 0x401136 deflate [libz.so.1] <- b.c:9 main\n"
		"2 r 0x10 8 1 ? std::vector<int, std::allocator<int> >::size() const\n"
		"3 r 0x10 8 1 \"my \\\"file.c\":12 operator new(unsigned long)\n"
		"4 r 0x10 8 1 0x10 [a b]\n"
		"5 r 0x10 8 1\n");
}

TEST(bytes_that_a_terminal_obeys_are_not_written)
{
	becomes("r 0 8 1 a\001.c:1 f\033[31m\nmark \"a\tb\"\n",
		"0 r 0x0 8 1 a?.c:1 f?[31m\nmark a?b\n");
}

TEST(equal_places_are_one_site)
{
	const char *path = scratch();
	struct ml_trace t;
	struct ml_err err;

	write_text(path, "L a.c:1\nr0 r8\nr 0 8 1 a.c:1\nr 0 8 1 a.c:2\nr 0 8 1 a.c:2");
	CHECK_OK(ml_trace_open(&t, path, &err), &err);
	CHECK_EQ(t.tables.sites.count, 3); /* unknown, a.c:1, a.c:2 */
	ml_trace_close(&t);
}

TEST(regions_blocks_and_globals_name_what_is_touched)
{
	becomes("global table 0x100 32 4\n"
		"region A 0x1000 128 8 4 4\n"
		"r0x1000 w0x1028 r0x10c:4\n"
		"alloc \"a buffer\" 0x5000 64\n"
		"r0x5010\n"
		"free 0x5000\n"
		"r0x5010\n"
		"unregion 0x1000\n"
		"r0x1000\n",
		"global table 0x100 32 4\n"
		"region A 0x1000 128 8 4 4\n"
		"0 r 0x1000 8 1 # A[0][0]\n"
		"1 w 0x1028 8 1 # A[1][1]\n"
		"2 r 0x10c 4 1 # table[3]\n"
		"alloc \"a buffer\" 0x5000 64\n"
		"3 r 0x5010 8 1 # a buffer+16\n"
		"free 0x5000\n"
		"4 r 0x5010 8 1\n"
		"unregion 0x1000\n"
		"5 r 0x1000 8 1\n");
}

TEST(marks_states_and_gaps_stand_between_references)
{
	becomes("begin \"phase 1\"\nr0\nthread 2\nr8\nmark here\nstate i -5\nstate j 0x10 @1\n"
		"gap 100 sampling\nr16@1\nend \"phase 1\" @1\ngap ?\n",
		"begin \"phase 1\"\n"
		"0 r 0x0 8 1\n"
		"1 r 0x8 8 2\n"
		"gap 100 sampling\n"
		"mark here @2\n"
		"state i -5 @2\n"
		"state j 16\n"
		"2 r 0x10 8 1\n"
		"gap ? skipped\n"
		"end \"phase 1\"\n");
}

TEST(the_extremes_of_addresses_survive)
{
	becomes("r0xffffffffffffffff:1 w18446744073709551615:1 r0:16383",
		"0 r 0xffffffffffffffff 1 1\n"
		"1 w 0xffffffffffffffff 1 1\n"
		"2 r 0x0 16383 1\n");
}

TEST(large_references_are_cut)
{
	becomes("m0x1ff0:16384", "0 r 0x1ff0 16 1\n"
				 "1 r 0x2000 16368 1\n"
				 "2 w 0x1ff0 16 1\n"
				 "3 w 0x2000 16368 1\n");
}

TEST(a_given_size_replaces_the_usual_ones)
{
	const char *path = scratch();
	struct ml_writer *w;
	struct ml_text t;
	struct ml_err err;

	CHECK_OK(ml_writer_open(&w, path, &err), &err);
	ml_text_init(&t, w, "t");
	t.size = 2;
	t.no_fetch = true;
	CHECK_OK(ml_text_lines(&t, "r0\nR 8\n", 7, &err), &err);
	CHECK_OK(ml_text_lines(&t, "f0\nr 8 1", 8, &err), &err);
	CHECK_EQ(t.line, 4);
	ml_text_release(&t);
	CHECK_OK(ml_writer_close(w, &err), &err);
	dumped_is(path, "0 r 0x0 2 1\n1 r 0x8 2 1\n2 r 0x8 1 1\n");
}

TEST(a_mistake_is_named_with_its_line_and_word)
{
	fails("r0\nr0 x1\n", "t:2: expected a reference or a directive, not 'x1'");
	fails("r", "t:1: expected an address, not ''");
	fails("r 0x", "t:1: expected an address, not '0x'");
	fails("r 0 eight", "t:1: expected a size, not 'eight'");
	fails("r 0 0", "t:1: a reference has 1 byte to 16 MiB, not '0'");
	fails("r0:16777217", "1 byte to 16 MiB, not 'r0:16777217'");
	fails("r 0 8 65536", "threads are numbered from 1 to 65535, not '65536'");
	fails("w0@0", "threads are numbered from 1 to 65535, not 'w0@0'");
	fails("r0*", "a number is missing or too large in 'r0*'");
	fails("r0+8!2", "expected :SIZE, @THREAD, *COUNT, +STRIDE in 'r0+8!2'");
	fails("r18446744073709551616", "expected a reference or a directive");
	fails("7", "t:1: expected a reference after the time '7'");
	fails("7 mark a", "t:1: expected r, w, m or f after the time, not 'mark'");
	fails("L", "t:1: expected FILE:LINE, not ''");
	fails("r 0 8 1 \"a.c:1", "t:1: there is no closing quote in '\"a.c:1'");
	fails("r 0 8 1 \"a.c\" main", "expected :LINE after the file, not 'main'");
	fails("region A 0x10", "t:1: expected a size, not ''");
	fails("region A 0 0",
	      "the size is 0 or exceeds the address space for region 'A'");
	fails("region A 0 64 8 3 3",
	      "the dimensions need more bytes than the size of region 'A'");
	fails("region A 0 64 8 1 1 1 1 1", "at most four dimensions");
	fails("mark", "t:1: a name is missing ''");
	fails("mark a b", "t:1: expected nothing or @THREAD, not 'b'");
	fails("state a b", "t:1: expected the value of a state, not 'b'");
	fails("state a 9223372036854775808", "expected the value of a state");
	fails("gap x", "t:1: expected the number of references or ?, not 'x'");
	fails("gap 1 why", "skipped, sampling, fault, lost or limit, not 'why'");
	fails("free 1 2", "t:1: unexpected '2'");
	fails("\033[31m", "expected a reference or a directive, not '?[31m'");
}

TEST(every_prefix_of_a_text_is_read_or_refused)
{
	static const char text[] =
		"region A 0 64 8 2 2\nr0x10:4@2+8*3\nL a.c:1\nR 8\n"
		"5 r 0x10 8 1 \"a b\":3 f [o] <- c.c:4 g # x\nstate i -1 @2\n";
	const char *path = scratch();

	for (size_t n = 0; n < sizeof(text); n++) {
		struct ml_writer *w;
		struct ml_err err = { 0 };

		CHECK_OK(ml_writer_open(&w, path, &err), &err);
		if (read_text(w, text, n, "t", &err))
			CHECK_OK(ml_writer_close(w, &err), &err);
		else {
			CHECK(strstr(err.text, "t:"));
			ml_writer_abandon(w);
		}
	}
}
