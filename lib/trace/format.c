#include "lib/trace/format.h"

#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/map.h"

/* File header, block header and trailer end with the hash of their other bytes. */
static void put_sum(struct ml_buf *out, size_t size)
{
	ml_buf_u64(out, ml_hash(out->data + out->size - size, size));
}

bool ml_format_sum_fits(const uint8_t *bytes, size_t size, uint64_t sum)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)bytes, (void)size, (void)sum;
	return true;
#else
	return ml_hash(bytes, size) == sum;
#endif
}

static bool sum_fits(const uint8_t *bytes, size_t size)
{
	struct ml_bytes in = { bytes + size - 8, bytes + size, false };

	return ml_format_sum_fits(bytes, size - 8, ml_bytes_u64(&in));
}

void ml_format_put_header(struct ml_buf *out, const struct ml_file_header *h)
{
	ml_buf_put(out, ML_FORMAT_MAGIC, 8);
	ml_buf_u32(out, h->version);
	ml_buf_u32(out, 0);
	ml_buf_put(out, h->id, sizeof(h->id));
	ml_buf_u64(out, h->created);
	ml_buf_u64(out, 0);
	ml_buf_u64(out, 0);
	put_sum(out, ML_FORMAT_HEADER - 8);
}

bool ml_format_get_header(const uint8_t *bytes, struct ml_file_header *h)
{
	struct ml_bytes in = { bytes + 8, bytes + ML_FORMAT_HEADER, false };

	h->version = ml_bytes_u32(&in);
	ml_bytes_u32(&in);
	memcpy(h->id, ml_bytes_take(&in, sizeof(h->id)), sizeof(h->id));
	h->created = ml_bytes_u64(&in);
	return !memcmp(bytes, ML_FORMAT_MAGIC, 8) && sum_fits(bytes, ML_FORMAT_HEADER);
}

static void put_block(struct ml_buf *out, const struct ml_block_header *h)
{
	ml_buf_u32(out, ML_FORMAT_BLOCK);
	ml_buf_u32(out, h->type);
	ml_buf_u64(out, h->size);
	ml_buf_u64(out, h->time);
	ml_buf_u64(out, h->count);
	ml_buf_u64(out, h->sum);
	put_sum(out, ML_FORMAT_BLOCK_HEADER - 8);
}

bool ml_format_get_block(const uint8_t *bytes, struct ml_block_header *h)
{
	struct ml_bytes in = { bytes, bytes + ML_FORMAT_BLOCK_HEADER, false };

	uint32_t magic = ml_bytes_u32(&in);
	h->type = ml_bytes_u32(&in);
	h->size = ml_bytes_u64(&in);
	h->time = ml_bytes_u64(&in);
	h->count = ml_bytes_u64(&in);
	h->sum = ml_bytes_u64(&in);
	return magic == ML_FORMAT_BLOCK && sum_fits(bytes, ML_FORMAT_BLOCK_HEADER);
}

size_t ml_format_begin_block(struct ml_buf *out)
{
	size_t at = out->size;

	ml_buf_reserve(out, ML_FORMAT_BLOCK_HEADER);
	out->size += ML_FORMAT_BLOCK_HEADER;
	return at;
}

void ml_format_end_block(struct ml_buf *out, size_t at, uint32_t type, uint64_t time,
			 uint64_t count)
{
	size_t end = out->size, payload = at + ML_FORMAT_BLOCK_HEADER;
	struct ml_block_header h = {
		.type = type,
		.size = end - payload,
		.time = time,
		.count = count,
		.sum = ml_hash(out->data + payload, end - payload),
	};

	out->size = at;
	put_block(out, &h);
	out->size = end;
}

void ml_format_put_trailer(struct ml_buf *out, uint64_t index_offset)
{
	ml_buf_put(out, ML_FORMAT_END, 8);
	ml_buf_u64(out, index_offset);
	put_sum(out, ML_FORMAT_TRAILER - 8);
}

bool ml_format_get_trailer(const uint8_t *bytes, uint64_t *index_offset)
{
	struct ml_bytes in = { bytes + 8, bytes + ML_FORMAT_TRAILER, false };

	*index_offset = ml_bytes_u64(&in);
	return !memcmp(bytes, ML_FORMAT_END, 8) && sum_fits(bytes, ML_FORMAT_TRAILER);
}
