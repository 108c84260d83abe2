/*
 * The framing of a trace file: file header, block headers, trailer. docs/format.md is
 * the contract. All numbers are little-endian.
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
	ML_BLOCK_CONTROL,
};

struct ml_block_header {
	uint32_t type;  /* readers skip unknown types */
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
/* False if the magic number or the checksum is wrong. */
bool ml_format_get_header(const uint8_t *bytes, struct ml_file_header *h);
bool ml_format_get_block(const uint8_t *bytes, struct ml_block_header *h);
/*
 * Writing a block: begin leaves room for the header and returns its position; the caller
 * appends the payload; end fills the header in.
 */
size_t ml_format_begin_block(struct ml_buf *out);
void ml_format_end_block(struct ml_buf *out, size_t at, uint32_t type, uint64_t time,
			 uint64_t count);
void ml_format_put_trailer(struct ml_buf *out, uint64_t index_offset);
bool ml_format_get_trailer(const uint8_t *bytes, uint64_t *index_offset);

/* Is sum the hash of the bytes? In fuzzing builds always true, because a fuzzer cannot
 * guess hashes. */
bool ml_format_sum_fits(const uint8_t *bytes, size_t size, uint64_t sum);
