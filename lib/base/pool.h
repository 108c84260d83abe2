/*
 * A pool of threads. Jobs start in the order in which they were submitted and end in any
 * order.
 * Held by tests/base/test_pool.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct ml_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	pthread_t *threads;
	unsigned count; /* of threads */
	struct ml_pool_job {
		void (*run)(void *arg);
		void *arg;
	} * jobs;
	size_t first, end, cap; /* jobs[first] to jobs[end - 1] have not started */
	size_t busy;            /* number of running jobs */
	bool stop;
	void (*begin)(void); /* or NULL */
};

/* threads 0: one for each usable CPU. */
void ml_pool_init(struct ml_pool *p, unsigned threads);
/* The same, and each thread calls begin (or NULL) before its first job. */
void ml_pool_init_with(struct ml_pool *p, unsigned threads, void (*begin)(void));
void ml_pool_submit(struct ml_pool *p, void (*run)(void *arg), void *arg);
void ml_pool_wait(struct ml_pool *p);    /* waits until all jobs have ended */
void ml_pool_release(struct ml_pool *p); /* waits, then ends the threads */

/* Number of CPUs that this process may use. */
unsigned ml_cpus(void);
