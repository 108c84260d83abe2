/* The greatest common divisor of two numbers; that of a number and 0 is the number. */
#pragma once

#include <stdint.h>

static inline uint64_t ml_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}
