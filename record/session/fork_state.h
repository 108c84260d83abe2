/*
 * What a child of fork has from its parent: the memory that the parent knew by name. Each
 * process has a drain of its own, which runs in a thread of its own. The parent's leaves
 * here what it knew when it comes to the fork; the child's comes for it, and waits until
 * it is there.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"

struct ml_ring_control;

/* Which fork: the parent's slot by its birth, and the clock when it went to fork. */
struct ml_fork {
	uint64_t birth, clock;
};

struct ml_fork_state {
	struct ml_ring_control *control; /* NULL: what is not there never comes */
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct ml_estate {
		struct ml_fork fork;
		struct ml_buf words; /* messages of ring.h */
	} * estates;                 /* not taken yet, in the order in which they came */
	size_t count, cap;
};

void ml_fork_state_init(struct ml_fork_state *h, struct ml_ring_control *control);
void ml_fork_state_release(struct ml_fork_state *h);
/* Takes over the words. */
void ml_fork_state_leave(struct ml_fork_state *h, struct ml_fork fork,
			 struct ml_buf *words);
/* The words are the caller's then. False: there are none, as the parent is not recorded
 * any more. */
bool ml_fork_state_take(struct ml_fork_state *h, struct ml_fork fork,
			struct ml_buf *words);
/* Is there a child that has not come yet? It may have been killed, or never made. */
bool ml_fork_state_waits(struct ml_fork_state *h);
