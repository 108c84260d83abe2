/*
 * Open samples. The table does not change while it is open; bins of columns are made when
 * they are first asked for and stay, at one byte a cell for up to 255 bins.
 */
#pragma once

#include <pthread.h>

#include "lib/query/workspace/document.h"
#include "lib/samples/bins.h"
#include "lib/samples/samples.h"

enum { ML_OPEN_BINS = 128 };

struct ml_open_samples {
	struct ml_document document;
	struct ml_samples s;
	pthread_mutex_t lock; /* of the bins */
	struct ml_open_bins {
		size_t column, asked; /* asked: how many bins, at most */
		struct ml_bins bins;
	} bins[ML_OPEN_BINS];
	size_t bin_count;
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_samples_open(struct ml_workspace *ws, const char *path,
					 struct ml_err *err);
void ml_open_samples_close(struct ml_document *d);

/* The open samples with a number; NULL with a sentence. */
struct ml_open_samples *ml_open_samples(struct ml_workspace *ws, uint64_t number,
					struct ml_err *err);
/* The bins of a column; valid while the samples are open. NULL with a sentence: too many
 * different ones were asked for. */
const struct ml_bins *ml_open_samples_bins(struct ml_open_samples *x, size_t column,
					   size_t bins, struct ml_err *err);
