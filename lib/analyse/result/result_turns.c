/* The blocks within which references were merged, as bytes. */
#include "lib/analyse/passes/interleave.h"
#include "lib/analyse/result/result_parts.h"

void ml_result_put_turns(struct ml_buf *out, const struct ml_result_turns *t)
{
	uint64_t end = 0;

	ml_buf_varint(out, t->thread_count);
	for (size_t i = 0; i < t->thread_count; i++)
		ml_buf_varint(out, t->threads[i]);
	for (size_t i = 0; i < t->count; i++) {
		ml_buf_varint(out, t->at[i].from - end);
		ml_buf_varint(out, t->at[i].to - t->at[i].from);
		ml_buf_varint(out, t->at[i].threads);
		end = t->at[i].to;
	}
}

static bool get_threads(struct ml_bytes *in, struct ml_result_turns *t,
			struct ml_err *err)
{
	uint64_t count = ml_bytes_varint(in);

	if (count > UINT16_MAX + 1u)
		return ml_fail(err, ML_FORMAT, "there are too many threads");
	t->threads = ml_grow(t->threads, &t->thread_cap, count + 1, sizeof(*t->threads));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t thread = ml_bytes_varint(in);

		if (in->bad || thread > UINT16_MAX)
			return ml_fail(err, ML_FORMAT, "there is no such thread");
		t->threads[t->thread_count++] = (uint16_t)thread;
	}
	return true;
}

bool ml_result_get_turns(struct ml_bytes *in, size_t count, struct ml_result_turns *t,
			 struct ml_err *err)
{
	uint64_t end = 0;

	if (!get_threads(in, t, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t skipped = ml_bytes_varint(in), size = ml_bytes_varint(in);
		uint64_t threads = ml_bytes_varint(in);

		if (in->bad || !size || threads > t->thread_count ||
		    size > ML_INTERLEAVE_BLOCK || skipped > UINT64_MAX / 2 - end)
			return ml_fail(err, ML_FORMAT, "a block of threads is damaged");
		t->at = ml_grow(t->at, &t->cap, t->count + 1, sizeof(*t->at));
		t->at[t->count++] = (struct ml_result_stretch){ end + skipped,
								end + skipped + size,
								(size_t)threads };
		end += skipped + size;
	}
	return true;
}

const struct ml_result_stretch *ml_result_merged(const struct ml_result *r,
						 uint64_t position)
{
	size_t low = 0, high = r->turns.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->turns.at[mid].to <= position)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->turns.count ? &r->turns.at[low] : NULL;
}
