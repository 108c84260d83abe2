/* The priorities of the encoders of a recording. */
#include "record/session/record_pace.h"

#include <sched.h>
#include <sys/resource.h>

#include "tests/test.h"

struct seen {
	int class, niceness;
};

static bool denied; /* a sandbox may forbid threads to change their class */

static void try_idle_class(void)
{
	denied = sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }) != 0;
}

static void look(void *seen)
{
	*(struct seen *)seen = (struct seen){ sched_getscheduler(0),
					      getpriority(PRIO_PROCESS, 0) };
}

static struct seen in_thread(void (*enter)(void))
{
	struct ml_pool pool;
	struct seen seen;

	ml_pool_init_with(&pool, 1, enter);
	ml_pool_submit(&pool, look, &seen);
	ml_pool_release(&pool);
	return seen;
}

TEST(encoders_give_way_to_the_recorded_program)
{
	struct ml_encode_pace pace = ml_record_pace(false);
	struct seen plain = in_thread(NULL),
		    foreground = in_thread(pace.enter_foreground),
		    background = in_thread(pace.enter_background);
	int nicer = plain.niceness + 5 < 19 ? plain.niceness + 5 : 19;

	CHECK_EQ(foreground.class, plain.class);
	CHECK_EQ(foreground.niceness, nicer);
	in_thread(try_idle_class);
	CHECK(background.class == SCHED_IDLE || denied);
}

TEST(only_the_caller_decides_whether_compression_may_suffer)
{
	CHECK(!ml_record_pace(false).may_hurry);
	CHECK(ml_record_pace(true).may_hurry);
}
