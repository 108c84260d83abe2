/* memlamp diff of two tables of samples. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct diff_samples {
	const char *a, *b; /* files or folders */
	const char *csv;   /* one table as CSV, or NULL */
	uint64_t top;      /* 0: 10 rows, all for programs */
	bool json;
};

/* Whether a file or folder holds samples and no trace. */
bool diff_samples_is(const char *path);
/* Prints the comparison; returns the exit status. */
int diff_samples(const struct diff_samples *d);
