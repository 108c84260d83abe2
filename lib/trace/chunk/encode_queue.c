#include "lib/trace/chunk/encode_queue.h"

#include <errno.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/trace/format.h"

enum { THREADS_MAX = 4, BACKLOG_MAX = 8 };

void ml_encode_queue_init(struct ml_encode_queue *q, unsigned threads, int level)
{
	pthread_condattr_t monotonic;

	if (!threads)
		threads = ml_cpus();
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	*q = (struct ml_encode_queue){ .threads = threads, .level = level };
	/* one being collected, one waiting, and one for each thread */
	q->count = threads + 2u;
	q->parcels = ml_resize(NULL, q->count * sizeof(*q->parcels));
	for (size_t i = 0; i < q->count; i++)
		q->parcels[i] = (struct ml_parcel){ .queue = q };
	ml_steps_init(&q->parcels[0].steps);
	q->encoders = ml_resize(NULL, 2 * threads * sizeof(*q->encoders));
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&q->ready, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void ml_encode_queue_release(struct ml_encode_queue *q)
{
	if (q->foreground_crew.started)
		ml_pool_release(&q->foreground_crew.pool);
	if (q->background_crew.started)
		ml_pool_release(&q->background_crew.pool);
	for (size_t i = 0; i < q->count; i++) {
		ml_steps_release(&q->parcels[i].steps);
		ml_buf_release(&q->parcels[i].before);
		ml_buf_release(&q->parcels[i].refs);
	}
	for (size_t i = 0; i < q->idle; i++)
		ml_encoder_close(q->encoders[i]);
	ml_free(q->encoders);
	ml_free(q->parcels);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->ready);
}

void ml_encode_queue_pace(struct ml_encode_queue *q, const struct ml_encode_pace *pace)
{
	q->pace = *pace;
}

/*
 * Claims a parcel for a thread of one crew, and gives the thread an encoder. False: the
 * parcel is taken, or belongs to the other crew. (A parcel that was moved from one crew
 * to the other stands in the job lists of both; by the time the slower crew comes to it,
 * it may even hold a later chunk.) Encoders are opened as needed, at most one for each
 * thread.
 */
static bool claim(struct ml_parcel *p, bool background, struct ml_encoder **e)
{
	struct ml_encode_queue *q = p->queue;

	pthread_mutex_lock(&q->lock);
	bool mine = !p->taken && p->background == background;
	p->taken |= mine;
	*e = mine && q->idle ? q->encoders[--q->idle] : NULL;
	pthread_mutex_unlock(&q->lock);
	if (mine && !*e)
		*e = ml_encoder_open(q->level);
	return mine;
}

static void encode(struct ml_parcel *p, bool background)
{
	struct ml_encode_queue *q = p->queue;
	struct ml_encoder *e;

	if (!claim(p, background, &e))
		return;
	/* steps without a reference need no block */
	if (p->steps.refs) {
		size_t at = ml_format_begin_block(&p->refs);

		ml_encoder_chunk(e, &p->shapes, &p->steps, p->hurry, &p->refs);
		ml_format_end_block(&p->refs, at, ML_BLOCK_REFS, p->time, p->steps.refs);
	}
	pthread_mutex_lock(&q->lock);
	q->encoders[q->idle++] = e;
	p->done = true;
	pthread_cond_signal(&q->ready);
	pthread_mutex_unlock(&q->lock);
}

static void encode_in_foreground(void *parcel)
{
	encode(parcel, false);
}

static void encode_in_background(void *parcel)
{
	encode(parcel, true);
}

static void submit(struct ml_encode_queue *q, struct ml_parcel *p, bool background)
{
	struct ml_crew *crew = background ? &q->background_crew : &q->foreground_crew;

	if (!crew->started)
		ml_pool_init_with(&crew->pool, q->threads,
				  background ? q->pace.enter_background
					     : q->pace.enter_foreground);
	crew->started = true;
	ml_pool_submit(&crew->pool,
		       background ? encode_in_background : encode_in_foreground, p);
}

/*
 * Do the encoders hold up the recording? They do if all threads were busy when a chunk
 * was sent, and are assumed to for at least two chunks more.
 */
static bool has_backlog(struct ml_encode_queue *q)
{
	size_t sent = 0;

	pthread_mutex_lock(&q->lock);
	for (size_t i = q->first; i < q->next; i++)
		sent += !q->parcels[i % q->count].done;
	pthread_mutex_unlock(&q->lock);
	if (sent >= q->threads)
		q->backlog = q->backlog + 2 < BACKLOG_MAX ? q->backlog + 2 : BACKLOG_MAX;
	else if (q->backlog)
		q->backlog--;
	return q->backlog;
}

void ml_encode_queue_send(struct ml_encode_queue *q, const struct ml_shapes *shapes,
			  bool alone)
{
	struct ml_parcel *p = ml_encode_queue_now(q);

	p->shapes = *shapes;
	p->hurry = q->pace.may_hurry && has_backlog(q);
	bool background = q->background && ml_now() >= q->paused_until;
	pthread_mutex_lock(&q->lock);
	p->background = background;
	p->done = p->taken = !p->steps.count;
	pthread_mutex_unlock(&q->lock);
	q->next++;
	if (!p->steps.count)
		return;
	if (alone && !q->foreground_crew.started && !q->background_crew.started) {
		encode(p, background);
		return;
	}
	submit(q, p, background);
}

void ml_encode_queue_hasten(struct ml_encode_queue *q)
{
	for (size_t i = q->first; i < q->next; i++) {
		struct ml_parcel *p = &q->parcels[i % q->count];

		pthread_mutex_lock(&q->lock);
		bool background = p->background;
		p->background = false;
		pthread_mutex_unlock(&q->lock);
		if (background)
			submit(q, p, false);
	}
}

/* Other programs want the processors: the background crew gets nothing for a while. */
static void pause_background(struct ml_encode_queue *q)
{
	q->paused_until = ml_now() + q->pace.pause;
	if (q->pace.pause < q->pace.pause_max)
		q->pace.pause *= 2;
}

/* Waits until a parcel is done. True: longer than the writer's patience. The caller
 * holds the lock. */
static bool wait_for(struct ml_encode_queue *q, const struct ml_parcel *p)
{
	struct timespec until = ml_timespec(ml_now() + q->pace.patience);

	if (!p->background) {
		pthread_cond_wait(&q->ready, &q->lock);
		return false;
	}
	if (pthread_cond_timedwait(&q->ready, &q->lock, &until) != ETIMEDOUT)
		return false;
	pthread_mutex_unlock(&q->lock);
	ml_encode_queue_hasten(q);
	pthread_mutex_lock(&q->lock);
	return true;
}

struct ml_parcel *ml_encode_queue_take(struct ml_encode_queue *q, bool wait)
{
	struct ml_parcel *p = &q->parcels[q->first % q->count];
	bool late = false;

	if (q->first == q->next)
		return NULL;
	pthread_mutex_lock(&q->lock);
	while (!p->done && (wait || q->next - q->first == q->count))
		late |= wait_for(q, p);
	bool done = p->done;
	pthread_mutex_unlock(&q->lock);
	if (late)
		pause_background(q);
	return done ? p : NULL;
}

void ml_encode_queue_done(struct ml_encode_queue *q)
{
	struct ml_parcel *p = &q->parcels[q->first++ % q->count];

	p->before.size = p->refs.size = 0;
}
