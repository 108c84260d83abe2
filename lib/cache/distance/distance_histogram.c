/*
 * Histograms of distances: one bucket for each distance below EXACT, then 16 for each
 * power of two.
 */
#include <string.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/cache/distance/distance_parts.h"

uint64_t distance_first(size_t bucket)
{
	if (bucket < DISTANCE_EXACT)
		return bucket;
	bucket -= DISTANCE_EXACT;
	return (uint64_t)(16 + bucket % 16) << (bucket / 16 + DISTANCE_EXACT_BITS - 4);
}

void ml_distances_add(struct ml_distances *d, uint32_t distance, uint64_t times)
{
	d->total += times;
	if (distance == ML_NEVER) {
		d->cold += times;
		return;
	}
	size_t bucket = distance_bucket(distance);

	if (bucket >= d->buckets) {
		d->count = ml_grow(d->count, &d->cap, bucket + 1, sizeof(*d->count));
		d->buckets = bucket + 1;
	}
	d->count[bucket] += times;
}

void ml_distances_merge(struct ml_distances *d, const struct ml_distances *other)
{
	if (other->buckets > d->buckets) {
		d->count = ml_grow(d->count, &d->cap, other->buckets, sizeof(*d->count));
		d->buckets = other->buckets;
	}
	for (size_t i = 0; i < other->buckets; i++)
		d->count[i] += other->count[i];
	d->cold += other->cold;
	d->total += other->total;
}

double distance_share_below(size_t bucket, uint64_t lines)
{
	uint64_t start = distance_first(bucket), end = distance_first(bucket + 1);

	if (end <= lines)
		return 1;
	if (start >= lines)
		return 0;
	return (double)(lines - start) / (double)(end - start);
}

uint64_t ml_distances_misses(const struct ml_distances *d, uint64_t lines)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < d->buckets && distance_first(i) < lines; i++) {
		double share = distance_share_below(i, lines);

		hits += share < 1 ? (uint64_t)(share * (double)d->count[i]) : d->count[i];
	}
	return d->total - hits;
}

void ml_distances_release(struct ml_distances *d)
{
	ml_free(d->count);
	*d = (struct ml_distances){ 0 };
}
