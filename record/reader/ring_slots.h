/*
 * The slots of the ring (record/ring.h) as the companion sees them. Several threads of
 * the companion look at the slots: the supervisor, which searches for new processes, and
 * the worker of each process, which searches for new threads and frees the slots of
 * threads that have ended. A lock keeps freeing and looking apart. So the fields that
 * look returns belong together: a slot changes owner only after it was freed.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "record/ring.h"

struct ml_ring_slots {
	struct ml_ring_control *control; /* the mapped file begins here */
	int fd;
	size_t bytes;
	uint32_t slots;
	char path[64]; /* by which guests open the file */
	pthread_mutex_t lock;
};

/* Whose slot it is. */
struct ml_ring_owner {
	uint32_t pid, thread;
	uint64_t birth; /* identifies the process: a pid may have had another program */
	bool taken;     /* a worker reads the slot already */
};

/* Makes a ring with up to `slots` slots; options: ML_RING_OPT_*. Where a limit of the
 * system forbids so many, the ring has fewer. period: see struct ml_ring_control. */
bool ml_ring_slots_open(struct ml_ring_slots *s, uint32_t slots, uint32_t options,
			uint32_t period, struct ml_err *err);
/* The same for memory that is a ring already, for tests. */
void ml_ring_slots_init(struct ml_ring_slots *s, struct ml_ring_control *control);
void ml_ring_slots_close(struct ml_ring_slots *s);

/* The slots below this number were claimed at some time. */
uint32_t ml_ring_slots_top(const struct ml_ring_slots *s);
/* False: slot i is free, or its owner has not opened it yet. */
bool ml_ring_slots_look(struct ml_ring_slots *s, uint32_t i, struct ml_ring_owner *owner);
/* Gives the slot back. */
void ml_ring_slots_free(struct ml_ring_slots *s, struct ml_ring *slot);
