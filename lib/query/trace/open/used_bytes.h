/*
 *
 * The used part of the data that came into a cache. A line that comes in brings all its
 * bytes. Bytes that the program reads or writes before the line leaves again are used;
 * the others came in vain.
 *
 * Of a window, each arrival of a line within the window counts, with the bytes that were
 * used until the line left, or until the window's end. At the window's start the caches
 * are as the run before left them; the lines in them do not count. Where lines have more
 * than 64 bytes, used bytes are known in units of a 64th of a line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_work;
struct ml_open_sim;

/* Neighbouring bytes of a region that came in with one line, all used or none. Offsets
 * are those of ml_open_trace_offset. */
typedef void ml_used_bytes_fn(void *arg, uint32_t region, uint64_t offset, uint64_t bytes,
			      bool used);

struct ml_used_bytes {
	unsigned level;          /* from 1 */
	uint64_t from, to;       /* positions */
	const uint32_t *regions; /* the regions that fn is called for */
	size_t count;
	ml_used_bytes_fn *fn;
	void (*at)(void *arg, uint64_t position); /* before each batch; may be NULL */
	void *arg;                                /* of both */
};

/* Simulates the window; bytes that belong to no region of the list are left out. */
bool ml_used_bytes_run(const struct ml_used_bytes *u, struct ml_open_sim *s,
		       const struct ml_work *work, struct ml_err *err);
