#include "lib/samples/data_source.h"

#include <string.h>
#include <strings.h>

static const char *const names[ML_LEVELS] = {
	"unknown",      "L1",           "L1 or L2", "LFB",       "L2",
	"L2 or L3",     "L1, L2 or L3", "L3",       "L3 or RAM", "RAM",
	"remote cache", "remote RAM",   "I/O",      "uncached",
};

const char *ml_level_name(enum ml_level level)
{
	return names[level];
}

/* Intel SDM volume 3B, "Data Source Encoding". */
enum ml_level ml_level_of_pebs(uint64_t word)
{
	static const unsigned char levels[16] = {
		ML_LEVEL_UNKNOWN,      ML_LEVEL_L1,         ML_LEVEL_LFB,
		ML_LEVEL_L2,           ML_LEVEL_L3,         ML_LEVEL_L3,
		ML_LEVEL_L3,           ML_LEVEL_L3,         ML_LEVEL_REMOTE_CACHE,
		ML_LEVEL_REMOTE_CACHE, ML_LEVEL_RAM,        ML_LEVEL_REMOTE_RAM,
		ML_LEVEL_RAM,          ML_LEVEL_REMOTE_RAM, ML_LEVEL_IO,
		ML_LEVEL_UNCACHED,
	};

	return (enum ml_level)levels[word & 15];
}

/* Bits of the lvl field, and values of lvl_num: include/uapi/linux/perf_event.h. */
enum {
	HIT = 0x2,
	MISS = 0x4,
	NUM_IO = 0xa,
	NUM_ANY_CACHE = 0xb,
	NUM_LFB = 0xc,
	NUM_RAM = 0xd,
	NUM_PMEM = 0xe
};

static enum ml_level level_of_number(unsigned number, bool remote)
{
	switch (number) {
	case 1: return remote ? ML_LEVEL_REMOTE_CACHE : ML_LEVEL_L1;
	case 2: return remote ? ML_LEVEL_REMOTE_CACHE : ML_LEVEL_L2;
	case 3:
	case 4: return remote ? ML_LEVEL_REMOTE_CACHE : ML_LEVEL_L3;
	case NUM_IO: return ML_LEVEL_IO;
	case NUM_ANY_CACHE: return remote ? ML_LEVEL_REMOTE_CACHE : ML_LEVEL_UNKNOWN;
	case NUM_LFB: return ML_LEVEL_LFB;
	case NUM_RAM:
	case NUM_PMEM: return remote ? ML_LEVEL_REMOTE_RAM : ML_LEVEL_RAM;
	default: return ML_LEVEL_UNKNOWN;
	}
}

enum ml_level ml_level_of_perf(uint64_t word)
{
	static const struct {
		unsigned bits;
		enum ml_level level;
	} hits[] = {
		{ 0x8, ML_LEVEL_L1 },
		{ 0x10, ML_LEVEL_LFB },
		{ 0x20, ML_LEVEL_L2 },
		{ 0x40, ML_LEVEL_L3 },
		{ 0x80, ML_LEVEL_RAM },
		{ 0x300, ML_LEVEL_REMOTE_RAM },
		{ 0xc00, ML_LEVEL_REMOTE_CACHE },
		{ 0x1000, ML_LEVEL_IO },
		{ 0x2000, ML_LEVEL_UNCACHED },
	};
	unsigned level = (unsigned)(word >> 5 & 0x3fff);

	for (size_t i = 0; level & HIT && i < sizeof(hits) / sizeof(*hits); i++)
		if (level & hits[i].bits)
			return hits[i].level;
	if (level & MISS && !(level & HIT))
		return ML_LEVEL_UNKNOWN; /* it says where the data were not */
	return level_of_number((unsigned)(word >> 33 & 15), word >> 37 & 1);
}

/* dtlb: NA 1, hit 2, miss 4, L1 8, L2 0x10, walker 0x20. A miss counts if no level hit.
 */
bool ml_tlb_miss_of_perf(uint64_t word)
{
	unsigned tlb = (unsigned)(word >> 26 & 127);

	return tlb & 4 && !(tlb & 2);
}

static bool has(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

enum ml_level ml_level_of_name(const char *name)
{
	bool remote = has(name, "remote");

	for (size_t i = 1; i < ML_LEVELS; i++)
		if (!strcasecmp(name, names[i]))
			return (enum ml_level)i;
	if (has(name, "miss"))
		return ML_LEVEL_UNKNOWN;
	if (has(name, "uncached"))
		return ML_LEVEL_UNCACHED;
	if (has(name, "ram") || has(name, "dram") || has(name, "memory"))
		return remote ? ML_LEVEL_REMOTE_RAM : ML_LEVEL_RAM;
	if (remote && (has(name, "cache") || has(name, "L3")))
		return ML_LEVEL_REMOTE_CACHE;
	if (has(name, "LFB") || has(name, "fill buffer"))
		return ML_LEVEL_LFB;
	if (has(name, "L1"))
		return ML_LEVEL_L1;
	if (has(name, "L2"))
		return ML_LEVEL_L2;
	if (has(name, "L3") || has(name, "LLC"))
		return ML_LEVEL_L3;
	return has(name, "I/O") ? ML_LEVEL_IO : ML_LEVEL_UNKNOWN;
}
