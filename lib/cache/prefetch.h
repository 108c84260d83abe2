/*
 * Prefetchers: what a cache brings in before anybody asks. One sees the demands of
 * its cache and names lines; the simulator brings them in once the access is done.
 *
 *  - next: the next lines, on a miss and on the first use of a prefetched line.
 *  - stride: a table by instruction. When the distance between its last two accesses
 *    equals the one before, the lines that lie that far ahead, once, twice...
 *  - stream: pages in which misses (or first uses of prefetched lines) went twice in
 *    the same direction: the next lines that way, within the page.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/cache/machine.h"

enum {
	ML_PREFETCH_SITES =
		256,            /* entries of the table of strides, by site modulo this */
	ML_PREFETCH_PAGES = 16, /* streams that are followed at a time */
	ML_PREFETCH_PAGE_BITS = 12,
	ML_PREFETCH_DEGREE = 64, /* the highest */
};

struct ml_prefetch {
	enum ml_prefetcher kind;
	unsigned degree, bits; /* bits of the offset in a line */
	struct ml_prefetch_stride {
		uint64_t addr;   /* the last one */
		uint64_t stride; /* to it; a difference modulo 2^64 */
		uint32_t site;
		uint32_t seen; /* accesses: 0, 1, 2 (stride is known) */
	} sites[ML_PREFETCH_SITES];
	struct ml_prefetch_stream {
		uint64_t page;      /* number + 1, 0 is none */
		uint64_t line;      /* the last one */
		uint64_t step;      /* 1 or -1 (modulo 2^64), 0 is unknown */
	} pages[ML_PREFETCH_PAGES]; /* the most recently used first */
};

void ml_prefetch_init(struct ml_prefetch *p, const struct ml_level_spec *spec);
/*
 * A demand for the line of addr; `fresh` if it missed or was the first use of a
 * prefetched line. Fills lines (numbers) with what is worth having; returns how many.
 */
unsigned ml_prefetch_ask(struct ml_prefetch *p, uint64_t addr, uint32_t site, bool fresh,
			 uint64_t lines[ML_PREFETCH_DEGREE]);
