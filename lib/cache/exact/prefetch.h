/*
 * Prefetchers: they bring lines into a cache before a demand asks for them. A prefetcher
 * sees the demands of its cache and names lines; the simulator fetches these once the
 * access is done.
 *
 *  - next: the next lines, on a miss and on the first use of a prefetched line.
 *  - stride: a table by instruction. When an instruction makes the same stride twice, the
 *    lines at one stride ahead, two strides ahead, and so on.
 *  - stream: pages in which misses (or first uses of prefetched lines) went twice in the
 *    same direction: the next lines in that direction, within the page.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine/machine.h"

enum {
	ML_PREFETCH_SITES = 256, /* entries of the table of strides; a site has entry site
				    modulo this */
	ML_PREFETCH_PAGES = 16,  /* streams that are followed at the same time */
	ML_PREFETCH_PAGE_BITS = 12,
	ML_PREFETCH_DEGREE = 64, /* the highest degree */
};

struct ml_prefetch {
	enum ml_prefetcher kind;
	unsigned degree, bits; /* bits: log2 of the line size */
	struct ml_prefetch_stride {
		uint64_t addr;   /* of the last access */
		uint64_t stride; /* between the last two accesses, modulo 2^64 */
		uint32_t site;
		uint32_t seen; /* accesses seen: 0, 1, or 2 (stride is known) */
	} sites[ML_PREFETCH_SITES];
	struct ml_prefetch_stream {
		uint64_t page;      /* page number + 1; 0: unused */
		uint64_t line;      /* of the last access */
		uint64_t step;      /* 1 or -1 (modulo 2^64); 0: unknown */
	} pages[ML_PREFETCH_PAGES]; /* the most recently used stream first */
};

void ml_prefetch_init(struct ml_prefetch *p, const struct ml_level_spec *spec);
/*
 * Takes a demand for the line of addr; `fresh` if it missed, or was the first use of a
 * prefetched line. Fills lines with the line numbers to prefetch and returns how many.
 */
unsigned ml_prefetch_ask(struct ml_prefetch *p, uint64_t addr, uint32_t site, bool fresh,
			 uint64_t lines[ML_PREFETCH_DEGREE]);
