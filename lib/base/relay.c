#include "lib/base/relay.h"

static unsigned waiting(const struct ml_relay *r)
{
	return r->passed - r->done;
}

static void *do_second(void *arg)
{
	struct ml_relay *r = arg;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		if (!waiting(r))
			while (!r->stop && !(r->hurry && waiting(r)) &&
			       waiting(r) < (r->slots + 1) / 2)
				pthread_cond_wait(&r->more, &r->lock);
		if (!waiting(r))
			break; /* it is to stop */
		unsigned slot = r->done % r->slots;
		pthread_mutex_unlock(&r->lock);
		r->second(r->arg, slot);
		pthread_mutex_lock(&r->lock);
		r->done++;
		if (r->hurry ? !waiting(r) : waiting(r) == r->slots / 2)
			pthread_cond_signal(&r->less);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

void ml_relay_init(struct ml_relay *r, unsigned slots,
		   void (*second)(void *arg, unsigned slot), void *arg)
{
	*r = (struct ml_relay){ .second = second, .arg = arg, .slots = slots };
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	pthread_cond_init(&r->less, NULL);
	r->alone = pthread_create(&r->thread, NULL, do_second, r) != 0;
}

void ml_relay_release(struct ml_relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
	if (!r->alone)
		pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->more);
	pthread_cond_destroy(&r->less);
	pthread_mutex_destroy(&r->lock);
}

unsigned ml_relay_slot(struct ml_relay *r)
{
	pthread_mutex_lock(&r->lock);
	if (waiting(r) == r->slots)
		while (waiting(r) > r->slots / 2)
			pthread_cond_wait(&r->less, &r->lock);
	unsigned slot = r->passed % r->slots;
	pthread_mutex_unlock(&r->lock);
	return slot;
}

void ml_relay_pass(struct ml_relay *r)
{
	if (r->alone) {
		r->second(r->arg, r->passed++ % r->slots);
		r->done++;
		return;
	}
	pthread_mutex_lock(&r->lock);
	r->passed++;
	if (waiting(r) == (r->slots + 1) / 2)
		pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
}

void ml_relay_wait(struct ml_relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->hurry = true;
	pthread_cond_signal(&r->more);
	while (waiting(r))
		pthread_cond_wait(&r->less, &r->lock);
	r->hurry = false;
	pthread_mutex_unlock(&r->lock);
}
