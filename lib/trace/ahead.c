#include "lib/trace/ahead.h"

#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/trace/format.h"

enum { THREADS_MAX = 4, STEP_BACK = 5, BEHIND_MAX = 8 };

void ml_ahead_init(struct ml_ahead *a, unsigned threads, int level)
{
	unsigned cpus = ml_cpus();

	if (!threads)
		threads = cpus;
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	*a = (struct ml_ahead){ .threads = threads, .level = level };
	/* one being collected, one waiting, and one for each thread */
	a->count = threads + 2u;
	a->parcels = ml_resize(NULL, a->count * sizeof(*a->parcels));
	for (size_t i = 0; i < a->count; i++)
		a->parcels[i] = (struct ml_parcel){ .ahead = a };
	ml_steps_init(&a->parcels[0].steps);
	a->encoders = ml_resize(NULL, threads * sizeof(*a->encoders));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->ready, NULL);
}

void ml_ahead_release(struct ml_ahead *a)
{
	if (a->started)
		ml_pool_release(&a->pool);
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

/* There are never more jobs at a time than threads, so encoders are made as needed. */
static struct ml_encoder *take_encoder(struct ml_ahead *a)
{
	struct ml_encoder *e = NULL;

	pthread_mutex_lock(&a->lock);
	if (a->idle)
		e = a->encoders[--a->idle];
	pthread_mutex_unlock(&a->lock);
	return e ? e : ml_encoder_open(a->level);
}

static void encode(void *arg)
{
	struct ml_parcel *p = arg;
	struct ml_ahead *a = p->ahead;
	struct ml_encoder *e = take_encoder(a);

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
 * On a thread of its own, which steps back behind the program that is recorded: where
 * there are fewer processors than threads the program should not wait for its turn.
 */
static void encode_apart(void *arg)
{
	static _Thread_local bool back;

	if (!back && nice(STEP_BACK) == -1) {
		/* then it goes on as it is */
	}
	back = true;
	encode(arg);
}

/*
 * Are encoders what the recording waits for? If each had something to do when a chunk
 * was sent, they are, for the next two at least.
 */
static bool is_behind(struct ml_ahead *a)
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

void ml_ahead_send(struct ml_ahead *a, const struct ml_shapes *shapes, bool alone)
{
	struct ml_parcel *p = ml_ahead_now(a);

	p->shapes = *shapes;
	p->hurry = a->may_hurry && is_behind(a);
	p->done = !p->steps.count;
	a->next++;
	if (p->done)
		return;
	if (alone && !a->started) {
		encode(p);
		return;
	}
	if (!a->started)
		ml_pool_init(&a->pool, a->threads);
	a->started = true;
	ml_pool_submit(&a->pool, encode_apart, p);
}

struct ml_parcel *ml_ahead_take(struct ml_ahead *a, bool wait)
{
	struct ml_parcel *p = &a->parcels[a->first % a->count];

	if (a->first == a->next)
		return NULL;
	pthread_mutex_lock(&a->lock);
	while (!p->done && (wait || a->next - a->first == a->count))
		pthread_cond_wait(&a->ready, &a->lock);
	bool done = p->done;
	pthread_mutex_unlock(&a->lock);
	return done ? p : NULL;
}

void ml_ahead_done(struct ml_ahead *a)
{
	struct ml_parcel *p = &a->parcels[a->first++ % a->count];

	p->before.size = p->refs.size = 0;
}
