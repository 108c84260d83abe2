/*
 * What the page asks about ensembles, on members whose counts are written down: 64
 * references of a trace "long" in bins of 8, 32 of a trace "short".
 */
#include "tests/answered.h"
#include "tests/by_hand.h"

static struct ml_ensemble e;
static char file[80];

/* Misses by bin: 1 K misses in the first half, 2 K in the first quarter, 3 K never. */
static const uint32_t misses[3][8] = { { 8, 8, 8, 8 }, { 8, 8 }, { 0 } };
static const char *const machines[] = { "L1 1K 1c | memory 9c", "L1 2K 1c | memory 9c",
					"L1 3K full 1c | memory 9c" };
static const char *const values[] = { "1K", "2K", "3K" };

static void start(void)
{
	ml_ensemble_init(&e);
	hand_trace(&e, "long", 64, 3);
	hand_milestones(&e, "mark half", 1, (const uint64_t[]){ 32 });
	for (unsigned i = 0; i < 3; i++)
		hand_param(&e, hand_member(&e, 0, machines[i], misses[i]), "L1 size",
			   values[i], 1024 * (i + 1.0));
}

static void open_ensemble(void)
{
	struct ml_machine m;

	snprintf(file, sizeof(file), "%s.mle", scratch());
	ml_ensemble_label(&e);
	CHECK_OK(ml_ensemble_save(&e, file, &err), &err);
	ml_ensemble_release(&e);
	CHECK_OK(ml_machine_parse(&m, "L1 1K", &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, file, &err), &err);
}

static void done(void)
{
	close_workspace();
	unlink(file);
}

static bool has(const char *text)
{
	const char *at = (const char *)bytes.data;

	return strstr(!memcmp(at, "MLC1", 4) ? at + 8 : at, text) != NULL;
}

TEST(an_ensemble_tells_its_traces_parameters_and_members)
{
	start();
	open_ensemble();
	CHECK(ask("/api/open"));
	CHECK(has("\"documents\":[{\"kind\":\"ensemble\",\"number\":0,"));
	CHECK(has("\"members\":3}"));
	CHECK(ask("/api/ensembles/0"));
	CHECK(has("\"levels\":1,\"plots\":[{\"id\":\"curves\",\"title\":\"curves\","
		  "\"help\":\"all members over time\"},{\"id\":\"spread\""));
	CHECK(has("\"measures\":[{\"id\":\"time\",\"label\":\"access time\""));
	CHECK(has("\"label\":\"miss ratio of\",\"axis\":\"miss ratio of {level}\","
		  "\"level\":true}"));
	CHECK(has(
		"\"times\":[\"raw\",\"normalised\",\"matched\"],\"traces\":[{\"trace\":0,\"label\":\"long\""));
	CHECK(has("\"references\":64,\"width\":8,\"bins\":8,\"open\":null,"
		  "\"milestones\":[{\"name\":\"mark half\",\"count\":1}]"));
	CHECK(has("\"parameters\":[{\"name\":\"L1 size\",\"numeric\":true,\"size\":true,"
		  "\"effect\":1,\"colours\":[{\"role\":\"number\",\"index\":0,\"of\":3},"
		  "{\"role\":\"number\",\"index\":1,\"of\":3},"
		  "{\"role\":\"number\",\"index\":2,\"of\":3}],"
		  "\"values\":[\"1K\",\"2K\",\"3K\"]}]"));
	CHECK(has("\"usual\":{\"x\":\"L1 size\",\"y\":null,\"colour\":\"L1 size\","
		  "\"facet\":null}"));
	CHECK(has("\"values\":[\"2K\"],\"numbers\":[2048]"));
	CHECK(has("\"served\":[48,16],\"cycles\":3}")); /* (48 + 16 * 9) / 64 */
	CHECK(!ask("/api/ensembles/1"));
	CHECK(strstr(err.text, "no ensemble 1") != NULL);
	done();
}

TEST(curves_are_answered_member_by_member_with_their_spread)
{
	size_t n;

	start();
	open_ensemble();
	CHECK(ask("/api/ensembles/0/figure?cells=4&members=0,2"));
	CHECK(has(
		"\"from\":0,\"to\":64,\"plot\":\"curves\",\"end\":64,\"cells\":4,\"unit\":\"cycles\","
		"\"window\":0,\"members\":[0,2],\"across\":0,\"panels\":[{\"share\":1"));
	const float *mean = column("mean", &n);
	CHECK_EQ(n, 8);
	static const float want[] = { 9, 9, 1, 1, 1, 1, 1, 1 };
	for (size_t i = 0; i < 8; i++)
		CHECK_NEAR(mean[i], want[i], 1e-6);
	const float *average = column("average", &n), *spread = column("spread", NULL);
	CHECK_EQ(n, 4);
	CHECK_NEAR(average[0], 5, 1e-6);
	CHECK_NEAR(spread[0], 4, 1e-6);
	CHECK_NEAR(spread[3], 0, 1e-6);
	/* one cell of both halves: low and high are the bins' */
	CHECK(ask("/api/ensembles/0/figure?cells=2&members=1&from=8&to=24"));
	CHECK_NEAR(((const float *)column("mean", NULL))[1], 1, 1e-6);
	CHECK_NEAR(((const float *)column("high", NULL))[0], 9, 1e-6);
	CHECK(ask("/api/ensembles/0/figure?cells=2&members=1&weights=3,300"));
	CHECK_NEAR(((const float *)column("mean", NULL))[0], 151.5, 1e-4);
	CHECK(ask("/api/ensembles/0/figure?cells=2&members=0&against=1&measure=miss"));
	CHECK(has("\"unit\":\"share\""));
	CHECK_NEAR(((const float *)column("mean", NULL))[0], 0.5, 1e-6);
	CHECK(ask("/api/ensembles/0/figure?cells=4&time=normalised&from=0.5"));
	CHECK(has("\"from\":0.5,\"to\":1,\"plot\":\"curves\",\"end\":1"));
	CHECK(ask("/api/ensembles/0/figure?cells=8&window=24&members=0"));
	CHECK_NEAR(((const float *)column("mean", NULL))[3], (9 + 9 + 1) / 3.0, 1e-6);
	done();
}

TEST(what_cannot_be_asked_is_said)
{
	static const struct {
		const char *question, *says;
	} bad[] = {
		{ "figure?measure=speed", "no measure 'speed'" },
		{ "figure?weights=3", "'3' has 1 weights; 2 are needed" },
		{ "figure?weights=3,x", "weights are cycles by level" },
		{ "figure?members=0,7", "they are 0 to 2" },
		{ "figure?time=slow", "raw, normalised or matched" },
		{ "figure?against=9", "against=9: there are 3" },
		{ "figure?from=9&to=3", "from=9 lies behind to=3" },
		{ "figure?window=-1", "not a number" },
		{ "figure?window=nan", "not a number" },
		{ "figure?cells=1", "not 2 to 65536" },
		{ "figure?base=4", "base=4: there are" },
		{ "figure?level=0", "level=0 is not 1 to" },
		{ "matching?time=matched&match=a%3Db%3Dc", "no milestone" },
		{ "matching?time=matched&match=;", "';' names no milestone" },
		{ "figure?plot=workingset&size=L7", "they differ by L1 size" },
		{ "figure?plot=pie", "no plot 'pie'" },
		{ "figure?envelope=all", "range, deviation or none" },
		{ "figure?plot=shared&real=9", "real=9: there are 3" },
		{ "figure?plot=parameter&x=L7", "they differ by L1 size" },
		{ "figure?members=", "no member" },
		{ "figure?plot=shared&total=99999", "add up to" },
		{ "figure?plot=shared&threads=20", "2 to 8 threads" },
	};
	char question[100];

	start();
	open_ensemble();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(question, sizeof(question), "/api/ensembles/0/%s",
			 bad[i].question);
		CHECK_FAILS(ask(question), &err, bad[i].says);
	}
	done();
}

TEST(the_table_has_the_best_first)
{
	start();
	open_ensemble();
	CHECK(ask("/api/ensembles/0/table"));
	CHECK(has(
		"\"rows\":[{\"member\":2,\"value\":1,\"references\":64},"
		"{\"member\":1,\"value\":3,\"references\":64},{\"member\":0,\"value\":5,"));
	CHECK(ask("/api/ensembles/0/table?measure=served&level=1&from=32&to=64"));
	CHECK(has("\"rows\":[{\"member\":0,\"value\":1,\"references\":32}"));
	CHECK(ask("/api/ensembles/0/table?against=0"));
	CHECK(has("\"rows\":[{\"member\":2,\"value\":-4,"));
	done();
}

TEST(a_figure_has_axes_marks_and_rows)
{
	static const double want[] = { 5, 3, 1 };
	size_t n;

	start();
	open_ensemble();
	CHECK(ask("/api/open"));
	CHECK(has("\"colours\":{\"light\":{\"text\":\"#1c1e21\""));
	CHECK(ask("/api/ensembles/0/figure?plot=parameter&height=310"));
	CHECK(has("\"title\":\"Access time of long against L1 size\""));
	CHECK(has(
		"\"panels\":[{\"share\":1,\"rows\":0,\"axes\":[{\"id\":\"x\",\"label\":\"L1 size\",\"unit\":\"\","
		"\"scale\":\"linear\",\"domain\":[942.08,3153.92],"
		"\"ticks\":[{\"at\":1024,\"text\":\"1K\"}"));
	CHECK(has("\"unit\":\"cycles\",\"scale\":\"linear\",\"domain\":[0,5],"
		  "\"ticks\":[{\"at\":0,\"text\":\"0\"},{\"at\":1,"));
	CHECK(has("\"marks\":[{\"type\":\"line\",\"rows\":[0,3],"
		  "\"colour\":{\"role\":\"word\",\"index\":0},\"width\":1.8,"
		  "\"opacity\":1,\"dash\":[]}"));
	CHECK(has("\"texts\":[\"5\",\"3\",\"1\"]"));
	const double *y = column("y", &n);
	const uint32_t *member = column("member", NULL);
	CHECK_EQ(n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_NEAR(y[i], want[i], 1e-9);
		CHECK_EQ(member[i], i);
	}
	CHECK(ask("/api/ensembles/0/figure?plot=map&members=0,2&from=32"));
	CHECK(has("\"scale\":\"band\",\"domain\":[-0.5,1.5]"));
	CHECK(has("\"colour\":{\"role\":\"heat\"}"));
	CHECK_NEAR(((const double *)column("value", NULL))[0], 1, 1e-9);
	CHECK_NEAR(((const double *)column("x_end", NULL))[1], 1.5, 1e-9);
	done();
}

TEST(working_sets_and_threads_that_share_follow_from_sizes)
{
	size_t n;

	start();
	open_ensemble();
	CHECK(ask("/api/ensembles/0/figure?plot=workingset&window=1&cells=4"));
	CHECK(has("\"size\":\"L1 size\",\"tolerance\":0.05,\"members\":[0,1,2]"));
	const float *set = column("bytes", &n);
	CHECK_EQ(n, 4);
	CHECK(isnan(set[0])); /* none agrees with 3 K */
	CHECK_NEAR(set[1], 2048, 0);
	CHECK_NEAR(set[3], 1024, 0);
	CHECK(ask(
		"/api/ensembles/0/figure?plot=shared&window=1&size=L1 size&total=4096&shift=0&cells=8"));
	CHECK(has("\"ways\":2,\"threads\":2,\"size\":\"L1 size\",\"total\":4096"));
	const float *sizes = column("sizes", &n);
	CHECK_EQ(n, 3);
	CHECK_NEAR(sizes[2], 3072, 0);
	const float *mean = column("mean", &n);
	CHECK_EQ(n, 16);
	CHECK_NEAR(mean[0], 5, 1e-6); /* 1 K misses, 3 K hits */
	CHECK_NEAR(mean[8], 9, 1e-6); /* twice 2 K */
	const uint32_t *member = column("member", &n);
	CHECK_EQ(n, 4);
	CHECK_EQ(member[1], 2);
	CHECK_EQ(member[2], 1);
	CHECK_EQ(((const uint32_t *)column("starved", NULL))[0], 1);
	CHECK_EQ(((const uint32_t *)column("starved", NULL))[1], 0);
	CHECK_NEAR(((const float *)column("value", NULL))[0], 3, 1e-6);
	CHECK_NEAR(((const float *)column("value", NULL))[1], 3, 1e-6);
	done();
}

TEST(traces_are_matched_at_milestones)
{
	start();
	hand_trace(&e, "short", 32, 3);
	hand_milestones(&e, "a.c:12", 2, (const uint64_t[]){ 8, 24 });
	hand_param(&e, hand_member(&e, 1, machines[0], (const uint32_t[]){ 8, 8, 8, 8 }),
		   "L1 size", values[0], 1024);
	open_ensemble();
	/* names that differ must be said, percent-encoded or not */
	CHECK_FAILS(ask("/api/ensembles/0/matching?time=matched"), &err,
		    "no milestone in common");
	CHECK(ask("/api/ensembles/0/matching?time=matched&match=mark half=a.c:12"));
	CHECK(has(
		"\"how\":\"matched\",\"base\":0,\"end\":64,"
		"\"knots\":[[0,0],[32,8],[64,32]],"
		"\"names\":[\"start\",\"mark half, 1\",\"end\"],\"shown\":3,\"count\":3,"
		"\"unequal\":[\"long comes to mark half 1 time, short to a.c:12 2 times: "
		"the last is not used\"]"));
	/* 8 references for 32 of the base: a quarter of the 9 cycles */
	CHECK(ask("/api/ensembles/0/figure?time=matched&match=mark half=a.c:12&volume=1&"
		  "members=3&cells=2"));
	CHECK_NEAR(((const float *)column("mean", NULL))[0], 9 / 4.0, 1e-6);
	CHECK_NEAR(((const float *)column("mean", NULL))[1], 9 * 24 / 32.0, 1e-6);
	/* the trace is what members 0 and 3 differ by */
	CHECK(ask("/api/ensembles/0"));
	CHECK(has("{\"name\":\"trace\",\"numeric\":false,\"size\":false,"));
	CHECK(has(
		"\"colours\":[{\"role\":\"word\",\"index\":0},{\"role\":\"word\",\"index\":1}],"
		"\"values\":[\"long\",\"short\"]}"));
	done();
}

TEST(traces_are_opened_with_the_ensemble_where_they_are_the_same)
{
	struct ml_writer *w;
	struct ml_trace t;
	const char *text = "r0+8*64\n";

	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	start();
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	memcpy(e.traces[0].id, t.id, sizeof(t.id));
	ml_trace_close(&t);
	/* the folder is not there any more, but the file lies beside the ensemble */
	e.traces[0].path = ml_arena_printf(&e.arena, "gone/%s",
					   strrchr(scratch(), '/') + 1);
	open_ensemble();
	CHECK(ask("/api/ensembles/0"));
	CHECK(has("\"open\":0,"));
	CHECK(ask("/api/open"));
	CHECK(has("\"documents\":[{\"kind\":\"trace\",\"number\":0,"));
	done();
	start();
	e.traces[0].path = scratch(); /* there, but another trace */
	open_ensemble();
	CHECK(ask("/api/ensembles/0"));
	CHECK(has("\"open\":null,"));
	done();
}
