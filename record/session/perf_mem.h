/*
 * Samples of the hardware by `perf mem record`. perf needs a PMU that samples memory
 * accesses (Intel PEBS, AMD IBS, Arm SPE), and permission. Where something is missing,
 * the check says what, before any program runs.
 * Held by tests/record/test_perf_mem.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ml_arena;
struct ml_err;

enum { ML_PERF_REASONS = 4 };

struct ml_perf_mem {
	const char *pmu;                      /* "Intel PEBS"; NULL: none */
	const char *reasons[ML_PERF_REASONS]; /* what is missing, a clause each */
	size_t count;                         /* 0: perf mem should work */
};

/* root: where /sys and /proc are ("" as usual); path: the folders of programs ($PATH). */
void ml_perf_mem_check(struct ml_perf_mem *p, const char *root, const char *path,
		       bool privileged, struct ml_arena *a);

/*
 * Runs the program under `perf mem record` and writes the text of `perf script`. *status
 * gets the exit status of perf, which is that of the program. The data of perf are in the
 * folder `scratch`.
 */
bool ml_perf_mem_run(char *const *argv, const char *scratch, const char *text,
		     int *status, struct ml_arena *a, struct ml_err *err);
