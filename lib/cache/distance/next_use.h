/*
 * Finds for each position of a stream of lines when the same line comes next. A walk
 * backwards over the stream remembers where it met each line last. The results go block
 * by block into a temporary file (spill_file.h), from which they are read forwards. So
 * memory is bounded by the number of distinct lines and by the largest block, not by the
 * length of the stream.
 * Held by tests/cache/test_next_use.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

#define ML_NEVER_AGAIN UINT64_MAX

/* A stream of line numbers in blocks, which are read from the last block to the first. */
struct ml_next_use_source {
	void *arg;
	size_t blocks;
	/*
	 * The lines of a block; they stay valid until the next call. False stops the
	 * walk.
	 */
	bool (*read)(void *arg, size_t block, const uint64_t **lines, size_t *count,
		     struct ml_err *err);
};

struct ml_next_use;

bool ml_next_use_open(struct ml_next_use **n, const struct ml_next_use_source *source,
		      struct ml_err *err);
void ml_next_use_close(struct ml_next_use *n);

uint64_t ml_next_use_count(const struct ml_next_use *n); /* positions in the stream */

/* Moves to a position; 0 is the first, the count is the end. */
void ml_next_use_seek(struct ml_next_use *n, uint64_t position);
/*
 * For the next positions, the position at which the same line comes next, or
 * ML_NEVER_AGAIN; valid until the next call. *count is 0 at the end.
 */
bool ml_next_use_next(struct ml_next_use *n, const uint64_t **next, size_t *count,
		      struct ml_err *err);
