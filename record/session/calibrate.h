/*
 * Calibration of timed loads (record/arch/timed_load.h): what the measurement itself costs,
 * how fine the clock is, and how many ticks a load takes from each level of memory. For
 * each cache a chase (chase.h) walks over lines that fit this cache and not the one
 * before; for memory, the lines are flushed first. Where it is possible a second chase
 * needs more translations than the TLB holds.
 *
 * Other programs, and other virtual machines, use the processor and its caches too. So a
 * chase runs many times, and the run counts in which the fewest loads were served by
 * another level.
 */
#pragma once

#include <stdbool.h>

#include "lib/samples/timed_ref.h"

struct ml_arena;
struct ml_err;
struct ml_topology;

/*
 * The caches are those of the CPU that this thread runs on. Takes about a fifth of a
 * second, or three if levels are hard to tell apart. Fails where loads cannot be timed,
 * and where the levels cannot be told apart (ml_calibration_check).
 */
bool ml_calibrate(struct ml_calibration *c, const struct ml_topology *hardware,
		  struct ml_arena *a, struct ml_err *err);
