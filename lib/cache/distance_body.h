/*
 * The loops of stack distance in plain C. A file that includes this has defined TARGET,
 * the attribute that allows instructions beyond those of every processor: counting
 * bits is one instruction then.
 */
#pragma once

#include "lib/cache/distance_state.h"

TARGET static inline void differ_plain(struct ml_distance *d, const uint64_t *line,
				       size_t count)
{
	size_t n = 0;
	uint64_t last = d->last;

	for (size_t i = 0; i < count; i++) {
		d->kept[n] = line[i];
		d->at[n] = (uint32_t)i;
		n += line[i] + 1 != last;
		last = line[i] + 1;
	}
	d->last = last;
	d->count = n;
}

TARGET static inline void front_plain(struct ml_distance *d, uint32_t *distance)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++) {
		uint32_t slot = d->slot[i], before = d->front[0], at = d->at[i];
		uint32_t found = 0;

		if (before != slot) {
			for (found = 1; found < DISTANCE_FRONT; found++) {
				uint32_t this = d->front[found];

				d->front[found] = before;
				before = this;
				if (this == slot)
					break;
			}
			d->front[0] = slot;
		}
		d->front_hits[found]++;
		if (found < DISTANCE_FRONT) {
			if (distance)
				distance[at] = found;
		} else {
			d->asks[n++] = (struct distance_ask){ slot, before, at, 0 };
		}
	}
	d->ask_count = n;
}

TARGET static void ask(struct ml_distance *d, uint32_t *distance)
{
	struct order *o = &d->order;
	uint32_t *when = d->when;
	uint64_t near = 0; /* those whose bucket is there */

	for (size_t i = 0; i < d->ask_count; i++) {
		const struct distance_ask *a = &d->asks[i],
					  *soon = a + DISTANCE_AHEAD / 2;
		uint32_t moment = when[a->slot], far = ML_NEVER;

		__builtin_prefetch(&when[a[DISTANCE_AHEAD].slot]);
		__builtin_prefetch(&when[a[DISTANCE_AHEAD].fallen]);
		__builtin_prefetch(&o->bits[when[soon->slot] >> ORDER_WORD]);
		if (moment) {
			far = DISTANCE_FRONT + order_after(o, moment);
			order_drop(o, moment);
		}
		if (a->fallen)
			order_push(o, a->fallen, when);
		if (far < DISTANCE_EXACT) {
			d->histogram.count[far]++;
			near++;
		} else {
			ml_distances_add(&d->histogram, far, 1);
		}
		if (distance)
			distance[a->at] = far;
	}
	d->histogram.total += near;
}
