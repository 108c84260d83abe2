/*
 * The bytes of a trace file around its contents: the file header, block
 * headers, the trailer. docs/format.md is the contract; all numbers are
 * little-endian.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;

#define ML_FORMAT_MAGIC "memlamp\n"
#define ML_FORMAT_END   "mlt-end\n"
#define ML_FORMAT_BLOCK 0x4b4c424du /* "MBLK" */

enum {
	ML_FORMAT_VERSION = 3,
	ML_FORMAT_HEADER = 64, /* bytes */
	ML_FORMAT_BLOCK_HEADER = 48,
	ML_FORMAT_TRAILER = 24,
	ML_FORMAT_UNPACKED_MAX = 1 << 28, /* bytes of any block but REFS */
};

enum ml_block_type {
	ML_BLOCK_TABLES = 1,
	ML_BLOCK_SHAPES,
	ML_BLOCK_EVENTS,
	ML_BLOCK_REFS,
	ML_BLOCK_SOURCE,
	ML_BLOCK_INDEX,
};

struct ml_block_header {
	uint32_t type;  /* unknown types are skipped by readers */
	uint64_t size;  /* of the payload, bytes */
	uint64_t time;  /* references before this block */
	uint64_t count; /* REFS: references; INDEX: blocks; others: bytes unpacked */
	uint64_t sum;   /* ml_hash of the payload */
};

struct ml_file_header {
	uint32_t version;
	uint8_t id[16];
	uint64_t created; /* seconds since 1970 */
};

void ml_format_put_header(struct ml_buf *out, const struct ml_file_header *h);
/* False if the bytes are not a header with a right checksum. */
bool ml_format_get_header(const uint8_t *bytes, struct ml_file_header *h);
bool ml_format_get_block(const uint8_t *bytes, struct ml_block_header *h);
/*
 * A block that is put together in place: leaves room for its header and returns where;
 * what is appended until the end is its payload.
 */
size_t ml_format_begin_block(struct ml_buf *out);
void ml_format_end_block(struct ml_buf *out, size_t at, uint32_t type, uint64_t time,
			 uint64_t count);
void ml_format_put_trailer(struct ml_buf *out, uint64_t index_offset);
bool ml_format_get_trailer(const uint8_t *bytes, uint64_t *index_offset);

/* Is sum the hash of the bytes? Always true in fuzzing builds, which could not get past
 * it. */
bool ml_format_sum_fits(const uint8_t *bytes, size_t size, uint64_t sum);
