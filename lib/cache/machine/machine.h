/*
 * A machine: levels of cache, the cores that share them, TLBs, latencies. A machine is a
 * line of text:
 *
 *	L1 32K 8w 64B lru wb wa 4c | L2 1M 16w 14c | L3 32M 16w shared 50c | memory 200c
 *
 * Only the name and the size of a level are required. A level without a line size takes
 * that of the level before it. The other defaults are: 8 ways (or all lines, where a
 * level has fewer), 64-byte lines, lru, write-back, write-allocate, neither inclusive nor
 * exclusive; private to a core, except that the last of several levels is shared.
 * docs/machines.md lists all words.
 *
 * The rules of the simulated machine, which all simulators of this folder obey:
 *
 *  - A level that misses a line asks the next level outwards for it. The levels are
 *    filled on the way back, and each evicts its victim only then.
 *  - A write-back (of a dirty victim) and a write that passes a write-through level carry
 *    data. They allocate no line and do not count as a use: the first level outwards that
 *    holds the line and is write-back becomes dirty, and its replacement order stays as
 *    it is. If no level takes the data, memory is written. So write-backs never change
 *    what hits. Exclusive levels are the exception by their nature: victims of the level
 *    within move into them, dirty or clean, and a hit moves the line out.
 *  - A write that misses a no-write-allocate level goes on to the next level as a write.
 *  - An inclusive level that evicts a line takes it from all levels within; dirty data
 *    found there leave with it.
 *  - An instruction fetch goes to L1i if the machine has one, else to L1.
 *  - Empty ways are filled before any line is evicted, the lowest way first.
 *  - Set number = line number modulo number of sets.
 *
 * Held by tests/cache/test_machine.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/access.h"

struct ml_buf;
struct ml_policy;

enum {
	ML_TLBS = 2,
	ML_CORES = 64,
	ML_WAYS = 1 << 22,
	ML_LEVEL_NAME = 8,
	ML_MACHINE_NAME = 32
};

enum ml_inclusion { ML_NEITHER, ML_INCLUSIVE, ML_EXCLUSIVE };

enum ml_prefetcher {
	ML_PREFETCH_NONE,
	ML_PREFETCH_NEXT, /* the next line, on a miss and on the first use of a prefetched
			     line */
	ML_PREFETCH_STRIDE, /* by site: after the same stride twice, the lines at that
			       stride ahead */
	ML_PREFETCH_STREAM, /* after misses that ascend or descend within a page */
	ML_PREFETCHERS
};

extern const char *const ml_prefetcher_names[ML_PREFETCHERS]; /* "none", "next"... */

struct ml_level_spec {
	char name[ML_LEVEL_NAME]; /* "L1", "L1i", "TLB" */
	uint64_t size;            /* bytes; for a TLB entries * page */
	uint32_t line;            /* bytes, a power of two; for a TLB the page */
	uint32_t ways, sets;      /* sets * ways * line == size */
	const struct ml_policy *policy;
	bool write_through, no_allocate;
	enum ml_inclusion inclusion; /* with regard to the levels within */
	uint32_t share;              /* number of cores that share one instance, from 1 */
	enum ml_prefetcher prefetch; /* the prefetcher of this level */
	uint32_t degree;             /* lines that it prefetches at once, from 1 */
	uint32_t cycles; /* latency when this level serves; for a TLB the extra latency of
			    a hit */
};

struct ml_machine {
	char name[ML_MACHINE_NAME]; /* name of the preset, if nothing changed it; else
				       empty */
	uint32_t cores;             /* "cores 4 | L1 ..."; 1 by default */
	uint32_t levels, tlbs;
	struct ml_level_spec level[ML_LEVELS]; /* innermost first; level[0] holds data */
	bool split;                            /* instruction fetches go to icache */
	struct ml_level_spec icache;
	struct ml_level_spec tlb[ML_TLBS];
	/* latency of memory; extra latency of a miss in all TLBs */
	uint32_t memory_cycles, walk_cycles;
	/* latency of a line that another core gives up, or whose copies a write takes
	 * from other cores, instead of that of the serving level; 0 with one core */
	uint32_t transfer_cycles;
	/* latency of memory that another node owns; 0: there is one node. With it there
	 * are two, and each has half of the cores. The simulators do not know where pages
	 * lie, so this changes no outcome; find_first_touch.c uses it. */
	uint32_t remote_cycles;
	uint64_t seed; /* for random policies: "seed 7" */
};

/*
 * Reads a machine from its text, the name of a preset, or "host". Words behind a preset
 * change it: "zen4 | L1 fifo", "host | no-prefetch | no-tlb". Fails on a text that makes no sense; the error quotes the
 * word and gives the reason (a size that is no multiple of ways * line, an outer line
 * smaller than the inner one, OPT in an inclusive level...).
 */
bool ml_machine_parse(struct ml_machine *m, const char *text, struct ml_err *err);

/*
 * Prints the canonical text: all words of each level. It parses back to the same machine,
 * without the name.
 */
void ml_machine_print(const struct ml_machine *m, struct ml_buf *out);

/*
 * The machine of a run: one thread leaves all cores but the first idle, so its machine has
 * one core, and the same outcomes, counts and events. threads 0: unknown.
 */
struct ml_machine ml_machine_alone(const struct ml_machine *m, size_t threads);

/*
 * NULL, or the reason why not all levels are lru, write-back and write-allocate with lines
 * of one size ("a level is not lru").
 */
const char *ml_machine_not_lru(const struct ml_machine *m);
/*
 * Whether it is so, and no level notices what happens in the levels behind it: one core,
 * no inclusion, prefetchers or L1i. TLBs make no difference.
 */
bool ml_machine_plain(const struct ml_machine *m);

/* Lines that all instances of all levels hold: what a simulation costs in memory. */
uint64_t ml_machine_lines(const struct ml_machine *m);

/* Levels count from 1; the one behind the last is "memory". */
const char *ml_machine_level_name(const struct ml_machine *m, unsigned level);

struct ml_preset {
	const char *name, *text;
	const char *what;   /* "AMD Zen 4 core (Ryzen 7000, EPYC 9004)" */
	const char *source; /* where the figures come from */
};
extern const struct ml_preset ml_presets[]; /* ends with a zero one */

/*
 * Describes this computer, by hwloc. Latencies, prefetchers and TLBs are those of a
 * similar preset; the time of a transfer between cores is measured.
 */
bool ml_machine_host(struct ml_machine *m, struct ml_err *err);
