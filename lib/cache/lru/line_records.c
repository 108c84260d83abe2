#include "lib/cache/lru/line_records.h"

static size_t chunk_size(const struct ml_line_records *r)
{
	return (size_t)r->stride << ML_LINE_CHUNK_BITS;
}

static void lay_out(struct ml_line_records *r, unsigned width)
{
	r->width = width;
	r->stride = 4 * r->times + width * r->evictors;
}

void ml_line_records_init(struct ml_line_records *r, unsigned times, unsigned evictors)
{
	*r = (struct ml_line_records){ .times = times, .evictors = evictors };
	lay_out(r, 2);
}

void ml_line_records_release(struct ml_line_records *r)
{
	ml_arena_release(&r->arena);
	ml_free(r->chunk);
	ml_line_records_init(r, r->times, r->evictors);
}

void ml_line_records_reach(struct ml_line_records *r, uint32_t number)
{
	size_t need = (size_t)(number >> ML_LINE_CHUNK_BITS) + 1;

	if (need <= r->chunks)
		return;
	r->chunk = ml_grow(r->chunk, &r->chunk_cap, need, sizeof(*r->chunk));
	while (r->chunks < need)
		r->chunk[r->chunks++] = ml_arena_large(&r->arena, chunk_size(r));
}

void ml_line_records_widen(struct ml_line_records *r, uint32_t owner)
{
	struct ml_line_records old = *r;

	if (r->width == 4 || owner == UINT32_MAX || owner < ML_LINE_OWNERS - 1)
		return;
	lay_out(r, 4);
	r->arena = (struct ml_arena){ 0 };
	for (size_t i = 0; i < r->chunks; i++) {
		const uint8_t *from = r->chunk[i];
		uint8_t *to = ml_arena_large(&r->arena, chunk_size(r));

		for (size_t n = 0; n < (size_t)1 << ML_LINE_CHUNK_BITS; n++) {
			memcpy(to + n * r->stride, from + n * old.stride, 4 * r->times);
			for (unsigned k = 0; k < r->evictors; k++)
				ml_line_set_evictor(
					r, to + n * r->stride, k,
					ml_line_evictor(&old, from + n * old.stride, k));
		}
		r->chunk[i] = to;
	}
	ml_arena_release(&old.arena);
}
