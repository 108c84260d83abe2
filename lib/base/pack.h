/*
 * Compression by zstd, one block at a time. A packer or unpacker keeps the context of
 * zstd for the next block. One of zero bytes is ready; only one thread may use it at a
 * time.
 * Held by tests/base/test_pack.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ml_buf;
struct ml_err;

struct ml_packer {
	struct ZSTD_CCtx_s *ctx;
};

enum {
	ML_PACK_NO_SEARCH = -(1 << 17),        /* Huffman codes only, no repetitions */
	ML_PACK_STORE = ML_PACK_NO_SEARCH - 1, /* no compression */
};

/*
 * Appends the compressed bytes to out; returns their number. Levels are those of zstd:
 * the lower a negative level, the less zstd searches for repetitions. Unlike zstd's
 * default, negative levels use Huffman codes.
 */
size_t ml_pack(struct ml_packer *p, const void *in, size_t size, int level,
	       struct ml_buf *out);
void ml_packer_release(struct ml_packer *p);

struct ml_unpacker {
	struct ZSTD_DCtx_s *ctx;
};

/*
 * Decompresses to exactly out_size bytes. Fails if the input is corrupt or has another
 * size; the caller adds file and offset to the reason. A size in the input never makes it
 * allocate memory.
 */
bool ml_unpack(struct ml_unpacker *u, const void *in, size_t in_size, void *out,
	       size_t out_size, struct ml_err *err);
void ml_unpacker_release(struct ml_unpacker *u);
