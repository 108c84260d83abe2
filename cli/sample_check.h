/*
 * `memlamp sample --check`: what this machine can do, the calibration of timed loads, and
 * whether it tells the levels of memory right.
 */
#pragma once

#include <stdbool.h>

struct cmd;
struct ml_arena;
struct ml_perf_mem;

/* Prints, and returns the exit status: EXIT_FAILED if timed loads cannot be trusted. */
int sample_check(const struct cmd *c, const struct ml_perf_mem *p, bool json);
const char *sample_check_reasons(const struct ml_perf_mem *p, struct ml_arena *a);
