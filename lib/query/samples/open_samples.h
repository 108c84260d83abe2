/*
 * Open samples: a file or folder with its table. When the person maps columns anew, the
 * file is read again into another table, and the older ones stay for the requests that
 * still look at them.
 */
#pragma once

#include <pthread.h>

#include "lib/query/samples/open_table.h"
#include "lib/query/workspace/document.h"

struct ml_open_samples {
	struct ml_document document;
	pthread_mutex_t lock; /* of the table */
	struct ml_open_table *table;
	char *columns; /* roles as the person mapped them, or NULL */
	uint64_t l1_latency;
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_samples_open(struct ml_workspace *ws, const char *path,
					 struct ml_err *err);
void ml_open_samples_close(struct ml_document *d);

/* The open samples with a number; NULL with a sentence. */
struct ml_open_samples *ml_open_samples(struct ml_workspace *ws, uint64_t number,
					struct ml_err *err);
/* The table as it is now; it stays as long as the samples are open. */
struct ml_open_table *ml_open_samples_table(struct ml_open_samples *x);
/* Reads the file again with other columns or another latency of L1. */
bool ml_open_samples_read(struct ml_open_samples *x, const struct ml_read_options *o,
			  struct ml_err *err);
