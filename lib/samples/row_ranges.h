/* Work on the rows of a table, cut into ranges for all CPUs. */
#pragma once

#include <stdint.h>

enum { ML_ROWS_ALONE = 1 << 18 }; /* fewer rows than this are not worth a thread */

/*
 * Calls work(arg, first, end) for ranges that together are [0, rows), on several threads
 * at once. Each range begins at a multiple of 64, so that ranges share no word of bits.
 */
void ml_row_ranges(uint64_t rows, void (*work)(void *arg, uint64_t first, uint64_t end),
		   void *arg);
