/* The windows of 4 GiB in which a narrow simulation numbers lines (fast_lru_parts.h). */
#pragma once

#include <stdint.h>

enum { FAST_LRU_SLOTS = 16 }; /* of the table */

/* Windows in use, in a perfect hash table: all have different slots hi * factor >> 28. */
struct fast_lru_windows {
	uint32_t hi[FAST_LRU_SLOTS]; /* addr >> 32; a free slot holds a value that hashes
					elsewhere */
	uint32_t base[FAST_LRU_SLOTS]; /* first key of the window; 0: a free slot */
	uint32_t factor;
	uint32_t used, limit;
	uint32_t of[FAST_LRU_SLOTS]; /* hi by number of the window, from 1 */
};
