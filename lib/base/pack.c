#include "lib/base/pack.h"

#include <assert.h>
#include <string.h>
/* ZSTD_c_literalCompressionMode is in the unstable part of the interface */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
/* Fuzzing builds do not compress, so that the fuzzer reaches the readers. */
size_t ml_pack(struct ml_packer *p, const void *in, size_t size, int level,
	       struct ml_buf *out)
{
	(void)p, (void)level;
	ml_buf_put(out, in, size);
	return size;
}

bool ml_unpack(struct ml_unpacker *u, const void *in, size_t in_size, void *out,
	       size_t out_size, struct ml_err *err)
{
	(void)u;
	if (in_size != out_size)
		return ml_fail(err, ML_FORMAT, "has %zu bytes instead of %zu", in_size,
			       out_size);
	if (in_size)
		memcpy(out, in, in_size);
	return true;
}
#else
size_t ml_pack(struct ml_packer *p, const void *in, size_t size, int level,
	       struct ml_buf *out)
{
	size_t bound = ZSTD_compressBound(size);

	if (!p->ctx)
		p->ctx = ZSTD_createCCtx();
	ml_buf_reserve(out, bound);
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_compressionLevel,
			       level == ML_PACK_STORE ? ML_PACK_NO_SEARCH : level);
	/* a zstd without this parameter compresses less well */
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_literalCompressionMode,
			       level == ML_PACK_STORE ? ZSTD_lcm_uncompressed
			       : level < 0            ? ZSTD_lcm_huffman
						      : ZSTD_lcm_auto);
	size_t n = ZSTD_compress2(p->ctx, out->data + out->size, bound, in, size);
	/* with room for the worst case only a lack of memory can make this fail */
	assert(!ZSTD_isError(n));
	out->size += n;
	return n;
}

bool ml_unpack(struct ml_unpacker *u, const void *in, size_t in_size, void *out,
	       size_t out_size, struct ml_err *err)
{
	if (!u->ctx)
		u->ctx = ZSTD_createDCtx();
	size_t n = ZSTD_decompressDCtx(u->ctx, out, out_size, in, in_size);
	if (ZSTD_isError(n))
		return ml_fail(err, ML_FORMAT, "cannot be decompressed: %s",
			       ZSTD_getErrorName(n));
	if (n != out_size)
		return ml_fail(err, ML_FORMAT, "decompresses to %zu bytes instead of %zu",
			       n, out_size);
	return true;
}

#endif

void ml_packer_release(struct ml_packer *p)
{
	ZSTD_freeCCtx(p->ctx);
	p->ctx = NULL;
}

void ml_unpacker_release(struct ml_unpacker *u)
{
	ZSTD_freeDCtx(u->ctx);
	u->ctx = NULL;
}
