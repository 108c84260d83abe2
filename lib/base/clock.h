/* Clocks in nanoseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

#define ML_MS     UINT64_C(1000000)
#define ML_SECOND (1000 * ML_MS)

/* The time of a clock; 0 if there is no such clock, because its process has ended. */
static inline uint64_t ml_clock(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * ML_SECOND + (uint64_t)t.tv_nsec;
}

/* Time since an unspecified moment; never goes back. */
static inline uint64_t ml_now(void)
{
	return ml_clock(CLOCK_MONOTONIC);
}

static inline struct timespec ml_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / ML_SECOND),
				  .tv_nsec = (long)(ns % ML_SECOND) };
}
