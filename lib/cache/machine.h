/*
 * A machine: levels of cache, who shares them, TLBs, latencies. It is a line of
 * text:
 *
 *	L1 32K 8w 64B lru wb wa 4c | L2 1M 16w 14c | L3 32M 16w shared 50c | memory 200c
 *
 * Every word but the name and the size of a level may be left out. What a level
 * does not say it takes from the level before it (line size), or from the
 * defaults: 8 ways (all lines where there are fewer), 64-byte lines, lru, write-back,
 * write-allocate, neither inclusive nor exclusive, private to a core except the last
 * of several levels. docs/machines.md has all words.
 *
 * The rules of the simulated machine, which all simulators of this folder obey:
 *
 *  - A line that is missing is asked for at the next level outwards; levels are
 *    filled on the way back, and only then does each victim leave.
 *  - A write-back (of a dirty victim) and a write that passes through a
 *    write-through level carry data; they claim no space and are no use of it: the
 *    first level outwards that holds the line and is write-back becomes dirty, its
 *    order unchanged; if none does, memory is written. So write-backs never change
 *    what hits. Exclusive levels are the exception by their nature: victims of the
 *    level within move into them, dirty or clean, and a hit moves the line out.
 *  - A write that misses a no-allocate level goes on to the next level as a write.
 *  - An inclusive level that evicts a line takes it from all levels within; dirty
 *    data found there leave with it.
 *  - A fetch goes to L1i if the machine has one, else to L1.
 *  - Invalid ways are filled before anything is evicted, lowest way first.
 *  - Set number = line number modulo number of sets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/access.h"

struct ml_buf;
struct ml_policy;

enum {
	ML_TLBS = 2,
	ML_CORES = 64,
	ML_WAYS = 1 << 16,
	ML_LEVEL_NAME = 8,
	ML_MACHINE_NAME = 32
};

enum ml_inclusion { ML_NEITHER, ML_INCLUSIVE, ML_EXCLUSIVE };

enum ml_prefetcher {
	ML_PREFETCH_NONE,
	ML_PREFETCH_NEXT, /* the next line, on a miss and on the first use of a prefetched
			     line */
	ML_PREFETCH_STRIDE, /* by site: twice the same distance, then that far ahead */
	ML_PREFETCH_STREAM, /* ascending or descending misses within a page */
	ML_PREFETCHERS
};

extern const char *const ml_prefetcher_names[ML_PREFETCHERS]; /* "none", "next"... */

struct ml_level_spec {
	char name[ML_LEVEL_NAME]; /* "L1", "L1i", "TLB" */
	uint64_t size;            /* bytes; of a TLB entries * page */
	uint32_t line;            /* bytes, a power of two; of a TLB the page */
	uint32_t ways, sets;      /* sets * ways * line == size */
	const struct ml_policy *policy;
	bool write_through, no_allocate;
	enum ml_inclusion inclusion; /* towards the levels within */
	uint32_t share;              /* cores that share one instance, from 1 */
	enum ml_prefetcher prefetch; /* what brings lines into this level unasked */
	uint32_t degree;             /* lines ahead, from 1 */
	uint32_t cycles; /* to the data, when this level serves; of a TLB extra, on a hit
			    here */
};

struct ml_machine {
	char name[ML_MACHINE_NAME]; /* of the preset if unchanged, or empty */
	uint32_t cores;             /* 1 unless said: "cores 4 | L1 ..." */
	uint32_t levels, tlbs;
	struct ml_level_spec level[ML_LEVELS]; /* innermost first; level[0] holds data */
	bool split;                            /* instruction fetches have icache */
	struct ml_level_spec icache;
	struct ml_level_spec tlb[ML_TLBS];
	uint32_t memory_cycles, walk_cycles; /* of memory; of a miss in all TLBs, extra */
	uint64_t seed;                       /* of random policies: "seed 7" */
};

/*
 * A machine from its text, the name of a preset, or "host". Words behind a preset
 * change it: "zen4 | L1 fifo". Fails on nonsense, quoting the word and saying why
 * (a size that is no multiple of ways * line, an outer line smaller than the inner
 * one, OPT in an inclusive level...).
 */
bool ml_machine_parse(struct ml_machine *m, const char *text, struct ml_err *err);

/* Canonical text: all words of each level, parses back to the same machine, nameless. */
void ml_machine_print(const struct ml_machine *m, struct ml_buf *out);

/* The level from 1; the one behind the last is "memory". */
const char *ml_machine_level_name(const struct ml_machine *m, unsigned level);

struct ml_preset {
	const char *name, *text;
	const char *what;   /* "AMD Zen 4 core (Ryzen 7000, EPYC 9004)" */
	const char *source; /* where the figures are from */
};
extern const struct ml_preset ml_presets[]; /* ends with a zero one */

/* This machine, from hwloc; cycles are those of a similar preset. */
bool ml_machine_host(struct ml_machine *m, struct ml_err *err);
