#include "record/session/record_pace.h"

#include <sched.h>
#include <unistd.h>

#include "lib/base/clock.h"

enum {
	NICENESS = 5,
	PATIENCE_MS = 40,          /* ten times as long as encoding a chunk takes */
	PAUSE_MS = 4000,           /* the first one; each doubles the next */
	PAUSE_MAX_MS = 256 * 1000, /* until then */
};

/* Where there are fewer processors than threads, the program comes first. */
static void enter_foreground(void)
{
	if (nice(NICENESS) == -1) {
		/* then the thread keeps its priority */
	}
}

/* An unprivileged thread cannot leave this class again. */
static void enter_background(void)
{
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
}

struct ml_encode_pace ml_record_pace(bool may_hurry)
{
	return (struct ml_encode_pace){
		.may_hurry = may_hurry,
		.patience = PATIENCE_MS * ML_MS,
		.pause = PAUSE_MS * ML_MS,
		.pause_max = PAUSE_MAX_MS * ML_MS,
		.enter_foreground = enter_foreground,
		.enter_background = enter_background,
	};
}
