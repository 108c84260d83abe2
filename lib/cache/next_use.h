/*
 * When each line of a stream is asked for next. That is found by walking backwards
 * and remembering where each line was met last; what is found goes block by block
 * into a temporary file (spill_file.h), from which it is read forwards. So memory is
 * bounded by the number of distinct lines and by the largest block, not by the
 * length of the stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

#define ML_NEVER_AGAIN UINT64_MAX

/* A stream of line numbers in blocks, which are read from the last to the first. */
struct ml_next_use_source {
	void *arg;
	size_t blocks;
	/* The lines of a block, valid until the next call. False stops. */
	bool (*read)(void *arg, size_t block, const uint64_t **lines, size_t *count,
		     struct ml_err *err);
};

struct ml_next_use;

bool ml_next_use_open(struct ml_next_use **n, const struct ml_next_use_source *source,
		      struct ml_err *err);
void ml_next_use_close(struct ml_next_use *n);

uint64_t ml_next_use_count(const struct ml_next_use *n); /* positions in the stream */
uint64_t ml_next_use_bytes(const struct ml_next_use *n); /* of the temporary file */

/* Goes to a position, 0 being the first and the count the end. */
void ml_next_use_seek(struct ml_next_use *n, uint64_t position);
/*
 * For the next positions the position at which the same line is asked for again,
 * or ML_NEVER_AGAIN; valid until the next call. *count is 0 at the end.
 */
bool ml_next_use_next(struct ml_next_use *n, const uint64_t **next, size_t *count,
		      struct ml_err *err);
