/*
 * Waiting as the routes have it: in windows, selections and cells it is the one number that
 * can be derived by hand, and its sums are those of the profile.
 */
#include "lib/query/trace/routes/route_served.h"

#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "tests/answered.h"

static void open_sim(const char *machine, const char *text, bool model)
{
	open_workspace(machine);
	add_trace(text, model);
	add_sim(0, machine);
}

/* Eight doubles in two lines, read in order, then again: 2 misses of 16. */
static const char two_lines[] = "region A 4096 128 8 4 4\n"
				"L a.c:3\nr4096+8*16\n"
				"L a.c:5\nw4096+8*16\n";

/*
 * L1 takes 1 cycle, memory 10, and a page that the TLB of one page does not know 30. Of
 * 32 references the first waits 9 + 30, the one at the second line 9; the writes find
 * all.
 */
TEST(waiting_is_one_number_in_all_routes)
{
	open_sim("L1 1K 2w 1c | memory 10c | TLB 1e full 4K | walk 30c", two_lines,
		 false);
	CHECK(ask("/api/sims/0/select"));
	CHECK(says("\"served\":[30,2],\"waiting\":[0,18,30]"));
	CHECK(ask("/api/sims/0/select?to=8"));
	CHECK(says("\"served\":[7,1],\"waiting\":[0,9,30]"));
	CHECK(ask("/api/sims/0/select?kind=write"));
	CHECK(says("\"served\":[16,0],\"waiting\":[0,0,0]"));
	CHECK(ask("/api/sims/0/select?region=1&offset=0-64"));
	CHECK(says("\"waiting\":[0,9,30]"));
	CHECK(ask("/api/sims/0/lines?file=0"));
	CHECK(says("\"served\":[14,2],\"waiting\":[0,18,30]"));
	CHECK(ask("/api/sims/0/lines?file=0&from=1"));
	CHECK(says("\"served\":[14,1],\"waiting\":[0,9,0]"));
	size_t n;
	CHECK(ask("/api/sims/0/timeline?cells=4&line=0:3"));
	static const double want[] = { 0, 9, 30, 0, 9, 0, 0, 0, 0, 0, 0, 0 };
	const double *waiting = column("waiting", &n);
	CHECK_EQ(n, 12);
	const double *selected = column("selected_waiting", NULL);
	for (size_t i = 0; i < 12; i++) {
		CHECK_NEAR(waiting[i], want[i], 0);
		CHECK_NEAR(selected[i], want[i], 0);
	}
	CHECK(ask("/api/sims/0/cells?region=1&mode=served&size=64&cells=2"));
	waiting = column("waiting", NULL);
	CHECK_NEAR(waiting[0], 39, 0);
	CHECK_NEAR(waiting[1], 9, 0);
	/* of a cell's 8 reads and 8 writes the page costs most, or memory, or L1 */
	CHECK(ask("/api/sims/0/plane?region=1&rows=2&columns=2"));
	const uint8_t *level = column("level", NULL);
	const float *cycles = column("cycles", NULL);
	CHECK_EQ(level[0], 3);
	CHECK_NEAR(cycles[0], (8 + 39) / 8.0, 1e-6);
	CHECK_EQ(level[1], 1);
	CHECK_EQ(level[2], 2);
	CHECK_NEAR(cycles[2], (8 + 9) / 8.0, 1e-6);
	CHECK_NEAR(cycles[3], 1, 1e-6);
	CHECK(ask("/api/sims/0/map?cells=4"));
	level = column("level", NULL);
	cycles = column("cycles", NULL);
	CHECK_EQ(level[0], 3);
	CHECK_EQ(level[1], 2);
	CHECK_EQ(level[2], 1);
	CHECK_NEAR(cycles[0] * 8, 8 + 39, 1e-5);
	close_workspace();
}

/* The sum over the cells of a column of waiting. */
static double all(const char *name)
{
	size_t n;
	const double *waiting = column(name, &n);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += waiting[i];
	return sum;
}

/* Windows of half a million references, counted in rows, in series and one by one. */
TEST(windows_of_a_run_add_up_to_the_waiting_of_the_profile)
{
	open_sim("L1 4K 4w 4c | L2 16K 8w 14c | memory 200c | TLB 4e full 4K | "
		 "TLB2 16e full 7c | walk 30c",
		 "matmul 60; random 0x1000000 400000 300000 8 w", true);
	struct ml_open_sim *s = ml_open_sim_ready(&workspace, 0, &err);
	struct ml_profile_rows rows;
	double sum = 0, selected = 0, each = 0;

	ml_profile_rows_make(&rows, &s->trace->trace, s->simulation.profile);
	for (unsigned from = 0; from < rows.total.refs; from += 499979) {
		char question[120];

		snprintf(question, sizeof(question),
			 "/api/sims/0/timeline?cells=77&kind=read&from=%u&to=%u", from,
			 from + 499979);
		CHECK(ask(question));
		sum += all("waiting");
		selected += all("selected_waiting");
		snprintf(question, sizeof(question),
			 "/api/sims/0/timeline?cells=2&kind=read&from=%u&to=%u", from,
			 from + 499979);
		CHECK(ask(question));
		each += all("selected_waiting");
	}
	CHECK_NEAR(sum, rows.total.lost, 0);
	CHECK_NEAR(selected, each, 0);
	CHECK(selected > 0 && selected < sum);
	ml_profile_rows_release(&rows);
	close_workspace();
}
