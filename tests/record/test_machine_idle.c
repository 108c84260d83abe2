/* Whether the machine is idle apart from the recording. */
#include "record/session/machine_idle.h"

#include <unistd.h>

#include "tests/test.h"

enum { SECOND = 1000000000 };

TEST(processors_work_for_whatever_is_not_waiting)
{
	uint64_t tick = SECOND / (uint64_t)sysconf(_SC_CLK_TCK);

	/* user nice system idle iowait irq softirq steal */
	CHECK_EQ(ml_machine_idle_busy(
			 "cpu  100 20 3 90000 8000 400 50 7000 0 0\ncpu0 1 2 3\n"),
		 573 * tick);
	CHECK_EQ(ml_machine_idle_busy("cpu  100 20 3 90000 8000 400\n"), 0);
	CHECK_EQ(ml_machine_idle_busy(""), 0);
	CHECK_EQ(ml_machine_idle_busy("intr 1 2 3 4 5 6 7 8\n"), 0);
}

/* From one look to the next, half a second later. */
static bool quiet(double busy, double ours)
{
	struct ml_machine_idle q = { 0 };

	CHECK(!ml_machine_idle_since(&q, 7 * (uint64_t)SECOND, 50 * (uint64_t)SECOND,
				     SECOND));
	return ml_machine_idle_since(&q, 7 * (uint64_t)SECOND + SECOND / 2,
				     50 * (uint64_t)SECOND + (uint64_t)(busy * SECOND),
				     SECOND + (uint64_t)(ours * SECOND));
}

TEST(it_is_quiet_while_what_is_recorded_takes_nearly_all_of_their_time)
{
	CHECK(quiet(1.0, 1.0));
	CHECK(quiet(1.0, 0.95));
	CHECK(quiet(0.0, 0.0));
	CHECK(quiet(0.9, 1.0)); /* one is counted in larger pieces than the other */
	CHECK(!quiet(1.0, 0.85));
	CHECK(!quiet(0.5, 0.0));
}

TEST(what_is_not_known_is_not_quiet)
{
	struct ml_machine_idle q = { 0 };

	CHECK(!ml_machine_idle_look(&q, getpid()));
	CHECK(q.at && q.ours);
	q = (struct ml_machine_idle){ .at = 10, .busy = 0, .ours = 5 };
	CHECK(!ml_machine_idle_since(&q, 20, 5,
				     5)); /* /proc/stat could not be read before */
	CHECK(!ml_machine_idle_since(&q, 30, 0, 5)); /* nor now */
	q = (struct ml_machine_idle){ .at = 10, .busy = 5, .ours = 5 };
	CHECK(!ml_machine_idle_since(&q, 20, 5, 4)); /* a process has ended */
}
