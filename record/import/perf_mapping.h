/* The lines PERF_RECORD_MMAP and PERF_RECORD_MMAP2 of perf script --show-mmap-events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ML_PERF_MAPPING_PATH = 1024 };

struct ml_perf_mapping {
	uint64_t low, high, offset;
	uint8_t prot; /* 1 read, 2 write, 4 execute */
	char path[ML_PERF_MAPPING_PATH];
};

/* Reads the line [at, end). False: it maps no file, or is no such line. */
bool ml_perf_mapping_read(struct ml_perf_mapping *m, const char *at, const char *end);
