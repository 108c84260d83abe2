/*
 * Long work of a command: a progress bar on stderr, and SIGINT, SIGTERM or SIGHUP that end it.
 * The first signal cancels the work, so that files stay whole and commands can print
 * what is known until then; a second one ends the
 * program at once.
 *
 *	struct cmd_work w;
 *
 *	cmd_work_begin(&w);
 *	bool ok = ml_summary_open(&summary, &trace, &w.work, &err);
 *	cmd_work_end(&w);
 */
#pragma once

#include <stdbool.h>

#include "lib/base/progress.h"
#include "lib/base/work.h"

struct cmd;

struct cmd_work {
	struct ml_progress progress;
	struct ml_work work;
	const struct cmd *cmd; /* set by cmd_work_advise, else NULL */
	const char *advice;
	const char *part; /* what is done now; NULL: nothing was reported yet */
	uint64_t started; /* ns: when this part began */
	uint64_t first;   /* what was done of it at the first report */
	uint64_t last;    /* and at the last one */
	bool judged;      /* the time of this part was estimated */
};

void cmd_work_begin(struct cmd_work *w);
/*
 * If a part of the work turns out to take more than a minute, a line on stderr says about
 * how long it will take, what would take less (`advice`), and that a signal shows a part.
 */
void cmd_work_advise(struct cmd_work *w, const struct cmd *cmd, const char *advice);
/* Waits for the first signal: a server has nothing else to do here. */
void cmd_work_wait(struct cmd_work *w);
/* Wipes the progress bar. Signals keep their meaning. */
void cmd_work_end(struct cmd_work *w);
