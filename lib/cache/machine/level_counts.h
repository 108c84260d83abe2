/* The counters of one level of a simulated machine, all its instances together. */
#pragma once

#include <stdint.h>

#include "lib/cache/machine/access.h"

struct ml_level_counts {
	uint64_t asked[3], missed[3]; /* by enum ml_access_kind: demand requests and
					 misses, one for each line */
	uint64_t cause[ML_CAUSES];    /* misses by cause */
	uint64_t fills;               /* lines that came in, for any reason */
	uint64_t evictions;           /* lines that left to make room */
	uint64_t invalidations; /* lines taken by another core or an inclusive level */
	uint64_t write_backs;   /* dirty lines that left, or that another core read */
	uint64_t taken; /* of these, lines that another core or an inclusive level took or
			   read */
	uint64_t given; /* lines that an exclusive level gave to a level within */
	uint64_t through; /* writes that a write-through or no-write-allocate level passed
			     on */
	uint64_t through_bytes;
	uint64_t past_bytes; /* bytes of written data from the levels within that found no
				copy here and went on outwards */
	uint64_t upgrades;   /* writes to a line that other cores held, too */
	uint64_t prefetched, useful, useless; /* prefetched lines: all; those used later;
						 those that left unused */
};
