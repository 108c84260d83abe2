/*
 * The clock that orders the words of threads (record/ring.h): all processors share it, and
 * it is read behind all earlier loads.
 */
#pragma once

#include <stdint.h>

static inline uint64_t ml_ticks(void)
{
#if defined(__x86_64__)
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
#error "no clock for this processor"
#endif
}
