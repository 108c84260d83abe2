#include "record/session/fork_state.h"

#include <string.h>
#include <time.h>

#include "lib/base/arena.h"
#include "record/ring.h"

enum {
	LOOK_MS = 20,
	/* A child takes a slot before it comes, so this many can be on their way. Those
	 * of children that never came, because fork failed or they were killed, go first.
	 */
	MOST = ML_RING_SLOTS,
};

void ml_fork_state_init(struct ml_fork_state *h, struct ml_ring_control *control)
{
	*h = (struct ml_fork_state){ .control = control };
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->came, NULL);
}

void ml_fork_state_release(struct ml_fork_state *h)
{
	for (size_t i = 0; i < h->count; i++)
		ml_buf_release(&h->estates[i].words);
	ml_free(h->estates);
	pthread_cond_destroy(&h->came);
	pthread_mutex_destroy(&h->lock);
}

static struct ml_buf drop(struct ml_fork_state *h, size_t i)
{
	struct ml_buf words = h->estates[i].words;

	h->count--;
	memmove(&h->estates[i], &h->estates[i + 1],
		(h->count - i) * sizeof(h->estates[0]));
	return words;
}

void ml_fork_state_leave(struct ml_fork_state *h, struct ml_fork fork,
			 struct ml_buf *words)
{
	pthread_mutex_lock(&h->lock);
	if (h->count == MOST) {
		struct ml_buf oldest = drop(h, 0);

		ml_buf_release(&oldest);
	}
	h->estates = ml_grow(h->estates, &h->cap, h->count + 1, sizeof(*h->estates));
	h->estates[h->count++] = (struct ml_estate){ fork, *words };
	*words = (struct ml_buf){ 0 };
	pthread_cond_broadcast(&h->came);
	pthread_mutex_unlock(&h->lock);
}

static bool find(struct ml_fork_state *h, struct ml_fork fork, struct ml_buf *words)
{
	for (size_t i = 0; i < h->count; i++) {
		struct ml_fork f = h->estates[i].fork;

		if (f.birth == fork.birth && f.clock == fork.clock) {
			*words = drop(h, i);
			return true;
		}
	}
	return false;
}

/* Does somebody still read what the slot of that birth says? */
static bool is_heard(struct ml_ring_control *control, uint64_t birth)
{
	for (unsigned i = 0; control && i < ML_RING_SLOTS; i++) {
		const struct ml_ring *r = ml_ring_slot(control, i);

		if (__atomic_load_n(&r->birth, __ATOMIC_RELAXED) == birth)
			return !__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE);
	}
	return false;
}

bool ml_fork_state_take(struct ml_fork_state *h, struct ml_fork fork,
			struct ml_buf *words)
{
	bool found, heard;

	pthread_mutex_lock(&h->lock);
	for (;;) {
		struct timespec until;

		/* asked first: a parent leaves something, then it ends */
		heard = is_heard(h->control, fork.birth);
		found = find(h, fork, words);
		if (found || !heard)
			break;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&h->came, &h->lock, &until);
	}
	pthread_mutex_unlock(&h->lock);
	return found;
}

bool ml_fork_state_waits(struct ml_fork_state *h)
{
	pthread_mutex_lock(&h->lock);
	bool waits = h->count;
	pthread_mutex_unlock(&h->lock);
	return waits;
}
