/*
 * Waiting, by hand: the cycles of references beyond those of the first level, and the
 * level that costs most in a cell.
 */
#include "lib/analyse/passes/waiting.h"

#include "lib/cache/machine/machine.h"
#include "tests/test.h"

static struct ml_machine machine(void)
{
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&m, "L1 1K 4c | L2 4K 14c | memory 204c", &err), &err);
	return m;
}

TEST(waiting_is_what_the_first_level_would_not_take)
{
	struct ml_machine m = machine();
	const uint64_t served[ML_SERVED] = { 0, 90, 7, 3 };
	double parts[ML_SERVED];

	CHECK_NEAR(ml_waiting(&m, served, 55, parts), 7 * 10 + 3 * 200 + 55, 0);
	CHECK_NEAR(parts[0], 55, 0);
	CHECK_NEAR(parts[1], 0, 0);
	CHECK_NEAR(parts[2], 70, 0);
	CHECK_NEAR(parts[3], 600, 0);
	/* an L1i that is faster than L1 makes nobody wait */
	CHECK_NEAR(ml_waiting(&m, (uint64_t[ML_SERVED]){ 0, 10 }, -20, NULL), 0, 0);
}

TEST(a_cell_shows_the_level_that_costs_most_and_its_cycles_a_reference)
{
	struct ml_machine m = machine();
	struct ml_waiting_cell c;

	c = ml_waiting_cell(&m, (uint64_t[ML_SERVED]){ 0, 100, 1, 0 }, 0);
	CHECK_EQ(c.level, 1); /* 400 cycles against 14 */
	CHECK_NEAR(c.cycles, 414 / 101.0, 1e-5);
	c = ml_waiting_cell(&m, (uint64_t[ML_SERVED]){ 0, 75, 0, 25 }, 0);
	CHECK_EQ(c.level, 3); /* 300 against 5,100 */
	CHECK_NEAR(c.cycles, 54, 1e-5);
	c = ml_waiting_cell(&m, (uint64_t[ML_SERVED]){ 0, 10, 0, 0 }, 41);
	CHECK_EQ(c.level, 4); /* the surcharge: 41 against 40 */
	c = ml_waiting_cell(&m, (uint64_t[ML_SERVED]){ 0 }, 0);
	CHECK_EQ(c.level, 0);
	CHECK_NEAR(c.cycles, 0, 0);
}
