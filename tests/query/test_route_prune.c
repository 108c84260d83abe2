/* What the page asks about search spaces. */
#include "tests/answered.h"
#include "tests/by_hand.h"

static char file[80], results[80];

static bool has(const char *text)
{
	const char *at = (const char *)bytes.data;

	return strstr(!memcmp(at, "MLC1", 4) ? at + 8 : at, text) != NULL;
}

static void open_space(const char *text, const char *suffix)
{
	struct ml_machine m;

	snprintf(file, sizeof(file), "%s%s", scratch(), suffix);
	FILE *f = fopen(file, "w");
	CHECK(f != NULL);
	fputs(text, f);
	fclose(f);
	CHECK_OK(ml_machine_parse(&m, "L1 1K", &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, file, &err), &err);
}

static void done(void)
{
	close_workspace();
	unlink(file);
}

/* 100 variants: 10 survive, 20 fail a alone, 30 a and b, 40 a, b and c. */
static const char *const nested = "hard:a,soft:b,hard:c,count\n"
				  "0,0,0,10\n1,0,0,20\n1,1,0,30\n1,1,1,40\n";

static const char *const small = "space small\na in 1..4\nb in 1..4\n"
				 "hard big: a * b > 4\nsoft odd: b mod 2 != 0\n";

TEST(a_table_of_combinations_is_a_document)
{
	open_space(nested, ".csv");
	CHECK(ask("/api/open"));
	CHECK(has("\"kind\":\"prune\",\"number\":0,"));
	CHECK(has("\"constraints\":3,\"described\":false}"));
	CHECK(ask("/api/prunes/0?order=c,b"));
	CHECK_EQ(number("variants"), 100);
	CHECK_EQ(number("survivors"), 10);
	CHECK(has(
		"{\"name\":\"b\",\"kind\":\"soft\",\"text\":null,\"about\":null,\"bit\":1,"
		"\"eliminated\":70,\"alone\":0,\"reached\":60,\"relative\":30,"
		"\"implied_by\":[\"a\"]}"));
	CHECK(has("\"smallest_set\":[\"a\"]"));
	CHECK(!ask("/api/prunes/0/variants"));
	CHECK(strstr(err.text, "is a table of combinations"));
	CHECK(!ask("/api/prunes/1"));
	done();
}

TEST(rings_divide_sectors_with_the_passing_ones_first)
{
	size_t n;

	open_space(nested, ".csv");
	CHECK(ask("/api/prunes/0/sunburst?order=b,a"));
	const uint8_t *ring = column("ring", &n);
	const double *from = column("from", NULL), *count = column("count", NULL),
		     *failed = column("failed", NULL);
	const uint32_t *want = column("want", NULL);
	/* ring 0: b passes 30, fails 70; ring 1: of these a passes 10, fails 20; fails 70
	 */
	static const double wanted[][5] = {
		{ 0, 0, 30, 0, 0 },   { 0, 30, 70, 70, 2 }, { 1, 0, 10, 0, 0 },
		{ 1, 10, 20, 20, 1 }, { 1, 30, 70, 70, 3 },
	};
	CHECK_EQ(n, 5);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(ring[i], wanted[i][0]);
		CHECK_EQ(from[i], wanted[i][1]);
		CHECK_EQ(count[i], wanted[i][2]);
		CHECK_EQ(failed[i], wanted[i][3]);
		CHECK_EQ(want[i], wanted[i][4]);
	}
	CHECK_EQ(number("total"), 100);
	/* into the sector that fails a and passes b */
	CHECK(ask("/api/prunes/0/sunburst?order=c&where=a,!b"));
	CHECK_EQ(number("total"), 20);
	column("ring", &n);
	CHECK_EQ(n, 1);
	done();
}

TEST(thin_sectors_are_joined_so_that_rings_fit_the_screen)
{
	size_t n;
	double sum = 0;

	open_space(nested, ".csv");
	/* a third of the circle is 34: 10, 20 and 30 are thinner, 40 is not; 10 and 20
	 * join, and then 30 as they make 30 */
	CHECK(ask("/api/prunes/0/sunburst?order=a,b,c&cells=3"));
	const uint8_t *ring = column("ring", &n);
	const double *count = column("count", NULL), *failed = column("failed", NULL);
	const uint32_t *joined = column("joined", NULL);
	for (size_t i = 0; i < n; i++)
		if (ring[i] == 2) {
			sum += count[i];
			CHECK_EQ(joined[i], sum < 100 ? 3 : 1);
			CHECK_EQ(failed[i], sum < 100 ? 0 : 40);
		}
	CHECK_EQ(sum, 100);
	done();
}

TEST(a_description_is_evaluated_listed_and_exported)
{
	open_space(small, ".txt");
	CHECK(ask("/api/prunes/0")); /* waits for the evaluation */
	CHECK_EQ(number("variants"), 16);
	CHECK_EQ(number("survivors"), 3);
	CHECK(has("\"described\":true"));
	CHECK(ask("/api/prunes/0/variants?offset=1&count=1"));
	CHECK_EQ(number("total"), 3);
	CHECK(has("\"rows\":[{\"a\":1,\"b\":4,\"fails\":[]}]"));
	CHECK(ask("/api/prunes/0/variants?where=big,odd&count=1"));
	CHECK(has("\"rows\":[{\"a\":2,\"b\":3,\"fails\":[\"big\",\"odd\"]}]"));
	CHECK(ask("/api/prunes/0/distributions"));
	CHECK(has("{\"name\":\"b\",\"first\":1,\"width\":1,\"counts\":[0,2,0,1]}"));
	CHECK(ask("/api/prunes/0/combinations?top=1"));
	CHECK(has("\"combinations\":4,\"rows\":[{\"mask\":1,\"count\":5}]"));
	CHECK(ask("/api/prunes/0/nearest?count=1"));
	CHECK(has("\"fails\":1,\"rows\":[{\"a\":3,\"b\":2,\"distance\":0.33"));
	CHECK(ask("/api/prunes/0/export?table=variants"));
	CHECK_STR((const char *)bytes.data, "a,b\r\n1,2\r\n1,4\r\n2,2\r\n");
	CHECK(ask("/api/prunes/0/export?table=combinations"));
	CHECK(has("hard:big,soft:odd,count\n0,0,3\n"));
	CHECK(!ask("/api/prunes/0/export?table=x"));
	CHECK(!ask("/api/prunes/0/variants?where=nothing"));
	CHECK(!ask("/api/prunes/0/variants?count=10001"));
	done();
}

/* Members of an ensemble with the names of the parameters are variants of the space. */
static void open_results(void)
{
	/* 64 references; misses in each of 8 bins */
	static const uint32_t misses[3][8] = { { 8 }, { 1 }, { 4 } };
	static const char *const a[] = { "1", "1", "4" }, *const b[] = { "2", "1", "1" };
	struct ml_ensemble e;

	ml_ensemble_init(&e);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const labels[] = { "t0", "t1", "t2" };

		hand_trace(&e, labels[i], 64, 3);
		uint32_t m = hand_member(&e, i, "L1 1K 1c | memory 9c", misses[i]);
		hand_param(&e, m, "a", a[i], NAN);
		hand_param(&e, m, "b", b[i], NAN);
	}
	snprintf(results, sizeof(results), "%s.mle", scratch());
	ml_ensemble_label(&e);
	CHECK_OK(ml_ensemble_save(&e, results, &err), &err);
	ml_ensemble_release(&e);
	CHECK_OK(ml_workspace_open(&workspace, results, &err), &err);
}

TEST(results_rank_variants_and_tell_which_soft_constraint_removes_good_ones)
{
	open_space(small, ".txt");
	open_results();
	/* 1 cycle for each of 64, 8 more for a miss: 1,1 (odd) 72, 4,1 (odd) 96, 1,2 128
	 */
	CHECK(ask("/api/prunes/0/tuned?best=2"));
	CHECK_EQ(number("simulated"), 3);
	CHECK_EQ(number("ensemble"), 0);
	CHECK(has("\"variants\":[{\"values\":{\"a\":1,\"b\":1},\"cycles\":72,"));
	CHECK(has("{\"constraint\":\"odd\",\"removed\":2,\"first\":1}"));
	CHECK(ask("/api/prunes/0/sunburst?order=odd"));
	const double *best = column("best", NULL);
	CHECK_EQ(best[0], 128);
	CHECK_EQ(best[1], 72);
	done();
	unlink(results);
}
