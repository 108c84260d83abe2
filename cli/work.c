#include "cli/work.h"

#include <signal.h>
#include <stdio.h>

static volatile bool stop; /* a signal handler can only write to a global */

static void on_signal(int number)
{
	ml_stop(&stop);
	signal(number, SIG_DFL);
}

static bool cancelled(void *arg)
{
	(void)arg;
	return ml_stopped(&stop);
}

static void show(void *arg, const char *what, uint64_t done, uint64_t total)
{
	if (total)
		ml_progress_bar(arg, what, done, total);
	else
		ml_progress_line(arg, "%s", what);
}

void cmd_work_begin(struct cmd_work *w)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	ml_progress_start(&w->progress, stderr);
	w->work = (struct ml_work){ cancelled, show, &w->progress };
}

void cmd_work_end(struct cmd_work *w)
{
	ml_progress_end(&w->progress);
}
