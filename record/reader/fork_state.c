#include "record/reader/fork_state.h"

#include <string.h>
#include <time.h>

#include "lib/base/arena.h"
#include "record/ring.h"

enum {
	RECHECK_MS = 20,
	/* A child claims a slot before it receives, so at most this many children can be
	 * on their way. When more states are published, the oldest ones belong to
	 * children that never came and are dropped. */
	MAX_PUBLISHED = ML_RING_SLOTS,
};

void ml_fork_state_init(struct ml_fork_state *s, struct ml_ring_control *control)
{
	*s = (struct ml_fork_state){ .control = control };
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->arrived, NULL);
}

void ml_fork_state_release(struct ml_fork_state *s)
{
	for (size_t i = 0; i < s->count; i++)
		ml_buf_release(&s->published[i].words);
	ml_free(s->published);
	pthread_cond_destroy(&s->arrived);
	pthread_mutex_destroy(&s->lock);
}

static struct ml_buf drop(struct ml_fork_state *s, size_t i)
{
	struct ml_buf words = s->published[i].words;

	s->count--;
	memmove(&s->published[i], &s->published[i + 1],
		(s->count - i) * sizeof(s->published[0]));
	return words;
}

void ml_fork_state_publish(struct ml_fork_state *s, struct ml_fork fork,
			   struct ml_buf *words)
{
	pthread_mutex_lock(&s->lock);
	if (s->count == MAX_PUBLISHED) {
		struct ml_buf oldest = drop(s, 0);

		ml_buf_release(&oldest);
	}
	s->published = ml_grow(s->published, &s->cap, s->count + 1,
			       sizeof(*s->published));
	s->published[s->count++] = (struct ml_fork_published){ fork, *words };
	*words = (struct ml_buf){ 0 };
	pthread_cond_broadcast(&s->arrived);
	pthread_mutex_unlock(&s->lock);
}

static bool find(struct ml_fork_state *s, struct ml_fork fork, struct ml_buf *words)
{
	for (size_t i = 0; i < s->count; i++) {
		struct ml_fork f = s->published[i].fork;

		if (f.birth == fork.birth && f.clock == fork.clock) {
			*words = drop(s, i);
			return true;
		}
	}
	return false;
}

/* Is the process whose slot has that birth still recorded? */
static bool is_recorded(struct ml_ring_control *control, uint64_t birth)
{
	uint32_t top = control ? __atomic_load_n(&control->top, __ATOMIC_ACQUIRE) : 0;

	for (uint32_t i = 0; i < top && i < ML_RING_SLOTS; i++) {
		const struct ml_ring *r = ml_ring_slot(control, i);

		if (r->thread <= 1 &&
		    __atomic_load_n(&r->birth, __ATOMIC_RELAXED) == birth)
			return !__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE);
	}
	return false;
}

bool ml_fork_state_receive(struct ml_fork_state *s, struct ml_fork fork,
			   struct ml_buf *words)
{
	bool found, recorded;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct timespec until;

		/* asked first: a parent publishes before it ends */
		recorded = is_recorded(s->control, fork.birth);
		found = find(s, fork, words);
		if (found || !recorded)
			break;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += RECHECK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&s->arrived, &s->lock, &until);
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool ml_fork_state_is_pending(struct ml_fork_state *s)
{
	pthread_mutex_lock(&s->lock);
	bool waits = s->count;
	pthread_mutex_unlock(&s->lock);
	return waits;
}
