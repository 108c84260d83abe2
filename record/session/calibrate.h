/*
 * Calibration of timed loads (record/timed_load.h): what the measurement itself costs,
 * how fine the clock is, and how many ticks a load takes from each level of memory. For
 * each cache a pointer chase walks over an array that fits this cache and not the one
 * before; for memory, lines are flushed first. A chase runs several times and the fastest
 * run counts, as other programs use the caches too.
 */
#pragma once

#include <stdbool.h>

#include "lib/samples/timed_ref.h"

struct ml_arena;
struct ml_err;

/* Takes about a fifth of a second. Fails where the processor has no rdtscp. */
bool ml_calibrate(struct ml_calibration *c, struct ml_arena *a, struct ml_err *err);
