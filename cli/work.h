/*
 * Long work of a command: a progress bar on stderr, and SIGINT or SIGTERM that end it.
 * The first signal cancels the work, so that files stay whole; a second one ends the
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

struct cmd_work {
	struct ml_progress progress;
	struct ml_work work;
};

void cmd_work_begin(struct cmd_work *w);
/* Wipes the progress bar. Signals keep their meaning. */
void cmd_work_end(struct cmd_work *w);
