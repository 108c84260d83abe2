#include "lib/trace/encode_queue.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/trace/format.h"

enum {
	THREADS_MAX = 4,
	STEP_BACK = 5,
	BEHIND_MAX = 8,
	PATIENCE_MS = 40,         /* ten times what a chunk takes */
	REST_MS = 4000,           /* after it was too long; twice that the next time, */
	REST_MAX_MS = 256 * 1000, /* and so on */
};

void ml_encode_queue_init(struct ml_encode_queue *a, unsigned threads, int level)
{
	pthread_condattr_t monotonic;

	if (!threads)
		threads = ml_cpus();
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	*a = (struct ml_encode_queue){ .threads = threads,
				       .level = level,
				       .rest = REST_MS * ML_MS };
	/* one being collected, one waiting, and one for each thread */
	a->count = threads + 2u;
	a->parcels = ml_resize(NULL, a->count * sizeof(*a->parcels));
	for (size_t i = 0; i < a->count; i++)
		a->parcels[i] = (struct ml_parcel){ .ahead = a };
	ml_steps_init(&a->parcels[0].steps);
	a->encoders = ml_resize(NULL, 2 * threads * sizeof(*a->encoders));
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&a->ready, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void ml_encode_queue_release(struct ml_encode_queue *a)
{
	for (int i = 0; i < 2; i++)
		if (a->crew[i].started)
			ml_pool_release(&a->crew[i].pool);
	for (size_t i = 0; i < a->count; i++) {
		ml_steps_release(&a->parcels[i].steps);
		ml_buf_release(&a->parcels[i].before);
		ml_buf_release(&a->parcels[i].refs);
	}
	for (size_t i = 0; i < a->idle; i++)
		ml_encoder_close(a->encoders[i]);
	ml_free(a->encoders);
	ml_free(a->parcels);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->ready);
}

/*
 * Is it still to be encoded, and by the caller's crew? Then it is the caller's, who gets
 * an encoder for it. (What went to both crews is done by one of them, and may be another
 * chunk when the other comes to it.) There are never more encoders in use than threads,
 * so they are made as needed.
 */
static bool take(struct ml_parcel *p, bool back, struct ml_encoder **e)
{
	struct ml_encode_queue *a = p->ahead;

	pthread_mutex_lock(&a->lock);
	bool mine = !p->taken && p->back == back;
	p->taken |= mine;
	*e = mine && a->idle ? a->encoders[--a->idle] : NULL;
	pthread_mutex_unlock(&a->lock);
	if (mine && !*e)
		*e = ml_encoder_open(a->level);
	return mine;
}

static void encode(struct ml_parcel *p, bool back)
{
	struct ml_encode_queue *a = p->ahead;
	struct ml_encoder *e;

	if (!take(p, back, &e))
		return;
	/* steps of which nothing happened need not be told */
	if (p->steps.refs) {
		size_t at = ml_format_begin_block(&p->refs);

		ml_encoder_chunk(e, &p->shapes, &p->steps, p->hurry, &p->refs);
		ml_format_end_block(&p->refs, at, ML_BLOCK_REFS, p->time, p->steps.refs);
	}
	pthread_mutex_lock(&a->lock);
	a->encoders[a->idle++] = e;
	p->done = true;
	pthread_cond_signal(&a->ready);
	pthread_mutex_unlock(&a->lock);
}

/*
 * By the one crew: where there are fewer processors than threads the program should not
 * wait for its turn.
 */
static void encode_apart(void *parcel)
{
	static _Thread_local bool back;

	if (!back && nice(STEP_BACK) == -1) {
		/* then it goes on as it is */
	}
	back = true;
	encode(parcel, false);
}

/* By the other. There is no way back from there for a thread of a plain user. */
static void encode_behind(void *parcel)
{
	static _Thread_local bool back;

	if (!back)
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	back = true;
	encode(parcel, true);
}

static void submit(struct ml_encode_queue *a, struct ml_parcel *p, bool back)
{
	struct ml_crew *crew = &a->crew[back];

	if (!crew->started)
		ml_pool_init(&crew->pool, a->threads);
	crew->started = true;
	ml_pool_submit(&crew->pool, back ? encode_behind : encode_apart, p);
}

/*
 * Are encoders what the recording waits for? If each had something to do when a chunk
 * was sent, they are, for the next two at least.
 */
static bool is_behind(struct ml_encode_queue *a)
{
	size_t under_way = 0;

	pthread_mutex_lock(&a->lock);
	for (size_t i = a->first; i < a->next; i++)
		under_way += !a->parcels[i % a->count].done;
	pthread_mutex_unlock(&a->lock);
	if (under_way >= a->threads)
		a->behind = a->behind + 2 < BEHIND_MAX ? a->behind + 2 : BEHIND_MAX;
	else if (a->behind)
		a->behind--;
	return a->behind;
}

void ml_encode_queue_send(struct ml_encode_queue *a, const struct ml_shapes *shapes,
			  bool alone)
{
	struct ml_parcel *p = ml_encode_queue_now(a);

	p->shapes = *shapes;
	p->hurry = a->may_hurry && is_behind(a);
	bool back = a->quiet && ml_now() >= a->again;
	pthread_mutex_lock(&a->lock);
	p->back = back;
	p->done = p->taken = !p->steps.count;
	pthread_mutex_unlock(&a->lock);
	a->next++;
	if (!p->steps.count)
		return;
	if (alone && !a->crew[0].started && !a->crew[1].started) {
		encode(p, back);
		return;
	}
	submit(a, p, back);
}

/* What is under way and nobody has taken goes to the crew that gets its share of the
 * processors. */
static void come_forward(struct ml_encode_queue *a)
{
	for (size_t i = a->first; i < a->next; i++) {
		struct ml_parcel *p = &a->parcels[i % a->count];

		pthread_mutex_lock(&a->lock);
		bool back = p->back;
		p->back = false;
		pthread_mutex_unlock(&a->lock);
		if (back)
			submit(a, p, false);
	}
}

/* Nothing is sent behind everything for some time: others want the processors. */
static void stay_forward(struct ml_encode_queue *a)
{
	a->again = ml_now() + a->rest;
	if (a->rest < REST_MAX_MS * ML_MS)
		a->rest *= 2;
}

/* Waits until something is done. True: for too long. The caller has the lock. */
static bool wait_for(struct ml_encode_queue *a, const struct ml_parcel *p)
{
	struct timespec until = ml_timespec(ml_now() + PATIENCE_MS * ML_MS);

	if (!p->back) {
		pthread_cond_wait(&a->ready, &a->lock);
		return false;
	}
	if (pthread_cond_timedwait(&a->ready, &a->lock, &until) != ETIMEDOUT)
		return false;
	pthread_mutex_unlock(&a->lock);
	come_forward(a);
	pthread_mutex_lock(&a->lock);
	return true;
}

struct ml_parcel *ml_encode_queue_take(struct ml_encode_queue *a, bool wait)
{
	struct ml_parcel *p = &a->parcels[a->first % a->count];
	bool late = false;

	if (a->first == a->next)
		return NULL;
	pthread_mutex_lock(&a->lock);
	while (!p->done && (wait || a->next - a->first == a->count))
		late |= wait_for(a, p);
	bool done = p->done;
	pthread_mutex_unlock(&a->lock);
	if (late)
		stay_forward(a);
	return done ? p : NULL;
}

void ml_encode_queue_done(struct ml_encode_queue *a)
{
	struct ml_parcel *p = &a->parcels[a->first++ % a->count];

	p->before.size = p->refs.size = 0;
}
