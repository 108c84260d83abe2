/*
 * Two simulations laid over each other: when they disagree and what each holds, on
 * traces whose answers can be derived by hand, and against slow, obvious counting.
 */
#include "lib/query/trace/open/sim_diff.h"

#include "tests/answered.h"

/* An answer of f64 that outlives the next question. */
static double *kept(const char *name, size_t *count)
{
	size_t n;
	const double *from = column(name, &n);
	double *to = malloc((n + 1) * sizeof(*to));

	memcpy(to, from, n * sizeof(*to));
	if (count)
		*count = n;
	return to;
}

/* Serving levels of all references, memory as 15. */
static uint8_t *served(uint32_t sim)
{
	struct ml_open_sim *s = ml_open_sim(&workspace, sim, &err);
	uint64_t n = s->simulation.result.refs;
	uint16_t *outcome = malloc((n + 1) * sizeof(*outcome));
	uint8_t *out = malloc(n + 1);

	CHECK_OK(ml_result_outcomes(&s->simulation.result, 0, n, outcome, &err), &err);
	for (uint64_t i = 0; i < n; i++) {
		unsigned level = outcome[i] & 15;

		out[i] = (uint8_t)(level > s->machine.levels ? 15 : level);
	}
	free(outcome);
	return out;
}

TEST(a_reference_that_one_machine_finds_nearer_is_counted_for_it)
{
	open_workspace("L1 128 full");
	/* lru: 0 1 0 2 0 1 miss miss hit miss hit miss; fifo drops 0 for 2 */
	add_trace("L a.c:1\nr0 r64 r0 r128 r0 r64\n", false);
	add_sim(0, "L1 128 full 64B lru");
	add_sim(0, "L1 128 full 64B fifo");
	CHECK(ask("/api/disagreements?a=0&b=1&cells=8"));
	CHECK_EQ(number("width"), 1);
	size_t n;
	const double *a = column("nearer_a", &n), *b = column("nearer_b", NULL);
	static const double want_a[] = { 0, 0, 0, 0, 1, 0 };
	/* fifo: 128 evicts 0, 0 evicts 64, so 64 misses in both */
	CHECK_EQ(n, 6);
	for (size_t i = 0; i < 6; i++) {
		CHECK_EQ(a[i], want_a[i]);
		CHECK_EQ(b[i], 0);
	}
	CHECK(ask("/api/disagreements?a=1&b=0&cells=8"));
	CHECK_EQ(((const double *)column("nearer_b", NULL))[4], 1);
	close_workspace();
}

TEST(memory_is_farther_than_a_level_that_the_other_machine_does_not_have)
{
	open_workspace("L1 128 full");
	/* 0 leaves L1 of two lines for L2 or for memory */
	add_trace("L a.c:1\nr0 r64 r128 r0\n", false);
	add_sim(0, "L1 128 full 64B");
	add_sim(0, "L1 128 full 64B | L2 1K 4w");
	CHECK(ask("/api/disagreements?a=0&b=1"));
	const double *a = column("nearer_a", NULL), *b = column("nearer_b", NULL);
	CHECK_EQ(a[0] + a[1] + a[2] + a[3], 0);
	CHECK_EQ(b[0] + b[1] + b[2], 0);
	CHECK_EQ(b[3], 1);
	close_workspace();
}

/* Whole runs and windows, of cells narrower and wider than bins, against counting. */
TEST(counts_of_all_windows_are_those_of_the_outcomes)
{
	static const struct {
		uint64_t from, to, cells;
	} windows[] = { { 0, UINT64_MAX, 1024 },  { 0, UINT64_MAX, 2 },
			{ 0, UINT64_MAX, 65536 }, { 1000, 400000, 100 },
			{ 1023, 1025, 2 },        { 262143, 262145, 2 },
			{ 5, 700001, 7 },         { 1024, 2048, 2 } };

	open_workspace("L1 1K 2w");
	add_trace("matmul 48; random 0x900000 16K 300000 8", true);
	add_sim(0, "L1 1K 2w | L2 8K 4w");
	add_sim(0, "L1 1K 4w fifo | L2 4K 4w | L3 16K 8w");
	uint8_t *x = served(0), *y = served(1);
	uint64_t refs = ml_open_sim(&workspace, 0, &err)->simulation.result.refs;
	for (size_t w = 0; w < sizeof(windows) / sizeof(*windows); w++) {
		uint64_t from = windows[w].from;
		uint64_t to = windows[w].to < refs ? windows[w].to : refs;
		char question[100];
		size_t n;

		snprintf(question, sizeof(question),
			 "/api/disagreements?a=0&b=1&from=%" PRIu64 "&to=%" PRIu64
			 "&cells=%" PRIu64,
			 from, to, windows[w].cells);
		CHECK(ask(question));
		uint64_t first = number("first"), width = number("width");
		CHECK(number("cells") <= windows[w].cells);
		const double *a = column("nearer_a", &n), *b = column("nearer_b", NULL);
		for (size_t i = 0; i < n; i++) {
			uint64_t low = first + i * width, high = low + width;
			double near_a = 0, near_b = 0;

			for (uint64_t t = low > from ? low : from;
			     t < (high < to ? high : to); t++) {
				near_a += x[t] < y[t];
				near_b += x[t] > y[t];
			}
			CHECK_EQ(a[i], near_a);
			CHECK_EQ(b[i], near_b);
		}
	}
	/* steps go to every reference that differs, and no other, both ways */
	uint64_t at = 0, last = 0;
	for (uint64_t t = 1; t < refs; t++) {
		char question[100];

		if (x[t] == y[t])
			continue;
		if (t - at > 1000 || t < 20000) {
			snprintf(question, sizeof(question),
				 "/api/disagreements/step?a=0&b=1&at=%" PRIu64, at);
			CHECK(ask(question));
			CHECK_EQ(number("at"), t);
			snprintf(question, sizeof(question),
				 "/api/disagreements/step?a=0&b=1&at=%" PRIu64 "&dir=-1",
				 t);
			CHECK(ask(question));
			if (x[0] == y[0] && !at)
				CHECK(strstr((const char *)bytes.data, "null"));
			else
				CHECK_EQ(number("at"), at);
		}
		last = at = t;
	}
	CHECK(last > 0);
	free(x);
	free(y);
	close_workspace();
}

/* Of two spreads, what must move at the least: half the sum of the differences. */
static double least(const double *a, const double *b)
{
	double all_a = 0, all_b = 0, sum = 0;

	for (size_t k = 0; k < 16; k++) {
		all_a += a[k];
		all_b += b[k];
	}
	for (size_t k = 0; all_a > 0 && all_b > 0 && k < 16; k++)
		sum += fabs(a[k] / all_a - b[k] / all_b);
	return sum / 2 * all_a;
}

TEST(different_traces_are_compared_by_the_spread_over_levels_of_matched_stretches)
{
	open_workspace("L1 1K 2w");
	add_trace("matmul 24", true);
	add_trace("matmul 24 block 4 register; sweep 0x900000 1000 8", true);
	add_sim(0, "L1 1K 2w | L2 4K 4w");
	add_sim(1, "L1 1K 2w | L2 4K 4w");
	uint8_t *x = served(0), *y = served(1);
	for (int matched = 0; matched < 2; matched++) {
		size_t n;

		CHECK(ask(matched ? "/api/disagreements?a=0&b=1&cells=64"
				    "&match=0:0,20000:9000,50000:9000,55296:15552"
				  : "/api/disagreements?a=0&b=1&cells=64"));
		CHECK(strstr((const char *)bytes.data + 8, "\"paired\":false"));
		uint64_t first = number("first"), width = number("width"),
			 to = number("to");
		double *a = kept("nearer_a", &n), *b = kept("nearer_b", NULL);
		const uint64_t *edge = column("other", NULL);
		double sum = 0;

		for (size_t i = 0; i < n; i++) {
			double p[16] = { 0 }, q[16] = { 0 };

			for (uint64_t t = first + i * width;
			     t < first + (i + 1) * width && t < to; t++)
				p[x[t]]++;
			for (uint64_t t = edge[i]; t < edge[i + 1]; t++)
				q[y[t]]++;
			CHECK_NEAR(a[i] + b[i], least(p, q), 1e-6);
			sum += a[i] + b[i];
		}
		CHECK(sum > 0);
		CHECK_EQ(edge[0], 0);
		CHECK_EQ(edge[n], matched ? 15552
					  : ml_open_sim(&workspace, 1, &err)
						    ->simulation.result.refs);
		free(a);
		free(b);
	}
	free(x);
	free(y);
	CHECK(!ask("/api/disagreements?a=0&b=1&match=0:0"));
	CHECK(!ask("/api/disagreements?a=0&b=1&match=0:0,5:9,4:10"));
	CHECK(!ask("/api/disagreements?a=0&b=1&match=0:0,5:9x"));
	CHECK(!ask("/api/disagreements/step?a=0&b=1&at=0"));
	close_workspace();
}

/* So long that b is counted by bins: its cells begin at multiples of 1024. */
TEST(long_runs_of_different_traces_are_compared_by_bins_exactly)
{
	open_workspace("L1 1K 2w");
	add_trace("sweep 0x10000 1000 8 repeat 50", true);
	add_trace("sweep 0x10000 70000 8 repeat 62; sweep 0x10000 100 8 repeat 777",
		  true);
	add_sim(0, "L1 16K 8w 64B | L2 32K 8w");
	add_sim(1, "L1 16K 8w 64B | L2 32K 8w");
	uint8_t *x = served(0), *y = served(1);
	for (int swap = 0; swap < 2; swap++) {
		size_t n;

		CHECK(ask(swap ? "/api/disagreements?a=1&b=0&cells=100"
			       : "/api/disagreements?a=0&b=1&cells=100"));
		uint64_t first = number("first"), width = number("width"),
			 to = number("to");
		double *a = kept("nearer_a", &n), *b = kept("nearer_b", NULL);
		const uint64_t *edge = column("other", NULL);

		for (size_t i = 0; i < n; i++) {
			double p[16] = { 0 }, q[16] = { 0 };

			if (!swap && i)
				CHECK_EQ(edge[i] % 1024, 0);
			for (uint64_t t = first + i * width;
			     t < first + (i + 1) * width && t < to; t++)
				p[(swap ? y : x)[t]]++;
			for (uint64_t t = edge[i]; t < edge[i + 1]; t++)
				q[(swap ? x : y)[t]]++;
			CHECK_NEAR(a[i] + b[i], least(p, q), 1e-6);
		}
		free(a);
		free(b);
	}
	free(x);
	free(y);
	close_workspace();
}

/* The nearest level of a simulation that holds a byte, from 0; ML_LEVELS: memory. */
static unsigned resides(const struct ml_machine *m, const uint64_t *line, uint64_t byte)
{
	size_t slot = 0;
	unsigned best = ML_LEVELS;

	for (unsigned k = 0; k < m->levels; k++) {
		const struct ml_level_spec *l = &m->level[k];
		size_t slots = (size_t)(m->cores / l->share) * l->sets * l->ways;

		for (size_t i = 0; i < slots; i++, slot++)
			if (line[slot] != UINT64_MAX && byte >= line[slot] &&
			    byte < line[slot] + l->line && k < best)
				best = k;
	}
	return best;
}

/* Bytes by level in both, from the states that the server tells. */
static void count_bytes(uint64_t at, uint64_t lowest, uint64_t highest, unsigned levels,
			uint64_t *want)
{
	struct ml_open_sim *s[2] = { ml_open_sim(&workspace, 0, &err),
				     ml_open_sim(&workspace, 1, &err) };
	uint64_t *line[2];

	for (int k = 0; k < 2; k++) {
		char question[60];
		size_t n;

		snprintf(question, sizeof(question), "/api/sims/%d/state?at=%" PRIu64, k,
			 at);
		CHECK(ask(question));
		const uint64_t *from = column("line", &n);
		line[k] = malloc(n * sizeof(**line));
		memcpy(line[k], from, n * sizeof(**line));
	}
	/* lines are at least 16 bytes long and stand at multiples of it */
	for (uint64_t byte = lowest; byte < highest; byte += 16) {
		unsigned a = resides(&s[0]->machine, line[0], byte);
		unsigned b = resides(&s[1]->machine, line[1], byte);

		a = a < levels ? a : levels;
		b = b < levels ? b : levels;
		if (a < levels || b < levels)
			want[a * (levels + 1) + b] += 16;
	}
	free(line[0]);
	free(line[1]);
}

TEST(what_both_hold_is_what_their_states_hold)
{
	open_workspace("L1 1K 2w");
	add_trace("matmul 20 base 0x10000", true);
	add_sim(0, "L1 256 2w 16B | L2 1K 4w 32B");
	add_sim(0, "L1 512 4w 16B fifo | L2 1K 4w 16B | L3 4K 4w 64B");
	static const uint64_t times[] = { 0, 1, 57, 5000, 31999, 32000, 700 };
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		uint64_t want[16] = { 0 }, differ = 0;
		char question[80];
		size_t n, cells;

		count_bytes(times[i], 0x10000, 0x16000, 3, want);
		snprintf(question, sizeof(question),
			 "/api/disagreements/moment?a=0&b=1&at=%" PRIu64 "&tail=10",
			 times[i]);
		CHECK(ask(question));
		CHECK_EQ(number("levels"), 3);
		const uint64_t *is = column("resident", &cells);
		CHECK_EQ(cells, 16);
		for (unsigned k = 0; k < 16; k++) {
			CHECK_EQ(is[k], want[k]);
			if (k / 4 != k % 4)
				differ += want[k];
		}
		/* and the pairs are all that differs, each with its place in a region */
		const uint32_t *part = column("bytes", &n);
		const uint8_t *a = column("level_a", NULL), *b = column("level_b", NULL);
		const uint32_t *way = column("way_a", NULL);
		const uint64_t *offset = column("offset", NULL);
		CHECK_EQ(n, number("pairs"));
		for (size_t k = 0; k < n; k++) {
			CHECK(a[k] != b[k]);
			CHECK_EQ(way[k] == UINT32_MAX, a[k] == 4);
			CHECK(offset[k] < 20 * 20 * 8);
			differ -= part[k];
		}
		CHECK_EQ(differ, 0);
		column("served_a", &n);
		CHECK_EQ(n, times[i] < 10 ? times[i] : 10);
	}
	/* fewer pairs than there are: the totals stay */
	CHECK(ask("/api/disagreements/moment?a=0&b=1&at=5000&most=3"));
	size_t n;
	column("bytes", &n);
	CHECK(n <= 3 && n > 0);
	CHECK(number("pairs") > 3);
	close_workspace();
}

TEST(large_levels_are_told_in_groups_of_sets_that_add_up)
{
	open_workspace("L1 1K 2w");
	add_trace("random 0x10000 64K 20000 8", true);
	add_sim(0, "L1 256 2w 16B | L2 8K 4w 64B");
	add_sim(0, "L1 256 2w 16B | L2 16K 4w 64B");
	CHECK(ask("/api/disagreements/moment?a=0&b=1&at=20000&group_a=0,5&group_b=0,64"));
	const uint64_t *r = column("resident", NULL);
	size_t n;
	const double *a = column("groups_a", &n), *b = column("groups_b", NULL);
	double kinds[3] = { 0 };

	/* 32 sets in groups of 5 are 7 groups, of three kinds each */
	CHECK_EQ(n, 21);
	for (size_t i = 0; i < n; i++)
		kinds[i % 3] += a[i];
	CHECK_EQ(kinds[0], r[4]);
	CHECK_EQ(kinds[1], r[5]);
	CHECK_EQ(kinds[2], r[3]);
	/* one group of all sets of b's L2: agrees, is nearer in a, is nearer in b */
	CHECK_EQ(b[0], r[4]);
	CHECK_EQ(b[1], r[1]);
	CHECK_EQ(b[2], r[7]);
	CHECK(!ask("/api/disagreements/moment?a=0&b=1&group_a=0,x"));
	close_workspace();
}

TEST(data_of_two_traces_are_the_same_where_region_and_place_are)
{
	open_workspace("L1 1K 2w");
	/* A begins in the middle of a line in the second trace */
	add_trace("region A 4096 64 8\nregion X 8192 64 8\nL a.c:1\nr4096 r4112 r8192\n",
		  false);
	add_trace("region A 4104 64 8\nregion Y 9216 64 8\nL a.c:1\nr4104 r4120 r9216\n",
		  false);
	add_sim(0, "L1 256 full 16B");
	add_sim(1, "L1 256 full 16B");
	CHECK(ask("/api/disagreements/moment?a=0&b=1&at=3&other=3"));
	/*
	 * a holds bytes 0 to 32 of A, b the lines 4096 and 4112 of which 0 to 24 are A.
	 * X and Y are in one trace only.
	 */
	const uint64_t *r = column("resident", NULL);
	CHECK_EQ(r[0], 24);
	CHECK_EQ(r[1], 8);
	CHECK_EQ(r[2], 0);
	CHECK_EQ(number("elsewhere_a"), 16);
	CHECK_EQ(number("elsewhere_b"), 16);
	size_t n;
	const uint64_t *offset = column("offset", &n);
	CHECK_EQ(n, 1);
	CHECK_EQ(offset[0], 24);
	close_workspace();
}

TEST(what_cannot_be_compared_is_said)
{
	open_workspace("L1 1K 2w");
	add_trace("L a.c:1\nr0 r64\n", false);
	add_sim(0, "L1 1K 2w");
	CHECK(!ask("/api/disagreements?a=0&b=7"));
	CHECK(strstr(err.text, "there is no simulation 7"));
	CHECK(!ask("/api/disagreements?a=0"));
	CHECK(!ask("/api/disagreements?a=0&b=0&cells=1"));
	CHECK(!ask("/api/disagreements/moment?a=0&b=0&most=1000000"));
	close_workspace();
}
