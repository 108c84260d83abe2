/*
 * Ranks: the processes of one MPI job. The calls of MPI are in a plugin (mpi/ranks.c,
 * built where there is an mpicc), which is loaded on request; without it the process is
 * the only rank. Rank 0 sends bytes to all other ranks and receives bytes from each. All
 * ranks must make the same calls in the same order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_buf;

/* A plugin exports this struct as ml_ranks_plugin. Sizes are the same on all ranks. */
struct ml_ranks_plugin {
	bool (*start)(int *rank, int *count);
	void (*tell)(void *data, size_t size);           /* rank 0 sends to all others */
	void (*hand_in)(const void *data, size_t size);  /* sends to rank 0 */
	void (*take)(int rank, void *data, size_t size); /* rank 0 receives from rank */
	void (*end)(void);
};

struct ml_ranks {
	const struct ml_ranks_plugin *plugin; /* NULL: this process is the only rank */
	int rank, count;
};

/* Did mpirun (or srun) start this process as one of several? The environment tells. */
bool ml_ranks_many(void);
/* path: of the plugin; NULL: this process is the only rank. */
bool ml_ranks_start(struct ml_ranks *r, const char *path, struct ml_err *err);
void ml_ranks_end(struct ml_ranks *r);

/* Replaces the bytes of all other ranks by those of rank 0. */
void ml_ranks_tell(struct ml_ranks *r, struct ml_buf *bytes);
/* Sends bytes to rank 0, which calls take with those of each other rank, in order, until
 * take fails. */
bool ml_ranks_gather(struct ml_ranks *r, const struct ml_buf *bytes,
		     bool (*take)(void *arg, int rank, const void *data, size_t size,
				  struct ml_err *err),
		     void *arg, struct ml_err *err);
