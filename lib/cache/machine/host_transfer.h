/*
 * How long a line takes from one core of this computer to another, measured: two threads
 * on two cores write one line in turn. The figure is kept in the cache folder
 * (cache_folder.h), because two measurements differ and results are kept by the machine
 * that they are of. It belongs to a processor by its name.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Cycles of the time-stamp counter, rounded to fives. first and second are two logical
 * processors of different cores. False if the time cannot be measured: another
 * architecture than x86-64, or the process may not run on both.
 */
bool ml_host_transfer(const char *processor, unsigned first, unsigned second,
		      uint32_t *cycles);
/* The same without looking into the folder. */
bool ml_host_transfer_measure(unsigned first, unsigned second, uint32_t *cycles);
