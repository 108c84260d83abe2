#include "lib/base/pool.h"

#include <sched.h>

#include "lib/base/arena.h"

unsigned ml_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

static void *serve(void *arg)
{
	struct ml_pool *p = arg;

	if (p->begin)
		p->begin();
	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (p->first == p->end && !p->stop)
			pthread_cond_wait(&p->work, &p->lock);
		if (p->first == p->end)
			break;
		struct ml_pool_job job = p->jobs[p->first++];
		p->busy++;
		pthread_mutex_unlock(&p->lock);
		job.run(job.arg);
		pthread_mutex_lock(&p->lock);
		p->busy--;
		if (!p->busy && p->first == p->end)
			pthread_cond_broadcast(&p->idle);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void ml_pool_init(struct ml_pool *p, unsigned threads)
{
	ml_pool_init_with(p, threads, NULL);
}

void ml_pool_init_with(struct ml_pool *p, unsigned threads, void (*begin)(void))
{
	*p = (struct ml_pool){ .begin = begin };
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->idle, NULL);
	if (!threads)
		threads = ml_cpus();
	p->threads = ml_resize(NULL, threads * sizeof(*p->threads));
	/* the system may grant fewer threads; with none, ml_pool_submit runs the jobs */
	while (p->count < threads &&
	       pthread_create(&p->threads[p->count], NULL, serve, p) == 0)
		p->count++;
}

void ml_pool_submit(struct ml_pool *p, void (*run)(void *arg), void *arg)
{
	if (!p->count) {
		run(arg);
		return;
	}
	pthread_mutex_lock(&p->lock);
	if (p->first == p->end)
		p->first = p->end = 0;
	p->jobs = ml_grow(p->jobs, &p->cap, p->end + 1, sizeof(*p->jobs));
	p->jobs[p->end++] = (struct ml_pool_job){ run, arg };
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

void ml_pool_wait(struct ml_pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->busy || p->first != p->end)
		pthread_cond_wait(&p->idle, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

void ml_pool_release(struct ml_pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->count; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->idle);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	ml_free(p->threads);
	ml_free(p->jobs);
}
