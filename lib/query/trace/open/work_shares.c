#include "lib/query/trace/open/work_shares.h"

#include <pthread.h>
#include <time.h>

#include "lib/base/pool.h"

enum {
	SHARE_MIN = 1 << 22, /* references for which starting a thread pays */
	PIECE = 1 << 20,     /* of a first impression; chunks of traces are as long */
};

/* Pieces of a window: those that come first are far from each other. */
struct pieces {
	pthread_mutex_t lock;
	uint64_t first, next, count,
		step; /* in order: 0, step, 2 step, ... modulo count */
	struct timespec end;
};

struct job {
	const struct ml_work_shares *x;
	struct pieces *pieces; /* NULL: the worker has a stretch */
	uint64_t from, to;
	void *worker;
	ml_work_share_fn *fn;
	bool ok;
	struct ml_err err;
};

size_t ml_work_shares_count(const struct ml_work_shares *x)
{
	uint64_t max = (x->to - x->from) / SHARE_MIN + 1, cpus = ml_cpus();
	uint64_t count = x->workers ? x->workers : max < cpus ? max : cpus;

	return count < ML_WORK_SHARES_MAX ? (size_t)count : ML_WORK_SHARES_MAX;
}

/*
 * A step that visits all `of` pieces before it returns to the first; about 0.618 of their
 * number.
 */
static uint64_t spread(uint64_t of)
{
	uint64_t step = of * 618 / 1000;

	for (step = step ? step : 1;; step++) {
		uint64_t a = of, b = step;

		while (b) {
			uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return step;
	}
}

static void start(struct pieces *p, const struct ml_work_shares *x)
{
	pthread_mutex_init(&p->lock, NULL);
	p->first = x->from / PIECE;
	p->next = 0;
	p->count = x->to > x->from ? (x->to - 1) / PIECE - p->first + 1 : 0;
	p->step = p->count ? spread(p->count) : 1;
	clock_gettime(CLOCK_MONOTONIC, &p->end);
	p->end.tv_sec += x->hurry / 1000;
	p->end.tv_nsec += (long)(x->hurry % 1000) * 1000000;
	if (p->end.tv_nsec >= 1000000000) {
		p->end.tv_nsec -= 1000000000;
		p->end.tv_sec++;
	}
}

/* Takes the next piece, unless the time is over. The first piece is always taken. */
static bool next_piece(struct pieces *p, uint64_t *piece)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	bool late = now.tv_sec > p->end.tv_sec ||
		    (now.tv_sec == p->end.tv_sec && now.tv_nsec >= p->end.tv_nsec);
	pthread_mutex_lock(&p->lock);
	bool more = p->next < p->count && (!late || !p->next);
	*piece = more ? p->first + p->next++ * p->step % p->count : 0;
	pthread_mutex_unlock(&p->lock);
	return more;
}

static void work(void *arg)
{
	struct job *j = arg;
	uint64_t piece;

	j->ok = true;
	if (!j->pieces)
		j->ok = j->fn(j->worker, j->from, j->to, &j->err);
	while (j->ok && j->pieces && next_piece(j->pieces, &piece)) {
		uint64_t from = piece * PIECE, to = from + PIECE;

		j->ok = j->fn(j->worker, from > j->from ? from : j->from,
			      to < j->to ? to : j->to, &j->err);
	}
}

bool ml_work_shares_run(const struct ml_work_shares *x, void *const *workers,
			size_t count, ml_work_share_fn *fn, struct ml_err *err)
{
	struct job job[ML_WORK_SHARES_MAX];
	struct pieces pieces;
	struct ml_pool pool;
	uint64_t share = (x->to - x->from) / count;
	bool ok = true;

	if (x->hurry)
		start(&pieces, x);
	for (size_t i = 0; i < count; i++) {
		job[i] = (struct job){ .x = x,
				       .pieces = x->hurry ? &pieces : NULL,
				       .from = x->from,
				       .to = x->to,
				       .worker = workers[i],
				       .fn = fn };
		if (!x->hurry) {
			job[i].from = x->from + share * i;
			job[i].to = i + 1 < count ? job[i].from + share : x->to;
		}
	}
	if (count > 1) {
		ml_pool_init(&pool, (unsigned)count - 1);
		for (size_t i = 1; i < count; i++)
			ml_pool_submit(&pool, work, &job[i]);
	}
	work(&job[0]);
	if (count > 1)
		ml_pool_release(&pool);
	for (size_t i = count; i-- > 0;)
		if (!job[i].ok) {
			*err = job[i].err;
			ok = false;
		}
	if (x->hurry)
		pthread_mutex_destroy(&pieces.lock);
	return ok;
}
