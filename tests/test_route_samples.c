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
