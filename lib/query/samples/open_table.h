/*
 * A table of open samples. It does not change. Bins of columns are made when they are
 * first asked for, at one byte a cell for up to 255 bins; the ones that were not used for
 * longest make room for others. The last selections are kept as bits.
 */
#pragma once

#include <pthread.h>

#include "lib/base/err.h"
#include "lib/samples/bins.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

struct ml_loads_map;
struct ml_read_options;
struct ml_row_groups;

enum {
	ML_OPEN_BINS = 128,
	ML_OPEN_SELECTIONS = 8,
	ML_OPEN_TAKEN = 64,
	ML_OPEN_GROUPS = 16
};

struct ml_open_table {
	struct ml_samples s;
	struct ml_loads_map *loads; /* NULL: no_loads says why */
	struct ml_err no_loads;
	struct ml_arena arena; /* of loads */
	pthread_mutex_t lock;  /* of what follows */
	struct ml_open_bins {
		size_t column, asked; /* asked: how many bins, at most */
		bool log;             /* bins that grow (log_bins.h) */
		unsigned users;
		uint64_t used; /* when it was used last */
		struct ml_bins bins;
	} bins[ML_OPEN_BINS];
	struct ml_open_selection {
		char *text; /* NULL: free */
		uint64_t *words;
		uint64_t used;
	} kept[ML_OPEN_SELECTIONS];
	struct ml_row_groups *groups[ML_OPEN_GROUPS]; /* NULL: free; they stay */
	uint64_t clock;
	struct ml_open_table *older;
};

/* NULL with a sentence. */
struct ml_open_table *
ml_open_table_open(const char *path, const struct ml_read_options *o, struct ml_err *err);
void ml_open_table_close(struct ml_open_table *t);

/* Bins that a request uses: all are given back at its end. */
struct ml_taken_bins {
	struct ml_open_table *table;
	struct ml_open_bins *list[ML_OPEN_TAKEN];
	size_t count;
};
/* The bins of a column, of equal width or growing; NULL with a sentence: too many are in
 * use. */
const struct ml_bins *ml_open_table_bins(struct ml_open_table *t, size_t column,
					 size_t bins, bool log,
					 struct ml_taken_bins *taken, struct ml_err *err);
void ml_taken_bins_give(struct ml_taken_bins *taken);

/* The rows of a selection's text, in the arena; fails as ml_selection_parse does. */
bool ml_open_table_select(struct ml_open_table *t, const char *text,
			  struct ml_selection *sel, struct ml_arena *a,
			  struct ml_err *err);
/* The rows grouped by one or two columns (second is -1: one); NULL: there is no room for
 * more groups. */
const struct ml_row_groups *ml_open_table_groups(struct ml_open_table *t, int first,
						 int second);
