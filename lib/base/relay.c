#include "lib/base/relay.h"

#include <assert.h>

/* Static functions are called with the lock held. */

static unsigned waiting(const struct ml_relay *r)
{
	return r->passed - r->done[r->stages - 1];
}

static bool is_ready(const struct ml_relay *r, unsigned stage)
{
	return stage < r->stages && !r->busy[stage] &&
	       r->done[stage] != (stage ? r->done[stage - 1] : r->passed);
}

/*
 * The stage to go on with after `last`: the same one, or else the last one that has a
 * piece, because that frees slots. r->stages: none has a piece.
 */
static unsigned choose(const struct ml_relay *r, unsigned last)
{
	if (is_ready(r, last))
		return last;
	for (unsigned k = r->stages; k--;)
		if (is_ready(r, k))
			return k;
	return r->stages;
}

static void wake(struct ml_relay *r)
{
	if (r->asleep)
		pthread_cond_broadcast(&r->change);
}

static void sleep_until_change(struct ml_relay *r)
{
	r->asleep++;
	pthread_cond_wait(&r->change, &r->lock);
	r->asleep--;
}

/* Gives up the lock meanwhile. */
static void run_stage(struct ml_relay *r, unsigned stage)
{
	unsigned slot = r->done[stage] % r->slots;

	r->busy[stage] = true;
	pthread_mutex_unlock(&r->lock);
	r->run(r->arg, stage, slot);
	pthread_mutex_lock(&r->lock);
	r->busy[stage] = false;
	r->done[stage]++;
	wake(r);
}

/* A thread that found nothing to do sleeps until half of the slots wait, so that threads
 * wake each other seldom. */
static void *work(void *arg)
{
	struct ml_relay *r = arg;
	unsigned stage = r->stages;

	pthread_mutex_lock(&r->lock);
	while (!r->stop || waiting(r)) {
		stage = choose(r, stage);
		if (stage < r->stages) {
			run_stage(r, stage);
			continue;
		}
		do
			sleep_until_change(r);
		while (!r->stop && !r->hurry && waiting(r) < (r->slots + 1) / 2);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* The caller works until at most so many pieces wait. */
static void help(struct ml_relay *r, unsigned few)
{
	unsigned stage = r->stages;

	while (waiting(r) > few) {
		stage = choose(r, stage);
		if (stage < r->stages)
			run_stage(r, stage);
		else
			sleep_until_change(r);
	}
}

void ml_relay_init(struct ml_relay *r, unsigned slots, unsigned stages, unsigned threads,
		   void (*run)(void *arg, unsigned stage, unsigned slot), void *arg)
{
	assert(stages && stages <= ML_RELAY_STAGES);
	*r = (struct ml_relay){
		.run = run, .arg = arg, .stages = stages, .slots = slots
	};
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	threads = threads < ML_RELAY_THREADS ? threads : ML_RELAY_THREADS;
	while (r->threads < threads &&
	       !pthread_create(&r->thread[r->threads], NULL, work, r))
		r->threads++;
}

void ml_relay_release(struct ml_relay *r)
{
	ml_relay_wait(r);
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	wake(r);
	pthread_mutex_unlock(&r->lock);
	for (unsigned i = 0; i < r->threads; i++)
		pthread_join(r->thread[i], NULL);
	pthread_cond_destroy(&r->change);
	pthread_mutex_destroy(&r->lock);
}

unsigned ml_relay_slot(struct ml_relay *r)
{
	pthread_mutex_lock(&r->lock);
	if (waiting(r) == r->slots)
		help(r, r->slots / 2);
	unsigned slot = r->passed % r->slots;
	pthread_mutex_unlock(&r->lock);
	return slot;
}

void ml_relay_pass(struct ml_relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->passed++;
	if (waiting(r) >= (r->slots + 1) / 2)
		wake(r);
	pthread_mutex_unlock(&r->lock);
}

void ml_relay_wait(struct ml_relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->hurry = true;
	wake(r);
	help(r, 0);
	r->hurry = false;
	pthread_mutex_unlock(&r->lock);
}
