/*
 * Blocks of bytes that do not fit in memory, compressed in a temporary file. The file has
 * no name, so it disappears with the process. It lies in $TMPDIR, or in /var/tmp, which
 * unlike /tmp is seldom kept in memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/pack.h"

struct ml_spill_file {
	int fd;
	const char *folder; /* for messages */
	struct ml_spill_file_block {
		uint64_t offset;
		size_t packed, size; /* bytes in the file, and unpacked */
	} * blocks;
	size_t count, cap;
	uint64_t bytes; /* size of the file */
	struct ml_packer packer;
	struct ml_unpacker unpacker;
	struct ml_buf scratch;
};

bool ml_spill_file_open(struct ml_spill_file *s, struct ml_err *err);
/* Appends a block; its number is the count before. */
bool ml_spill_file_put(struct ml_spill_file *s, const void *bytes, size_t size,
		       struct ml_err *err);
/* Replaces the contents of out by the bytes of a block. */
bool ml_spill_file_get(struct ml_spill_file *s, size_t block, struct ml_buf *out,
		       struct ml_err *err);
void ml_spill_file_close(struct ml_spill_file *s); /* may be called after open failed */
