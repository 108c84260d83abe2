/*
 * What there is to know about a sample table, as tables. The command line and the routes
 * print the same ones. Tables are named: columns, lines, functions, variables, levels,
 * cpus, threads, hardware, metrics, windows, clusters, related, special.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/table.h"
#include "lib/samples/metrics.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"
#include "lib/samples/totals.h"

struct ml_work;

/* Zero bytes with the defaults of ml_sample_question_init. */
struct ml_sample_question {
	const struct ml_samples *s;
	struct ml_selection selected;
	enum ml_total_order order;
	enum ml_empty empty;
	enum ml_metric metric; /* of clusters */
	int along;            /* column of windows and clusters; -1: time, or the first */
	int tier;             /* of windows and clusters; -1: CPUs */
	uint64_t windows;     /* how many */
	uint64_t width, step; /* of the windows of clusters, in samples; 0: chosen */
	uint64_t clusters;    /* how many are left */
	uint64_t depth;       /* UINT64_MAX: by count; else cut at this depth */
	uint64_t top;         /* rows of a table */
	struct ml_arena *arena;
	const struct ml_work *work;
};

void ml_sample_question_init(struct ml_sample_question *q, const struct ml_samples *s,
			     struct ml_arena *a);
/* Set parts by text, as the user writes them. NULL texts change nothing. */
bool ml_sample_question_set(struct ml_sample_question *q, const char *select,
			    const char *order, const char *empty, const char *metric,
			    const char *along, const char *tier, struct ml_err *err);

/* Makes a table; *all gets the number of rows before it was cut. Fails if there is no
 * such table, or the samples lack a column for it. */
bool ml_sample_table(struct ml_table *t, size_t *all, const char *name,
		     const struct ml_sample_question *q, struct ml_err *err);
/* Whether the samples have what a table needs. */
bool ml_sample_table_has(const char *name, const struct ml_samples *s);
extern const char *const ml_sample_table_names[]; /* ends with NULL */
