/*
 * Which thread waited for which. Both back ends report when a thread begins to wait, goes
 * on, and wakes others (enum ml_sync of record/ring.h). From these reports this makes the
 * waits of a trace (struct ml_wait): pairs of moments that have to stay in order when
 * threads are simulated in another order than the recorded one.
 *
 *  - A thread that wakes others comes behind the beginning of their waiting: the last
 *    thread that arrives at a barrier comes behind all others.
 *  - A thread that goes on comes behind the first wake since it began to wait.
 *
 * Waits that follow from earlier ones between the same two threads are left out.
 * Held by tests/record/test_sync_order.c.
 */
#pragma once

#include <stdint.h>

#include "lib/base/map.h"
#include "record/ring.h"

struct ml_tables;

struct ml_sync_order {
	struct ml_map numbers; /* of objects, by address; + 1 */
	struct ml_sync_object *objects;
	size_t count, cap;
	struct ml_map known; /* by pair of threads: the latest `until` of a wait, + 1 */
};

/* Takes a report of a thread at a time of the trace; adds waits to the tables. */
void ml_sync_order_take(struct ml_sync_order *s, enum ml_sync kind, uint16_t thread,
			uint64_t object, uint64_t time, struct ml_tables *t);
void ml_sync_order_release(struct ml_sync_order *s);
