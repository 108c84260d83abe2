/*
 * Which thread waited for which. A row is "T@time behind U@until".
 */
#include <stdio.h>
#include <string.h>

#include "lib/trace/tables.h"
#include "record/reader/sync_order.h"
#include "tests/test.h"

enum { OBJECT = 0x1000, OTHER = 0x2000 };

struct report {
	uint64_t time;
	uint16_t thread;
	enum ml_sync kind;
	uint64_t object;
};

static const char *waits_of(const struct report *r, size_t count)
{
	static char text[1000];
	struct ml_sync_order s = { 0 };
	struct ml_tables t;
	size_t n = 0;

	ml_tables_init(&t);
	for (size_t i = 0; i < count; i++)
		ml_sync_order_take(&s, r[i].kind, r[i].thread, r[i].object, r[i].time,
				   &t);
	text[0] = 0;
	for (size_t i = 0; i < t.waits.count; i++) {
		const struct ml_wait *w = &t.waits.at[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u@%u behind %u@%u",
				      i ? ", " : "", w->thread, (unsigned)w->time, w->of,
				      (unsigned)w->until);
	}
	ml_tables_release(&t);
	ml_sync_order_release(&s);
	return text;
}

#define WAITS(...) \
	waits_of((struct report[]){ __VA_ARGS__ }, \
		 sizeof((struct report[]){ __VA_ARGS__ }) / sizeof(struct report))

TEST(a_woken_thread_comes_behind_the_first_wake_since_it_waits)
{
	CHECK_STR(WAITS({ 5, 1, ML_SYNC_WAKE, OBJECT }, { 10, 2, ML_SYNC_WAIT, OBJECT },
			{ 20, 1, ML_SYNC_WAKE, OBJECT }, { 30, 1, ML_SYNC_WAKE, OBJECT },
			{ 40, 2, ML_SYNC_WOKEN, OBJECT }),
		  "1@20 behind 2@10, 2@40 behind 1@20");
}

TEST(objects_are_apart)
{
	CHECK_STR(WAITS({ 10, 2, ML_SYNC_WAIT, OBJECT }, { 20, 1, ML_SYNC_WAKE, OTHER },
			{ 40, 2, ML_SYNC_WOKEN, OBJECT }),
		  "");
}

TEST(without_a_wait_the_last_wake_counts)
{
	CHECK_STR(WAITS({ 10, 1, ML_SYNC_WAKE, OBJECT }, { 20, 1, ML_SYNC_WAKE, OBJECT },
			{ 40, 2, ML_SYNC_WOKEN, OBJECT }),
		  "2@40 behind 1@20");
}

/* Threads 1, 2, 3 arrive in this order; 3 leaves first and arrives at the next barrier
 * before 1 has left the first. */
TEST(the_first_that_leaves_a_barrier_comes_behind_all_others)
{
	CHECK_STR(
		WAITS({ 10, 1, ML_SYNC_WAIT, OBJECT }, { 20, 2, ML_SYNC_WAIT, OBJECT },
		      { 30, 3, ML_SYNC_WAIT, OBJECT }, { 30, 3, ML_SYNC_LEAVE, OBJECT },
		      { 50, 3, ML_SYNC_WAIT, OBJECT }, { 50, 1, ML_SYNC_LEAVE, OBJECT },
		      { 60, 2, ML_SYNC_LEAVE, OBJECT }),
		"3@30 behind 1@10, 3@30 behind 2@20, 1@50 behind 3@30, 2@60 behind 3@30");
}

TEST(what_follows_from_earlier_waits_is_left_out)
{
	CHECK_STR(WAITS({ 10, 1, ML_SYNC_WAKE, OBJECT }, { 20, 2, ML_SYNC_WOKEN, OBJECT },
			{ 30, 2, ML_SYNC_WOKEN, OBJECT }),
		  "2@20 behind 1@10");
}
