#include "cli/work.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "lib/base/clock.h"

/* a signal handler can only write to globals */
static volatile bool stop;
static sem_t came; /* posted by the first signal */

/* The end of a terminal; nohup makes programs ignore it. */
static void heed_hangup(const struct sigaction *act)
{
	struct sigaction old;

	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, act, NULL);
}

static void on_signal(int number)
{
	int why = errno;

	if (ml_stopped(&stop)) { /* the second one, whichever was the first */
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	ml_stop(&stop);
	sem_post(&came);
	errno = why;
}

static bool cancelled(void *arg)
{
	(void)arg;
	return ml_stopped(&stop);
}

enum { SURE = 2, LONG = 60 }; /* seconds: until an estimate is good; to be worth it */

/* Says once for each part of the work how long the part will take, if that is long. */
static void estimate(struct cmd_work *w, const char *what, uint64_t done, uint64_t total)
{
	uint64_t now = ml_now();

	if (w->part != what || done < w->last) {
		w->part = what;
		w->started = now;
		w->first = done;
		w->judged = false;
	}
	w->last = done;
	double spent = (double)(now - w->started) / (double)ML_SECOND;
	if (w->judged || spent < SURE || done <= w->first || done > total)
		return;
	w->judged = true;
	double left = spent * (double)(total - done) / (double)(done - w->first);
	if (left < LONG)
		return;
	ml_progress_end(&w->progress);
	fprintf(stderr,
		"memlamp %s: %s will take about %.0f %s; %s; Ctrl-C shows what is known "
		"by then\n",
		w->cmd->name, what, left / 60, left / 60 < 1.5 ? "minute" : "minutes",
		w->advice);
}

static void show(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct cmd_work *w = arg;

	if (w->advice && total)
		estimate(w, what, done, total);
	if (total)
		ml_progress_bar(&w->progress, what, done, total);
	else
		ml_progress_line(&w->progress, "%s", what);
}

void cmd_work_begin(struct cmd_work *w)
{
	struct sigaction act = { .sa_handler = on_signal };

	sem_init(&came, 0, 0);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	heed_hangup(&act);
	ml_progress_start(&w->progress, stderr);
	w->work = (struct ml_work){ cancelled, show, w };
	w->advice = w->part = NULL;
	w->started = w->first = w->last = 0;
	w->judged = false;
}

void cmd_work_advise(struct cmd_work *w, const struct cmd *cmd, const char *advice)
{
	w->cmd = cmd;
	w->advice = advice;
}

void cmd_work_wait(struct cmd_work *w)
{
	while (!cancelled(w) && sem_wait(&came) && errno == EINTR)
		;
}

void cmd_work_end(struct cmd_work *w)
{
	ml_progress_end(&w->progress);
}
