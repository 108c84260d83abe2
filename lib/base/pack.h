/*
 * zstd, one block at a time, with contexts that are used again. Zero bytes are
 * a ready packer or unpacker; one thread uses one at a time.
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
	ML_PACK_NO_SEARCH = -(1 << 17),        /* looks for no repetitions at all */
	ML_PACK_STORE = ML_PACK_NO_SEARCH - 1, /* and leaves bytes as they are */
};

/*
 * Appends the compressed bytes to out; returns how many. Levels are those of zstd; below
 * 0 the lower the less it looks for repetitions, but it packs bytes by how often they
 * come, unless they are only to be stored.
 */
size_t ml_pack(struct ml_packer *p, const void *in, size_t size, int level,
	       struct ml_buf *out);
void ml_packer_release(struct ml_packer *p);

struct ml_unpacker {
	struct ZSTD_DCtx_s *ctx;
};

/*
 * Fills out with exactly out_size bytes. Fails, with a reason that the caller
 * puts file and offset before, when in is corrupt or holds more or fewer. What
 * the bytes claim never makes it allocate anything.
 */
bool ml_unpack(struct ml_unpacker *u, const void *in, size_t in_size, void *out,
	       size_t out_size, struct ml_err *err);
void ml_unpacker_release(struct ml_unpacker *u);
