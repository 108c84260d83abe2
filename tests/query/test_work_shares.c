#include "lib/query/trace/open/work_shares.h"

#include "tests/test.h"

enum { REFS = 9 << 20 };

/* A worker counts how often each piece of 2^16 positions came to it. */
struct worker {
	unsigned char seen[REFS >> 16];
	uint64_t refs;
	bool fails;
};

static bool go(void *arg, uint64_t from, uint64_t to, struct ml_err *err)
{
	struct worker *w = arg;

	for (uint64_t at = from; at < to; at += 1 << 16)
		w->seen[at >> 16]++;
	w->refs += to - from;
	return !w->fails || ml_fail(err, ML_IO, "it fails");
}

static struct worker workers[ML_WORK_SHARES_MAX];
static void *list[ML_WORK_SHARES_MAX];

static bool run(struct ml_work_shares *x, size_t *count, struct ml_err *err)
{
	*count = ml_work_shares_count(x);
	memset(workers, 0, sizeof(workers));
	for (size_t i = 0; i < *count; i++)
		list[i] = &workers[i];
	return ml_work_shares_run(x, list, *count, go, err);
}

TEST(every_position_comes_to_one_worker)
{
	for (unsigned n = 1; n <= ML_WORK_SHARES_MAX; n += 5) {
		struct ml_work_shares x = { .to = REFS, .workers = n };
		struct ml_err err;
		uint64_t refs = 0;
		size_t count;

		CHECK_OK(run(&x, &count, &err), &err);
		CHECK_EQ(count, n);
		for (size_t i = 0; i < count; i++)
			refs += workers[i].refs;
		CHECK_EQ(refs, REFS);
	}
}

TEST(a_short_window_is_not_worth_a_second_worker)
{
	struct ml_work_shares x = { .to = 1000 };

	CHECK_EQ(ml_work_shares_count(&x), 1);
}

TEST(there_are_never_more_workers_than_the_limit)
{
	struct ml_work_shares x = { .to = REFS, .workers = 1000 };

	CHECK_EQ(ml_work_shares_count(&x), ML_WORK_SHARES_MAX);
}

TEST(a_first_impression_shows_no_position_twice)
{
	struct ml_work_shares x = { .to = REFS, .workers = 2, .hurry = 1 };
	struct ml_err err;
	size_t count;

	CHECK_OK(run(&x, &count, &err), &err);
	uint64_t refs = 0;
	for (size_t i = 0; i < count; i++)
		refs += workers[i].refs;
	CHECK(refs > 0 && refs <= REFS);
	for (size_t k = 0; k < REFS >> 16; k++)
		CHECK(workers[0].seen[k] + workers[1].seen[k] <= 1);
}

TEST(the_failure_of_a_worker_is_that_of_the_run)
{
	struct ml_work_shares x = { .to = REFS, .workers = 2 };
	struct ml_err err;
	void *two[2] = { &workers[0], &workers[1] };

	memset(workers, 0, sizeof(workers));
	workers[1].fails = true;
	CHECK_FAILS(ml_work_shares_run(&x, two, 2, go, &err), &err, "it fails");
}
