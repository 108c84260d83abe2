/*
 * The clock that orders the words of threads (record/ring.h).
 */
#pragma once

#include <stdint.h>

/* The time stamp counter, which all processors share, read behind all earlier loads. */
static inline uint64_t now(void)
{
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}
