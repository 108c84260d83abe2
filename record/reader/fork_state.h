/*
 * What a forked child inherits from its parent: live memory by name, phases, states and
 * the state of the filter. Each process has its own ring reader in its own thread. When
 * the ring reader of the parent comes to the fork it publishes the parent's state here;
 * the ring reader of the child waits for that state and continues from it.
 * Held by tests/record/test_fork_state.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"

struct ml_ring_control;

/* A fork is identified by the birth of the parent's slot and the clock before it. */
struct ml_fork {
	uint64_t birth, clock;
};

struct ml_fork_state {
	struct ml_ring_control *control; /* NULL: receiving never waits */
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct ml_fork_published {
		struct ml_fork fork;
		struct ml_buf words; /* messages of ring.h */
	} * published;               /* not received yet, in order of publication */
	size_t count, cap;
};

void ml_fork_state_init(struct ml_fork_state *s, struct ml_ring_control *control);
void ml_fork_state_release(struct ml_fork_state *s);
/* Takes the words out of the buffer. */
void ml_fork_state_publish(struct ml_fork_state *s, struct ml_fork fork,
			   struct ml_buf *words);
/* Waits for the state of that fork, which the caller then owns. False: it never comes,
 * as the parent is no longer recorded. */
bool ml_fork_state_receive(struct ml_fork_state *s, struct ml_fork fork,
			   struct ml_buf *words);
/* Is a published state still waiting for its child? The child may have been killed, or
 * fork may have failed. */
bool ml_fork_state_is_pending(struct ml_fork_state *s);
