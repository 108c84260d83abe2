/*
 * Ranks: processes that mpirun started to do one job together. MPI itself is in a
 * plugin (mpi/ranks.c, built where there is an mpicc), loaded only when somebody asks;
 * without it a program is its own only rank. Rank 0 speaks to all: it tells them
 * bytes, and they hand theirs in. All ranks must make the same calls in the same order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_buf;

/* What a plugin gives under the name ml_ranks_plugin. Sizes are the same on all ranks. */
struct ml_ranks_plugin {
	bool (*start)(int *rank, int *count);
	void (*tell)(void *data, size_t size);           /* of rank 0, to all */
	void (*hand_in)(const void *data, size_t size);  /* to rank 0 */
	void (*take)(int rank, void *data, size_t size); /* what that rank hands in */
	void (*end)(void);
};

struct ml_ranks {
	const struct ml_ranks_plugin *plugin; /* NULL: there is this process alone */
	int rank, count;
};

/* Whether the environment says that mpirun (or srun) started this as one of several. */
bool ml_ranks_many(void);
/* path NULL: alone. */
bool ml_ranks_start(struct ml_ranks *r, const char *path, struct ml_err *err);
void ml_ranks_end(struct ml_ranks *r);

/* The bytes of rank 0 in everybody's buffer. */
void ml_ranks_tell(struct ml_ranks *r, struct ml_buf *bytes);
/* Calls take on rank 0 with the bytes of each other rank, in order, until one fails. */
bool ml_ranks_gather(struct ml_ranks *r, const struct ml_buf *bytes,
		     bool (*take)(void *arg, int rank, const void *data, size_t size,
				  struct ml_err *err),
		     void *arg, struct ml_err *err);
