#include "lib/prune/sunburst.h"

#include <stdlib.h>
#include <string.h>

/* A combination with its bits in the order of the rings, the innermost the highest. */
struct keyed {
	uint32_t key;
	uint64_t count;
};

static int by_key(const void *a, const void *b)
{
	uint32_t p = ((const struct keyed *)a)->key, q = ((const struct keyed *)b)->key;

	return (p > q) - (p < q);
}

static uint32_t key_of(uint32_t mask, const uint8_t *order, size_t rings)
{
	uint32_t key = 0;

	for (size_t r = 0; r < rings; r++)
		key = key << 1 | (mask >> order[r] & 1);
	return key;
}

static uint32_t mask_of(uint32_t key, const uint8_t *order, size_t bits)
{
	uint32_t mask = 0;

	for (size_t r = bits; r-- > 0; key >>= 1)
		mask |= (key & 1) << order[r];
	return mask;
}

/* Adds a sector to a ring, or joins it with the last if both are thin. */
static void add(struct ml_sunburst *s, size_t ring_start, const struct ml_sector *new,
		uint64_t thin, size_t *cap)
{
	struct ml_sector *last = s->count > ring_start ? &s->at[s->count - 1] : NULL;

	if (last && new->count < thin && last->count < thin) {
		last->count += new->count;
		last->failed += new->failed;
		last->joined++;
		return;
	}
	s->at = ml_grow(s->at, cap, s->count + 1, sizeof(*s->at));
	s->at[s->count++] = *new;
}

static void ring(struct ml_sunburst *s, const struct keyed *k, size_t n, size_t r,
		 size_t rings, const uint8_t *order, uint64_t thin, size_t *cap)
{
	size_t start = s->count;
	uint64_t at = 0;

	for (size_t i = 0; i < n;) {
		uint32_t prefix = k[i].key >> (rings - 1 - r);
		struct ml_sector x = { .ring = (uint8_t)r, .from = at, .joined = 1 };

		for (; i < n && k[i].key >> (rings - 1 - r) == prefix; i++)
			x.count += k[i].count;
		x.failed = prefix & 1 ? x.count : 0;
		x.want = mask_of(prefix, order, r + 1);
		at += x.count;
		add(s, start, &x, thin, cap);
	}
}

void ml_sunburst(struct ml_sunburst *s, const struct ml_combos *t, const uint8_t *order,
		 size_t rings, uint32_t care, uint32_t want, size_t cells,
		 struct ml_arena *a)
{
	struct keyed *k = ml_resize(NULL, (t->count + 1) * sizeof(*k));
	struct ml_sector *grown;
	size_t n = 0, cap = 0;

	*s = (struct ml_sunburst){ 0 };
	for (size_t i = 0; i < t->count; i++)
		if ((t->at[i].mask & care) == want) {
			k[n++] = (struct keyed){ key_of(t->at[i].mask, order, rings),
						 t->at[i].count };
			s->total += t->at[i].count;
		}
	if (n)
		qsort(k, n, sizeof(*k), by_key);
	for (size_t r = 0; r < rings; r++)
		ring(s, k, n, r, rings, order, (s->total + cells - 1) / cells, &cap);
	ml_free(k);
	grown = s->at;
	s->at = ml_arena_alloc(a, s->count * sizeof(*s->at) + 1);
	if (s->count)
		memcpy(s->at, grown, s->count * sizeof(*s->at));
	ml_free(grown);
}
