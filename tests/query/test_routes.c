/*
 * The questions that the page asks, on traces whose answers can be derived by hand,
 * and windows of longer ones against the whole.
 */
#include "lib/query/workspace/request.h"

#include <stdlib.h>

#include "lib/cache/machine/access.h"
#include "lib/base/file.h"
#include "tests/answered.h"

static void open_text(const char *machine, const char *text)
{
	open_workspace(machine);
	add_trace(text, false);
	add_sim(0, machine);
}

static void open_model(const char *machine, const char *text)
{
	open_workspace(machine);
	add_trace(text, true);
	add_sim(0, machine);
}

/* Eight doubles in two lines, read in order, then again: 2 misses of 16. */
static const char two_lines[] = "region A 4096 128 8 4 4\n"
				"L a.c:3\nr4096+8*16\n"
				"L a.c:5\nw4096+8*16\n";

TEST(a_window_is_answered_in_cells)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/sims/0/timeline?cells=4"));
	CHECK_EQ(number("width"), 8);
	size_t n;
	const double *served = column("served", &n);
	CHECK_EQ(n, 8);
	/* lines are missed at 0 and 8 */
	static const double want[] = { 7, 1, 7, 1, 8, 0, 8, 0 };
	for (size_t i = 0; i < 8; i++)
		CHECK_EQ(served[i], want[i]);
	CHECK(ask("/api/sims/0/timeline?cells=4&from=9&to=10"));
	served = column("served", &n);
	CHECK_EQ(n, 2);
	CHECK_EQ(served[0], 1);
	CHECK(ask("/api/sims/0/map?cells=32"));
	const uint8_t *map = column("level", &n);
	CHECK_EQ(n, 32);
	CHECK_EQ(map[0], 2);
	CHECK_EQ(map[1], 1);
	CHECK_EQ(map[8], 2);
	close_workspace();
}

TEST(a_selection_counts_what_it_names)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/sims/0/timeline?cells=2&line=0:5"));
	const double *served = column("served", NULL);
	CHECK_EQ(served[0] + served[1], 16);
	CHECK_EQ(served[2], 16);
	const double *selected = column("selected", NULL);
	CHECK_EQ(selected[0] + selected[1], 0);
	CHECK_EQ(selected[2], 16);
	CHECK(ask("/api/sims/0/select?kind=write"));
	CHECK_EQ(number("references"), 16);
	CHECK(ask("/api/sims/0/select?level=2"));
	CHECK_EQ(number("references"), 2);
	CHECK(ask("/api/sims/0/select?cause=cold&line=0:3"));
	CHECK_EQ(number("references"), 2);
	CHECK(ask("/api/sims/0/select?line=0:3"));
	CHECK_EQ(number("references"), 16);
	CHECK(says("\"served\":[14,2]"));
	CHECK(!ask("/api/sims/0/select?line=7:3"));
	CHECK(!ask("/api/sims/0/select?cause=bad+luck"));
	close_workspace();
}

/* 2^22 references by line 3, then as many by line 5: all but the first two hit. */
TEST(cells_of_a_selection_are_those_of_all_references)
{
	static const char *const selections[] = { "", "&line=0:5", "&thread=7",
						  "&kind=read" };
	static const struct {
		unsigned cells;
		uint64_t width;
	} questions[] = { { 1024, 1 << 13 }, { 64, 1 << 17 }, { 3, 1 << 22 } };

	open_text("L1 1K 2w",
		  "thread 7\nL a.c:3\nr4096*4194304\nL a.c:5\nr8192*4194304\n");
	for (size_t q = 0; q < 3; q++)
		for (size_t i = 0; i < 4; i++) {
			char text[100];
			size_t n, wanted;

			snprintf(text, sizeof(text), "/api/sims/0/timeline?cells=%u%s",
				 questions[q].cells, selections[i]);
			CHECK(ask(text));
			CHECK_EQ(number("width"), questions[q].width);
			const double *all = column("served", &wanted);
			const double *some = i ? column("selected", &n) : all;
			CHECK_EQ(number("cells") * questions[q].width, 1 << 23);
			for (size_t k = 0; k < wanted; k++)
				CHECK_EQ(some[k], i == 1 && k < wanted / 2 ? 0 : all[k]);
		}
	close_workspace();
}

TEST(a_selection_of_bytes_of_a_region)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/traces/0/regions"));
	char question[100];
	unsigned region = (unsigned)number("region");
	snprintf(question, sizeof(question), "/api/sims/0/select?region=%u&offset=8-24",
		 region);
	CHECK(ask(question));
	CHECK_EQ(number("references"), 4);
	CHECK(!ask("/api/sims/0/select?offset=8-24"));
	snprintf(question, sizeof(question),
		 "/api/sims/0/datum?region=%u&offset=8&size=8&around=10", region);
	CHECK(ask(question));
	CHECK_EQ(number("references"), 2);
	CHECK(says("\"time\":1,"));
	CHECK(says("\"time\":17,"));
	close_workspace();
}

TEST(strides_of_a_region_are_summed_over_lines_of_code)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/traces/0/regions"));
	char question[100];
	snprintf(question, sizeof(question), "/api/sims/0/strides?region=%u",
		 (unsigned)number("region"));
	CHECK(ask(question));
	/* each of the two lines makes 16 references, so 15 steps */
	CHECK(says("\"strides\":[{\"bytes\":8,\"count\":30}]"));
	CHECK(!ask("/api/sims/0/strides?region=1000000"));
	close_workspace();
}

TEST(references_come_with_place_and_outcome)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/sims/0/refs?from=15&count=3"));
	size_t n;
	const uint64_t *offset = column("offset", &n);
	CHECK_EQ(n, 3);
	CHECK_EQ(offset[0], 120);
	CHECK_EQ(offset[1], 0);
	const uint16_t *what = column("what", NULL);
	CHECK_EQ(what[0] >> 14, 0);
	CHECK_EQ(what[1] >> 14, 1);
	CHECK_EQ(what[1] & 0x3fff, 8);
	const uint32_t *site = column("site", NULL);
	CHECK(site[0] != site[1]);
	CHECK_EQ(site[1], site[2]);
	close_workspace();
}

TEST(one_reference_in_words)
{
	/* one line in the cache: each drives the other out */
	open_text("L1 64 1w", "region A 4096 64 8\nregion B 8192 64 8\nL a.c:3\n"
			      "w4096 r8192 r4096\n");
	CHECK(ask("/api/sims/0/at?time=1"));
	CHECK(says(
		"\"caption\":\"read B[0] at a.c:3: missed L1, filled from memory, wrote "
		"back and evicted A[0]\""));
	CHECK(says("\"causes\":[\"cold\"]"));
	CHECK(says("\"evicted\":\"A[0]\""));
	CHECK(ask("/api/sims/0/at?time=0"));
	CHECK(says("\"evicted\":null"));
	CHECK(ask("/api/sims/0/at?time=2"));
	CHECK(says("\"causes\":[\"capacity\"]"));
	CHECK(!ask("/api/sims/0/at?time=3"));
	close_workspace();
}

TEST(steps_lead_to_the_next_moment_and_back)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/sims/0/step?at=3&by=miss"));
	CHECK_EQ(number("at"), 8);
	CHECK(ask("/api/sims/0/step?at=8&by=miss&dir=-1"));
	CHECK_EQ(number("at"), 0);
	CHECK(ask("/api/sims/0/step?at=8&by=miss"));
	CHECK(says("{\"at\":null}"));
	CHECK(ask("/api/sims/0/step?at=0&by=line"));
	CHECK_EQ(number("at"), 16);
	CHECK(ask("/api/sims/0/step?at=31&by=line&dir=-1"));
	CHECK_EQ(number("at"), 16);
	CHECK(ask("/api/sims/0/step?at=9&by=reference&dir=-1"));
	CHECK_EQ(number("at"), 8);
	CHECK(ask("/api/sims/0/step?at=0&by=selection&kind=write"));
	CHECK_EQ(number("at"), 16);
	CHECK(!ask("/api/sims/0/step?at=0&by=magic"));
	close_workspace();
}

/* Moments that are rare, far from each other, in a run of several parts of the result. */
TEST(steps_lead_past_long_stretches_without_a_moment)
{
	enum { REFS = 600050, AT_ONCE = 65536 };
	static const char *const by[] = { "by=miss&level=1", "by=first",
					  "by=selection&kind=write" };
	static bool moment[3][REFS];
	char question[200];
	size_t done = 0;

	open_model("L1 1K 2w | L2 8K 4w", "sweep 0x10000 100 8 repeat 3000; "
					  "random 0x900000 64K 50 8 w; "
					  "sweep 0x10000 100 8 repeat 3000");
	CHECK_EQ(((struct ml_open_sim *)workspace.jobs[0])->simulation.result.refs, REFS);
	while (done < REFS) {
		size_t count;

		snprintf(question, sizeof(question), "/api/sims/0/refs?from=%zu&count=%d",
			 done, AT_ONCE);
		CHECK(ask(question));
		const uint16_t *outcome = column("outcome", &count),
			       *what = column("what", NULL);
		for (size_t i = 0; i < count; i++, done++) {
			moment[0][done] = ml_outcome_served(outcome[i]) > 1;
			moment[1][done] = ml_outcome_cause(outcome[i], 1) ==
					  ML_CAUSE_COLD;
			moment[2][done] = what[i] >> 14 == ML_WRITE;
		}
	}
	for (size_t k = 0; k < 3; k++)
		for (size_t at = 7; at < REFS; at += 41003)
			for (int back = 0; back < 2; back++) {
				size_t want = at;

				do
					want += back ? (size_t)-1 : 1;
				while (want < REFS && !moment[k][want]);
				snprintf(question, sizeof(question),
					 "/api/sims/0/step?at=%zu&%s&dir=%d", at, by[k],
					 back ? -1 : 1);
				CHECK(ask(question));
				if (want < REFS)
					CHECK_EQ(number("at"), want);
				else
					CHECK(says("{\"at\":null}"));
			}
	close_workspace();
}

TEST(a_region_in_cells)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/traces/0/regions"));
	CHECK(says("\"dims\":[4,4]"));
	CHECK_EQ(number("extent"), 128);
	char question[100];
	unsigned region = (unsigned)number("region");
	snprintf(question, sizeof(question),
		 "/api/sims/0/cells?region=%u&size=8&cells=16&mode=last&to=18", region);
	CHECK(ask(question));
	const double *read = column("read", NULL), *write = column("write", NULL);
	CHECK_EQ(read[0], 1);
	CHECK_EQ(read[15], 16);
	CHECK_EQ(write[1], 18);
	CHECK_EQ(write[2], 0);
	const uint8_t *served = column("served", NULL);
	CHECK_EQ(served[0], 1);
	CHECK_EQ(served[8], 2);
	snprintf(question, sizeof(question),
		 "/api/sims/0/cells?region=%u&size=64&cells=2&mode=served", region);
	CHECK(ask(question));
	const double *by = column("served", NULL);
	CHECK_EQ(by[0], 15);
	CHECK_EQ(by[1], 1);
	snprintf(question, sizeof(question),
		 "/api/sims/0/plane?region=%u&rows=2&columns=4", region);
	CHECK(ask(question));
	const uint32_t *reads = column("reads", NULL), *writes = column("writes", NULL);
	static const uint32_t want_reads[] = { 8, 0, 0, 0, 0, 8, 0, 0 };
	static const uint32_t want_writes[] = { 0, 0, 8, 0, 0, 0, 0, 8 };
	for (size_t i = 0; i < 8; i++) {
		CHECK_EQ(reads[i], want_reads[i]);
		CHECK_EQ(writes[i], want_writes[i]);
	}
	snprintf(question, sizeof(question),
		 "/api/sims/0/plane?region=%u&rows=2&columns=4&kind=write", region);
	CHECK(ask(question));
	reads = column("reads", NULL), writes = column("writes", NULL);
	for (size_t i = 0; i < 8; i++) {
		CHECK_EQ(reads[i], 0);
		CHECK_EQ(writes[i], want_writes[i]);
	}
	close_workspace();
}

TEST(a_matrix_is_cut_into_cells_in_both_directions)
{
	char question[140];

	/* 4 rows of 32 bytes: cells of 2 rows by 2 elements */
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/traces/0/regions"));
	unsigned region = (unsigned)number("region");
	snprintf(question, sizeof(question),
		 "/api/sims/0/cells?region=%u&size=16&pitch=32&rows=2&cells=4&mode=last&"
		 "to=16",
		 region);
	CHECK(ask(question));
	CHECK_EQ(number("across"), 2);
	const double *read = column("read", NULL);
	CHECK_EQ(read[0], 6); /* of elements 0, 1, 4, 5 the last was read sixth */
	CHECK_EQ(read[1], 8);
	CHECK_EQ(read[2], 14);
	CHECK_EQ(read[3], 16);
	/* a selection counts what it names */
	snprintf(question, sizeof(question),
		 "/api/sims/0/cells?region=%u&size=16&pitch=32&rows=2&cells=4&mode=count&"
		 "kind=write",
		 region);
	CHECK(ask(question));
	const double *reads = column("reads", NULL), *writes = column("writes", NULL);
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQ(reads[i], 0);
		CHECK_EQ(writes[i], 4);
	}
	CHECK(!ask("/api/sims/0/cells?region=0&size=8&pitch=80&cells=4"));
	close_workspace();
}

TEST(the_state_at_a_moment_is_what_the_moves_before_it_made)
{
	open_model("L1 512 2w | L2 2K 4w", "matmul 8; random 0x9000 8K 2000 8 w");
	for (uint64_t at = 0; at < 4000; at += 997) {
		uint64_t held[64] = { 0 };
		char question[100];
		size_t n;

		/* replay all movements from nothing */
		snprintf(question, sizeof(question), "/api/sims/0/moves?from=0&count=%d",
			 (int)at);
		CHECK(ask(question));
		const uint64_t *line = column("line", &n);
		const uint32_t *set = column("set", NULL);
		const uint32_t *way = column("way", NULL);
		const uint8_t *kind = column("kind", NULL), *from = column("from", NULL);
		const uint8_t *to = column("to", NULL);
		for (size_t i = 0; i < n; i++) {
			/* level 1 has 4 sets of 2 ways, level 2 has 8 of 4 */
			if (kind[i] == ML_MOVE_FILL)
				held[to[i] == 1 ? set[i] * 2 + way[i]
						: 8 + set[i] * 4 + way[i]] = line[i] + 1;
			(void)from;
		}
		snprintf(question, sizeof(question), "/api/sims/0/state?at=%d", (int)at);
		CHECK(ask(question));
		line = column("line", &n);
		CHECK_EQ(n, 8 + 32);
		for (size_t i = 0; i < n; i++)
			CHECK_EQ(line[i] + 1, held[i]);
	}
	close_workspace();
}

TEST(windows_add_up_to_the_whole)
{
	open_model("L1 1K 2w | L2 8K 4w", "matmul 24 pad 1; chase 0x100000 500 64 40000");
	uint64_t total = 0, refs;

	CHECK(ask("/api/traces/0"));
	refs = number("references");
	for (uint64_t from = 0; from < refs; from += 7919) {
		char question[120];

		snprintf(question, sizeof(question),
			 "/api/sims/0/select?from=%d&to=%d&level=3", (int)from,
			 (int)(from + 7919));
		CHECK(ask(question));
		total += number("references");
	}
	CHECK(ask("/api/sims/0/select?level=3"));
	CHECK_EQ(number("references"), total);
	CHECK(total > 0);
	CHECK(ask("/api/sims/0/timeline?cells=2"));
	size_t n;
	const double *served = column("served", &n);
	double memory = 0;
	for (size_t i = 2; i < n; i += 3)
		memory += served[i];
	CHECK_EQ(memory, total);
	close_workspace();
}

TEST(the_address_space_has_every_reference)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/sims/0/space?rows=10"));
	size_t n;
	const double *refs = column("references", &n);
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += refs[i];
	CHECK_EQ(sum, 32);
	close_workspace();
}

TEST(threads_that_take_turns_are_looked_at_in_turn)
{
	open_text("cores 2 | L1 256 2w | L2 1K 2w shared",
		  "thread 1\nr0+8*100\nthread 2\nr4096+8*100\nthread 1\nr0\n");
	struct ml_machine m = workspace.machine;
	uint32_t sim;
	CHECK_OK(ml_open_sim_start(&workspace, 0, &m, 10, &sim, &err), &err);
	CHECK_OK(ml_open_sim_finish(&workspace, sim, &err), &err);
	CHECK_EQ(sim, 1);
	CHECK(ask("/api/sims/0"));
	CHECK(says("\"interleaved\":false"));
	CHECK(ask("/api/sims/1"));
	CHECK(says("\"interleaved\":true"));
	CHECK(ask("/api/sims/1/refs?from=0&count=201"));
	size_t n;
	const uint64_t *addr = column("addr", &n);
	const uint16_t *thread = column("thread", NULL), *core = column("core", NULL);
	CHECK_EQ(n, 201);
	size_t changes = 0;
	for (size_t i = 1; i < n; i++) {
		changes += thread[i] != thread[i - 1];
		CHECK_EQ(core[i], thread[i] - 1);
	}
	CHECK(changes > 10);
	/* a window in the middle is a part of the whole */
	uint64_t want = addr[57];
	CHECK(ask("/api/sims/1/refs?from=57&count=1"));
	addr = column("addr", NULL);
	CHECK_EQ(addr[0], want);
	close_workspace();
}

TEST(large_levels_are_told_in_groups_of_sets)
{
	size_t n;

	/* 8 sets of 2 ways; the two lines of A are in sets 0 and 1 */
	open_text("L1 1K 2w 64B wb wa", two_lines);
	CHECK(ask("/api/traces/0/regions"));
	uint32_t region = (uint32_t)number("region");
	CHECK(ask("/api/sims/0/state?at=32&slots=15&groups=4"));
	CHECK_EQ(number("group"), 2);
	column("line", &n);
	CHECK_EQ(n, 0);
	const uint32_t *held = column("held", &n), *dirty = column("dirty", NULL);
	const uint32_t *owner = column("owner", NULL);
	CHECK_EQ(n, 4);
	CHECK_EQ(held[0], 2);
	CHECK_EQ(dirty[0], 2);
	CHECK_EQ(owner[0], region);
	CHECK_EQ(held[1], 0);
	CHECK_EQ(owner[1], UINT32_MAX);
	/* line by line, with the place of each in its region */
	CHECK(ask("/api/sims/0/state?at=32&slots=16"));
	CHECK_EQ(number("group"), 0);
	const uint64_t *line = column("line", &n), *offset = column("offset", NULL);
	size_t found = 0;
	CHECK_EQ(n, 16);
	for (size_t i = 0; i < n; i++)
		if (line[i] != UINT64_MAX) {
			CHECK_EQ(offset[i], line[i] - 4096);
			found++;
		}
	CHECK_EQ(found, 2);
	/* 2 misses at -7 and 30 hits at +1 in 32 references */
	const float *temperature = column("temperature", NULL);
	CHECK_EQ(temperature[0] * 32, 30 - 14);
	close_workspace();
}

TEST(a_window_of_threads_ends_although_the_interleaver_holds_more)
{
	open_text("cores 2 | L1 256 2w | L2 1K 2w shared",
		  "thread 1\nr0+8*9000\nthread 2\nr1000000+8*9000\n");
	struct ml_machine m = workspace.machine;
	uint32_t sim;
	CHECK_OK(ml_open_sim_start(&workspace, 0, &m, 10, &sim, &err), &err);
	CHECK_OK(ml_open_sim_finish(&workspace, sim, &err), &err);
	CHECK(ask("/api/sims/1/refs?from=0&count=18000"));
	size_t n;
	const uint64_t *addr = column("addr", &n);
	CHECK_EQ(n, 18000);
	uint64_t want = addr[57];
	CHECK(ask("/api/sims/1/refs?from=57&count=1"));
	addr = column("addr", &n);
	CHECK_EQ(n, 1);
	CHECK_EQ(addr[0], want);
	close_workspace();
}

TEST(what_does_not_exist_is_said)
{
	open_text("L1 1K 2w", two_lines);
	CHECK(!ask("/api/sims/1/timeline"));
	CHECK(strstr(err.text, "there is no simulation 1"));
	CHECK(!ask("/api/sims/0/timeline?cells=1"));
	CHECK(!ask("/api/sims/0/timeline?from=5&to=2"));
	CHECK(!ask("/api/sims/0/timeline?from=x"));
	CHECK(!ask("/api/sims/0/refs?count=1000000"));
	CHECK(!ask("/api/sims/0/cells?mode=none"));
	CHECK(!ask("/api/traces/3"));
	close_workspace();
}

TEST(numbers_beyond_what_they_count_are_refused_before_a_route_sees_them)
{
	static const struct {
		const char *question, *says;
	} bad[] = {
		{ "cells?region=4294967295", "region=4294967295: there are" },
		{ "cells?grids=4000000000,8,0,64,8,1", "no region 4000000000" },
		{ "last?cells=400000000:8:8", "no region 400000000" },
		{ "plane?region=4294967296", "region=4294967296: there are" },
		{ "datum?region=0&count=1001", "count=1001 is not 1 to 1000" },
		{ "timeline?level=4294967297", "level=4294967297 is not 0 to" },
		{ "timeline?from=18446744073709551615", "is not 0 to 9007199254740992" },
		{ "timeline?form=3", "has no parameter 'form'" },
		{ "refs?count=99999999999999999999", "is not a number" },
		{ "refs?count=-1", "is not a number" },
		{ "lines?file=7", "file=7: there are 1" },
	};
	char question[100];

	open_text("L1 1K 2w", two_lines);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(question, sizeof(question), "/api/sims/0/%s", bad[i].question);
		CHECK_FAILS(ask(question), &err, bad[i].says);
	}
	close_workspace();
}

TEST(every_route_declares_its_parameters)
{
	for (size_t i = 0; ml_kinds[i]; i++)
		for (const struct ml_route *r = ml_kinds[i]->routes; r->path; r++)
			CHECK(r->params != NULL);
}

/* The first one is open already. */
TEST(requests_start_a_bounded_number_of_simulations_of_bounded_size)
{
	struct ml_machine m;
	char text[40];
	uint32_t sim;

	open_text("L1 1K 2w", two_lines);
	CHECK_OK(ml_machine_parse(&m, "L1 8G 16w", &err), &err);
	CHECK_FAILS(ml_open_sim_start(&workspace, 0, &m, 0, &sim, &err), &err,
		    "134217728 lines");
	for (unsigned i = 1; i <= 64; i++) {
		snprintf(text, sizeof(text), "L1 1K 2w %uc", i + 10);
		CHECK_OK(ml_machine_parse(&m, text, &err), &err);
		CHECK_EQ(ml_open_sim_start(&workspace, 0, &m, 0, &sim, &err), i < 64);
	}
	CHECK(strstr(err.text, "64 simulations are open"));
	for (uint32_t i = 1; i < 64; i++)
		CHECK_OK(ml_open_sim_finish(&workspace, i, &err), &err);
	close_workspace();
}

TEST(a_file_that_is_cut_off_while_it_is_open_concerns_no_other)
{
	struct ml_file_map m;
	char page[8192];
	volatile uint8_t last;

	ml_file_map_guard();
	FILE *f = fopen(scratch(), "w");
	CHECK(f != NULL);
	memset(page, 'x', sizeof(page));
	fwrite(page, 1, sizeof(page), f);
	fclose(f);
	CHECK_OK(ml_file_map_open(&m, scratch(), &err), &err);
	CHECK_EQ(m.data[8191], 'x');
	CHECK(!ml_file_map_is_cut(m.data));
	CHECK_EQ(truncate(scratch(), 0), 0);
	last = m.data[8191];
	CHECK_EQ(last, 0);
	CHECK(ml_file_map_is_cut(m.data));
	open_text("L1 1K 2w", two_lines);
	CHECK(ask("/api/sims/0/timeline"));
	ml_file_map_close(&m);
	close_workspace();
	unlink(scratch());
}
