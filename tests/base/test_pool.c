#include "tests/test.h"

#include <stdatomic.h>

#include "lib/base/pool.h"

static void count(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

TEST(every_job_runs_once_before_wait_returns)
{
	struct ml_pool p;
	atomic_int n = 0;

	ml_pool_init(&p, 3);
	for (int round = 1; round <= 5; round++) {
		for (int i = 0; i < 1000; i++)
			ml_pool_submit(&p, count, &n);
		ml_pool_wait(&p);
		CHECK_EQ(atomic_load(&n), round * 1000);
	}
	ml_pool_release(&p);
}

TEST(waiting_for_nothing_returns_at_once)
{
	struct ml_pool p;

	ml_pool_init(&p, 0);
	CHECK_EQ(p.count, ml_cpus());
	ml_pool_wait(&p);
	ml_pool_release(&p);
}

TEST(releasing_a_pool_lets_its_jobs_end)
{
	struct ml_pool p;
	atomic_int n = 0;

	ml_pool_init(&p, 2);
	for (int i = 0; i < 100; i++)
		ml_pool_submit(&p, count, &n);
	ml_pool_release(&p);
	CHECK_EQ(atomic_load(&n), 100);
}

struct chain {
	struct ml_pool *pool;
	atomic_int left;
};

static void again(void *arg)
{
	struct chain *c = arg;

	if (atomic_fetch_sub(&c->left, 1) > 1)
		ml_pool_submit(c->pool, again, c);
}

TEST(a_job_may_submit_another_and_wait_sees_it)
{
	struct ml_pool p;
	struct chain c = { &p, 50 };

	ml_pool_init(&p, 2);
	ml_pool_submit(&p, again, &c);
	ml_pool_wait(&p);
	CHECK_EQ(atomic_load(&c.left), 0);
	ml_pool_release(&p);
}
