/* The routes of sample tables, asked as the page asks them. */
#include "tests/answered.h"

#include "lib/base/newfile.h"

static void open_samples(const char *text)
{
	struct ml_newfile f;

	CHECK_OK(ml_newfile_open(&f, scratch(), &err), &err);
	CHECK_OK(ml_newfile_write(&f, text, strlen(text), &err), &err);
	CHECK_OK(ml_newfile_close(&f, &err), &err);
	open_workspace("L1 1K full");
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
}

static const char *const four = "cpu,latency,name,dataSource\n0,10,a,1\n1,20,b,3\n"
				"1,30,a,3\n0,40,a,4\n";

/* The answer to a request, with a 0 byte behind it; NULL with a sentence in err. */
static const char *answer(const char *path, const char *const (*params)[2])
{
	struct ml_request q = { .method = "GET", .path = path };
	struct ml_answer a = { 0 };
	bool exists;

	for (; params && (*params)[0]; params++)
		q.params[q.count++] = (struct ml_param){ (*params)[0], (*params)[1] };
	const struct ml_route *r = ml_workspace_route(&workspace, &q, &exists);
	CHECK(r != NULL);
	ml_answer_init(&a);
	bool ok = ml_request_answer(r, &workspace, &q, &a, &err);
	bytes.size = 0;
	if (ok)
		ml_answer_write(&a, &bytes);
	ml_buf_u8(&bytes, 0);
	ml_answer_release(&a);
	return ok ? (const char *)bytes.data : NULL;
}

#define ASK(path, ...) \
	answer(path, (const char *const[][2]){ __VA_ARGS__ __VA_OPT__(, ){ NULL, NULL } })

TEST(samples_tell_their_columns_and_what_a_selection_holds)
{
	open_samples(four);
	CHECK(strstr(ASK("/api/samples/0"), "\"rows\":4"));
	CHECK(strstr((char *)bytes.data, "{\"column\":\"name\",\"type\":\"names\""));
	CHECK_STR(ASK("/api/samples/0/select", { "select", "name = a and latency > 10" }),
		  "{\"rows\":4,\"selected\":2,\"cycles\":70,\"mean\":35}");
	CHECK(!ASK("/api/samples/0/select", { "select", "name = " }));
	CHECK(strstr(err.text, "a value is missing"));
	CHECK(!ASK("/api/samples/7/select"));
	close_workspace();
}

TEST(a_selection_with_an_unknown_name_is_refused_by_every_route)
{
	static const char *const routes[] = {
		"table",  "histogram", "pairs", "topology",
		"select", "axes",      "loads", "offenders"
	};
	static const char *const params[] = { "select", "also" };
	char path[64];

	open_samples(four);
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		for (size_t k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), "/api/samples/0/%s", routes[i]);
			err.text[0] = 0;
			CHECK(!ASK(path, { params[k], "cpu = 1 and latnecy > 100" }));
			CHECK_STR(err.text, "selection: expected the name of a column, "
					    "not 'latnecy'");
		}
	close_workspace();
}

TEST(tables_are_ranked_and_cut)
{
	open_samples(four);
	CHECK_STR(
		ASK("/api/samples/0/table", { "table", "levels" }, { "top", "1" }),
		"{\"table\":\"levels\",\"all\":3,\"rows\":[{\"samples\":2,\"cycles\":50,"
		"\"share\":0.5,\"mean\":25,\"error\":5,\"name\":\"L2\"}]}");
	CHECK(!ASK("/api/samples/0/topology"));
	CHECK(strstr(err.text, "hardware is unknown"));
	close_workspace();
}

TEST(bins_and_pairs_count_the_selected_rows)
{
	uint64_t counts[4];

	open_samples(four);
	/* columns stand behind the header, aligned to 8 bytes: the last 16 bytes are
	 * counts */
	CHECK(ASK("/api/samples/0/histogram", { "column", "cpu" }, { "bins", "20" },
		  { "select", "latency >= 20" }));
	memcpy(counts, bytes.data + bytes.size - 1 - 16, 16);
	CHECK_EQ(counts[0], 1);
	CHECK_EQ(counts[1], 2);
	CHECK(ASK("/api/samples/0/pairs", { "left", "cpu" }, { "right", "name" }));
	CHECK(!ASK("/api/samples/0/histogram", { "column", "cpu" }, { "bins", "1001" }));
	CHECK(strstr(err.text, "not 1 to 1000"));
	CHECK(!ASK("/api/samples/0/pairs", { "left", "cpu" }));
	close_workspace();
}

/* Element i of a column of the last answer. */
static double real(const char *name, size_t i)
{
	size_t count;
	const double *list = column(name, &count);

	CHECK(list && i < count);
	return list[i];
}

static unsigned bin(const char *name, size_t i)
{
	size_t count;
	const uint16_t *list = column(name, &count);

	CHECK(list && i < count);
	return list[i];
}

static unsigned end(const char *name, size_t i)
{
	size_t count;
	const uint32_t *list = column(name, &count);

	CHECK(list && i < count);
	return list[i];
}

TEST(axes_have_histograms_and_links_of_selection_and_pre_selection)
{
	open_samples(four);
	/* cpu: 0 1 1 0; name: a b a a */
	CHECK(ASK("/api/samples/0/axes", { "columns", "cpu,name" },
		  { "select", "latency >= 20" }, { "also", "cpu = 1" }));
	CHECK(strstr((char *)bytes.data + 8, "\"bins\":[2,2],\"selected\":3"));
	CHECK(strstr((char *)bytes.data + 8, "\"also\":2"));
	/* of rows 1 to 3: one of cpu 0, two of cpu 1, none without a value; two a, one b
	 */
	CHECK_EQ(real("histograms", 0), 1);
	CHECK_EQ(real("histograms", 1), 2);
	CHECK_EQ(real("histograms", 2), 0);
	CHECK_EQ(real("histograms", 3), 2);
	CHECK_EQ(real("histograms", 4), 1);
	/* pairs: (0, a), (1, a), (1, b) once each */
	CHECK_EQ(end("ends", 0), 3);
	CHECK_EQ(real("count", 0), 1);
	CHECK_EQ(bin("left", 2), 1);
	CHECK_EQ(bin("right", 2), 1);
	CHECK_EQ(real("alsoHistograms", 0), 0);
	CHECK_EQ(real("alsoHistograms", 1), 2);
	CHECK_EQ(end("alsoEnds", 0), 2);
	/* the pre-selection alone */
	CHECK(ASK("/api/samples/0/axes", { "columns", "cpu,name" },
		  { "select", "latency >= 20" }, { "also", "cpu = 1" },
		  { "alone", "1" }));
	CHECK_EQ(real("alsoHistograms", 1), 2);
	CHECK(!strstr((char *)bytes.data + 8, "\"selected\""));
	CHECK(!ASK("/api/samples/0/axes", { "columns", "cpu,name" }, { "alone", "1" }));
	CHECK(strstr(err.text, "needs also"));
	/* numbers of columns, and roles */
	CHECK(ASK("/api/samples/0/axes", { "columns", "0,1,latency,level" }));
	CHECK(!ASK("/api/samples/0/axes", { "columns", "cpu,99" }));
	CHECK(strstr(err.text, "no column '99'"));
	CHECK(!ASK("/api/samples/0/axes"));
	close_workspace();
}

TEST(the_strongest_link_is_the_last_and_equal_ones_keep_their_order)
{
	struct ml_buf csv = { 0 };
	unsigned x = 1, times[64][64] = { { 0 } };
	size_t links;

	ml_buf_printf(&csv, "cpu,latency\n");
	for (unsigned i = 0; i < 20000; i++) {
		x = x * 1103515245 + 12345;
		unsigned l = x >> 16 & 63, r = l > 2 ? x >> 24 & 63 : 5;

		times[l][r]++;
		ml_buf_printf(&csv, "%u,%u\n", l, r);
	}
	open_samples((char *)csv.data);
	CHECK(ASK("/api/samples/0/axes", { "columns", "cpu,latency" }));
	CHECK(column("count", &links));
	for (size_t i = 0; i < links; i++) {
		unsigned l = bin("left", i), r = bin("right", i);

		CHECK_EQ(real("count", i), times[l][r]);
		times[l][r] = 0;
		if (!i)
			continue;
		unsigned l0 = bin("left", i - 1), r0 = bin("right", i - 1);
		CHECK(real("count", i - 1) < real("count", i) ||
		      (real("count", i - 1) == real("count", i) &&
		       (l0 < l || (l0 == l && r0 < r))));
	}
	for (size_t i = 0; i < 64 * 64; i++)
		CHECK_EQ(times[i / 64][i % 64], 0);
	close_workspace();
	ml_buf_release(&csv);
}

/* 20,000 samples of four columns: the links of the middle pair are few. */
TEST(of_too_many_links_the_strongest_of_each_pair_are_answered)
{
	enum { LINES = 500 };
	struct ml_buf csv = { 0 };
	unsigned x = 1, all_ends[3];
	size_t links;

	ml_buf_printf(&csv, "cpu,latency,c,d\n");
	for (unsigned i = 0; i < 20000; i++) {
		x = x * 1103515245 + 12345;
		ml_buf_printf(&csv, "%u,%u,%u,%u\n", x >> 16 & 63, x >> 22 & 7,
			      x >> 25 & 3, x >> 10 & 31);
	}
	open_samples((char *)csv.data);
	CHECK(ASK("/api/samples/0/axes", { "columns", "0,1,2,3" }));
	const double *count = column("count", &links);
	double *all = memcpy(malloc(links * sizeof(*all)), count, links * sizeof(*all));
	for (size_t i = 0; i < 3; i++)
		all_ends[i] = end("ends", i);
	CHECK(ASK("/api/samples/0/axes", { "columns", "0,1,2,3" }, { "lines", "500" }));
	CHECK(column("count", &links) && links <= LINES);
	size_t whole = all_ends[1] - all_ends[0], share = (LINES - whole) / 2;
	CHECK_EQ(whole, 32);
	CHECK(all_ends[0] > share && all_ends[2] - all_ends[1] < share);
	/* the last pair has fewer than its share, and leaves them to the first */
	size_t last = all_ends[2] - all_ends[1], first = LINES - whole - last;
	CHECK_EQ(end("ends", 0), first);
	CHECK_EQ(end("ends", 1), first + whole);
	CHECK_EQ(end("ends", 2), first + whole + last);
	for (size_t i = 0; i < links; i++)
		CHECK_EQ(real("count", i), all[all_ends[0] - first + i]);
	/* as many as there are: all; and so is 0 */
	CHECK(ASK("/api/samples/0/axes", { "columns", "0,1,2,3" }, { "lines", "99999" }));
	CHECK_EQ(end("ends", 2), all_ends[2]);
	CHECK(ASK("/api/samples/0/axes", { "columns", "0,1,2,3" }, { "lines", "0" }));
	CHECK_EQ(end("ends", 2), all_ends[2]);
	free(all);
	close_workspace();
	ml_buf_release(&csv);
}

TEST(bins_make_room_for_others)
{
	char text[8];

	open_samples(four);
	/* more than are kept at once */
	for (unsigned i = 1; i <= 300; i++) {
		snprintf(text, sizeof(text), "%u", i);
		CHECK(ASK("/api/samples/0/axes", { "columns", "latency,cpu" },
			  { "bins", text }));
	}
	close_workspace();
}

TEST(offenders_are_nested_and_can_be_selected)
{
	open_samples("source,line,latency,variable\na.c,1,10,x\na.c,2,30,y\nb.c,1,5,x\n"
		     "a.c,2,30,x\n");
	CHECK_STR(
		ASK("/api/samples/0/offenders", { "top", "1" },
		    { "also", "variable = x" }),
		"{\"groupedBy\":\"file\",\"groups\":[{\"name\":\"a.c\",\"file\":\"a.c\","
		"\"samples\":3,\"timed\":3,\"cycles\":70,\"also\":2,\"alsoCycles\":40,"
		"\"select\":\"\\\"source\\\" = \\\"a.c\\\"\",\"lines\":[{\"line\":\"2\","
		"\"samples\":2,\"timed\":2,\"cycles\":60,\"also\":1,\"alsoCycles\":30,"
		"\"select\":\"\\\"source\\\" = \\\"a.c\\\" and \\\"line\\\" = 2\"}]}],"
		"\"objects\":[{\"name\":\"x\",\"samples\":3,\"timed\":3,\"cycles\":45,"
		"\"also\":3,\"alsoCycles\":45,\"select\":\"\\\"variable\\\" = \\\"x\\\"\"}],"
		"\"levels\":[]}");
	CHECK_STR(ASK("/api/samples/0/select",
		      { "select", "\"source\" = \"a.c\" and \"line\" = 2" }),
		  "{\"rows\":4,\"selected\":2,\"cycles\":60,\"mean\":30}");
	close_workspace();
}

TEST(loads_of_a_pre_selection_are_asked_for_alone)
{
	double both[69];

	open_workspace("L1 1K full");
	CHECK_OK(ml_workspace_open(&workspace, TESTS "/samples/lulesh", &err), &err);
	CHECK(ASK("/api/samples/0/loads", { "select", "latency > 20" },
		  { "also", "cpu < 8" }));
	for (size_t i = 0; i < 69; i++)
		both[i] = real("alsoCycles", i);
	double both_samples = real("alsoSamples", 0);
	CHECK(both[0] > 0);
	CHECK(ASK("/api/samples/0/loads", { "select", "latency > 20" },
		  { "also", "cpu < 8" }, { "alone", "1" }));
	for (size_t i = 0; i < 69; i++)
		CHECK_EQ(real("alsoCycles", i), both[i]);
	CHECK(!strstr((char *)bytes.data + 8, "\"samples\""));
	CHECK_EQ(number("also"), both_samples);
	CHECK(!ASK("/api/samples/0/loads", { "alone", "1" }));
	CHECK(strstr(err.text, "needs also"));
	close_workspace();
}

TEST(a_resource_is_a_selection)
{
	open_workspace("L1 1K full");
	CHECK_OK(ml_workspace_open(&workspace, TESTS "/samples/lulesh", &err), &err);
	CHECK(ASK("/api/samples/0/topology"));
	CHECK(strstr((char *)bytes.data, "\"select\":\"resource = \\\"L3 #0\\\"\""));
	/* what a resource is selected by has the samples that the tree has */
	CHECK(ASK("/api/samples/0/loads"));
	double cpu9 = 0, l3 = 0;
	for (size_t node = 0; node < 69; node++) {
		char label[40], text[60], wanted[40];

		CHECK(ASK("/api/samples/0/loads"));
		double samples = real("samples", node);
		CHECK(ASK("/api/samples/0/topology"));
		const char *at = (char *)bytes.data;
		for (size_t i = 0; i <= node; i++)
			at = strstr(at + 1, "\"label\":");
		CHECK_EQ(sscanf(at, "\"label\":\"%39[^\"]\"", label), 1);
		snprintf(text, sizeof(text), "resource = \"%s\"", label);
		snprintf(wanted, sizeof(wanted), "\"selected\":%.0f,", samples);
		CHECK(ASK("/api/samples/0/select", { "select", text }));
		CHECK(strstr((char *)bytes.data, wanted));
		cpu9 += !strcmp(label, "CPU 9") ? samples : 0;
		l3 += !strncmp(label, "L3", 2) ? samples : 0;
	}
	CHECK(cpu9 > 0);
	CHECK(l3 > 0);
	CHECK(!ASK("/api/samples/0/select", { "select", "resource = \"L7 #0\"" }));
	CHECK(strstr(err.text, "no resource 'L7 #0'"));
	CHECK(!ASK("/api/samples/0/select", { "select", "cpu = 1 and resource > 3" }));
	close_workspace();
}

TEST(names_are_selected_by_their_numbers_too)
{
	open_samples(four);
	CHECK_STR(
		ASK("/api/samples/0/select", { "select", "name #0..#0" }),
		"{\"rows\":4,\"selected\":3,\"cycles\":80,\"mean\":26.666666666666668}");
	CHECK(!ASK("/api/samples/0/select", { "select", "name 0..1" }));
	CHECK(strstr(err.text, "#LOW..#HIGH"));
	close_workspace();
}

TEST(a_file_is_read_again_with_other_columns)
{
	struct ml_request q = { .method = "POST", .path = "/api/samples/0/read" };
	struct ml_answer a = { 0 };
	bool exists;

	open_samples("when,speed,ibs_dc_miss,ibs_l2_miss,ibs_dc_miss_lat\n1,7,1,0,30\n");
	CHECK(strstr(ASK("/api/samples/0"), "\"l1Latency\":4,\"l1Guessed\":true"));
	CHECK(strstr(ASK("/api/samples/0/select"), "\"cycles\":34"));
	q.params[q.count++] = (struct ml_param){ "l1", "10" };
	q.params[q.count++] = (struct ml_param){ "columns", "time=when" };
	const struct ml_route *r = ml_workspace_route(&workspace, &q, &exists);
	CHECK(r != NULL);
	ml_answer_init(&a);
	CHECK_OK(r->answer(&workspace, &q, &a, &err), &err);
	ml_answer_release(&a);
	CHECK(strstr(ASK("/api/samples/0"), "\"mapped\":\"time=when\",\"l1Latency\":10"));
	CHECK(strstr((char *)bytes.data, "{\"column\":\"when\",\"type\":\"unsigned\","
					 "\"role\":\"time\""));
	CHECK(strstr(ASK("/api/samples/0/select"), "\"cycles\":40"));
	q.params[1].value = "time=never";
	ml_answer_init(&a);
	CHECK(!r->answer(&workspace, &q, &a, &err));
	ml_answer_release(&a);
	/* the table stays as it was */
	CHECK(strstr(ASK("/api/samples/0"), "\"mapped\":\"time=when\""));
	close_workspace();
}

TEST(sources_are_read_only_if_samples_name_them)
{
	open_samples("source,line,latency,cpu\nnowhere.c,1,4,0\n");
	CHECK_STR(ASK("/api/samples/0/source", { "file", "nowhere.c" }),
		  "{\"file\":\"nowhere.c\",\"path\":null,\"text\":null}");
	CHECK(!ASK("/api/samples/0/source", { "file", "/etc/passwd" }));
	CHECK(strstr(err.text, "name no file"));
	close_workspace();
}

TEST(samples_stand_beside_a_simulation_of_the_same_lines)
{
	/* line 5 of x.c misses both times, line 6 hits; samples say the opposite */
	static const char trace[] =
		"region far 0x10000 8192\nregion near 0x80000 64\n"
		"r 0x10000 8 1 x.c:5 main\nr 0x11000 8 1 x.c:5 main\n"
		"r 0x80000 8 1 x.c:6 main\nr 0x80000 8 1 x.c:6 main\n"
		"r 0x80000 8 1 x.c:6 main\nr 0x80000 8 1 x.c:6 main\n";

	open_samples("source,line,latency,variable,level\n"
		     "src/x.c,5,10,far,L1\nsrc/x.c,6,90,near,L3\n");
	add_trace(trace, false);
	CHECK_OK(ASK("/api/samples/0/beside",
		     { "machine", "L1 1K full 64B 4c | memory 100c" }) != NULL,
		 &err);
	/*
	 * Simulated: 2 * 100 cycles at line 5; one miss and three hits, 112, at line 6.
	 * Shares: 10 of 100 and 200 of 312; 90 of 100 and 112 of 312.
	 */
	const char *five = strstr((char *)bytes.data, "\"name\":\"x.c:5\""),
		   *six = strstr((char *)bytes.data, "\"name\":\"x.c:6\"");
	CHECK(five && six);
	CHECK(strstr(five, "\"file\":\"src/x.c\",\"line\":5,\"samples\":1,\"cycles\":10,"
			   "\"mean\":10,\"beyondL1\":0,\"references\":2,"
			   "\"simCycles\":200,\"simMean\":100,\"simBeyondL1\":1,"
			   "\"share\":0.1,\"simShare\":0.641025641025641") == five + 15);
	CHECK(strstr(six, "\"beyondL1\":1,\"references\":4,\"simCycles\":112,"
			  "\"simMean\":28,\"simBeyondL1\":0.25"));
	const char *objects = strstr((char *)bytes.data, "\"objects\"");
	CHECK(objects &&
	      strstr(objects, "\"name\":\"near\",\"samples\":1,\"cycles\":90"));
	CHECK(!ASK("/api/samples/0/beside", { "trace", "3" }));
	close_workspace();
}
