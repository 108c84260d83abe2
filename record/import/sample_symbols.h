/*
 * Names for samples that have only addresses: function, file and line of the instruction
 * by DWARF, and the static variable at the address of the data. The files that were
 * mapped are told by the lines PERF_RECORD_MMAP of perf script, or by the user, who names
 * the program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_err;
struct ml_samples;

struct ml_sample_binary {
	const char *path; /* the program or library; NULL: what perf script says */
	bool has_base;    /* base was given */
	uint64_t base;    /* address that the file was loaded at: run-time addresses minus
			     those of the file; else found by the names of functions */
};

/*
 * Adds columns with what is found; where nothing is, the names of the file stay. Without
 * a path, and without lines of mappings, nothing happens. Fails if the file cannot be
 * read, or if it is not known where it was loaded.
 */
bool ml_sample_symbols(struct ml_samples *s, const struct ml_sample_binary *b,
		       struct ml_err *err);
