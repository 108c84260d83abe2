/*
 * The level of the memory that served a sample, out of what the hardware and the kernel
 * write: the data-source word of Intel PEBS, the data_src word of Linux perf, and the
 * names that tools print.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of distance. */
enum ml_level {
	ML_LEVEL_UNKNOWN,
	ML_LEVEL_L1,
	ML_LEVEL_L1_OR_L2, /* times of loads that a coarse clock cannot tell apart */
	ML_LEVEL_LFB,      /* a line that was on its way to L1 already */
	ML_LEVEL_L2,
	ML_LEVEL_L2_OR_L3,
	ML_LEVEL_L1_TO_L3,
	ML_LEVEL_L3,
	ML_LEVEL_L3_OR_RAM, /* AMD IBS cannot tell them apart */
	ML_LEVEL_RAM,
	ML_LEVEL_REMOTE_CACHE,
	ML_LEVEL_REMOTE_RAM,
	ML_LEVEL_IO,
	ML_LEVEL_UNCACHED,
	ML_LEVELS
};

const char *ml_level_name(enum ml_level level); /* "L3 or RAM" */

/* Intel PEBS: bits 0 to 3 are the source, 4 is a miss of the second-level TLB. */
enum ml_level ml_level_of_pebs(uint64_t word);
static inline bool ml_tlb_miss_of_pebs(uint64_t word)
{
	return word >> 4 & 1;
}

/* Linux perf: union perf_mem_data_src. */
enum ml_level ml_level_of_perf(uint64_t word);
bool ml_tlb_miss_of_perf(uint64_t word);
/* Bit 0: neither load nor store, 1: load, 2: store, 3: prefetch, 4: instruction. */
static inline unsigned ml_op_of_perf(uint64_t word)
{
	return (unsigned)(word & 31);
}

/* Names as Mitos and perf print them: "L1", "Local RAM", "Remote RAM (1 hop)". */
enum ml_level ml_level_of_name(const char *name);
