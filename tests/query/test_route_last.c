/*
 * Last results of regions up to a moment: by hand on a short trace, and on a long one,
 * where moments are kept and gone on from, against a walk over everything.
 */
#include "lib/query/trace/routes/route_last.h"

#include <stdlib.h>

#include "lib/cache/machine/machine.h"
#include "lib/query/trace/routes/route_cells.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/trace/text/model.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static struct ml_workspace workspace;
static struct ml_err err;

static void open_workspace(const char *machine)
{
	struct ml_machine m;
	uint32_t sim;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	CHECK_OK(ml_open_sim_start(&workspace, 0, &m, ML_INTERLEAVE_AUTO, &sim, &err),
		 &err);
	CHECK_OK(ml_open_sim_finish(&workspace, sim, &err), &err);
}

static void open_text(const char *machine, const char *text)
{
	struct ml_writer *w;

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	open_workspace(machine);
}

/* The column `served` of a question, as digits. */
static bool served(ml_route_fn *route, char *out, size_t cap, struct ml_param *params,
		   size_t count)
{
	struct ml_request q = { .method = "GET", .path = "", .count = count };
	struct ml_answer a = { 0 };

	if (count)
		memcpy(q.params, params, count * sizeof(*params));
	ml_answer_init(&a);
	err = (struct ml_err){ 0 };
	bool ok = route(&workspace, &q, &a, &err);
	for (size_t i = 0; ok && i < a.count; i++)
		if (!strcmp(a.columns[i].name, "served")) {
			const uint8_t *v = a.columns[i].data;

			CHECK(a.columns[i].count < cap);
			for (size_t k = 0; k < a.columns[i].count; k++)
				out[k] = (char)('0' + v[k]);
			out[a.columns[i].count] = 0;
		}
	ml_answer_release(&a);
	return ok;
}

static char digits[5000], others[5000];

static const char *last(uint64_t at, const char *cells)
{
	char text[24];
	struct ml_param p[] = { { "at", text }, { "cells", cells } };

	snprintf(text, sizeof(text), "%llu", (unsigned long long)at);
	CHECK_OK(served(ml_route_last, digits, sizeof(digits), p, 2), &err);
	return digits;
}

TEST(each_cell_has_the_result_of_its_last_access)
{
	/* one line of 64 bytes: the second half of A drives the first out */
	open_text("L1 64 full 64B", "global A 4096 128 8\n"
				    "r4096 r4160 r4096 r4104\n");
	CHECK_STR(last(0, "1:8:16"), "0000000000000000");
	CHECK_STR(last(1, "1:8:16"), "2000000000000000");
	CHECK_STR(last(2, "1:8:16"), "2000000020000000");
	CHECK_STR(last(4, "1:8:16"), "2100000020000000");
	CHECK_STR(last(1, "1:8:16"), "2000000000000000"); /* and back */
	CHECK_STR(last(99, "1:64:2"), "12");
	ml_workspace_close(&workspace);
}

TEST(regions_of_several_blocks_are_cut_one_behind_the_other)
{
	open_text("L1 64 full 64B", "global A 4096 64 8\n"
				    "alloc B 8192 64 8\nalloc B 16384 64 8\n"
				    "r4096 r8192 r16384 r16440 r16440\n");
	CHECK_STR(last(5, "1:32:2,2:64:2"), "2021");
	CHECK_STR(last(3, "1:32:2,2:64:2"), "2022");
	CHECK_STR(last(2, "1:32:2,2:64:2"), "2020");
	ml_workspace_close(&workspace);
}

/* The same by going over the run from its beginning. */
static const char *slowly(uint64_t to)
{
	char text[24];
	struct ml_param p[] = {
		{ "mode", "last" }, { "region", "1" }, { "from", "0" },
		{ "to", text },     { "size", "64" },  { "cells", "500" }
	};

	snprintf(text, sizeof(text), "%llu", (unsigned long long)to);
	CHECK_OK(served(ml_route_cells, others, sizeof(others), p, 6), &err);
	return others;
}

TEST(long_runs_are_gone_on_from_where_something_is_known)
{
	static const uint64_t when[] = { 900000, 1,      262144,  262143, 262145,
					 600001, 599999, 1000000, 524288, 0 };
	const char *text = "chase 0x100000 500 64 1000000";
	struct ml_model m;
	struct ml_writer *w;

	CHECK_OK(ml_model_init(&m, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	ml_model_release(&m);
	open_workspace("L1 1K 2w | L2 8K 4w");
	for (size_t i = 0; i < sizeof(when) / sizeof(*when); i++)
		CHECK_STR(last(when[i], "1:64:500"), slowly(when[i]));
	/* all of it is touched, and from a cache that holds a fourth */
	CHECK(!strchr(last(1000000, "1:64:500"), '0') && strchr(digits, '3'));
	ml_workspace_close(&workspace);
}

TEST(more_cuts_than_are_kept_are_answered_too)
{
	char cells[40];

	open_text("L1 64 full 64B", "global A 4096 128 8\nr4096 r4160\n");
	for (int round = 0; round < 2; round++)
		for (int n = 1; n <= 8; n++) {
			snprintf(cells, sizeof(cells), "1:%d:1", 8 * n);
			CHECK_STR(last(2, cells), "2");
		}
	ml_workspace_close(&workspace);
}

TEST(what_is_no_cut_is_said)
{
	static const char *const wrong[] = { "",        "0",     "0:0:4",  "0:8:0",
					     "0:8:4,",  "a:8:4", "0:8:4;", "0:8:70000",
					     "0:8:4 1", "0:8:-4" };

	open_text("L1 64 full 64B", "global A 4096 128 8\nr4096\n");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct ml_param p[] = { { "cells", wrong[i] } };

		CHECK(!served(ml_route_last, digits, sizeof(digits), p, 1));
		CHECK_EQ(err.kind, ML_USAGE);
	}
	CHECK(!served(ml_route_last, digits, sizeof(digits), NULL, 0));
	CHECK(strstr(err.text, "cells is missing") != NULL);
	ml_workspace_close(&workspace);
}
