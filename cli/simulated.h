/*
 * A simulated trace and a window of it, for commands that draw. Ctrl-C cancels long work;
 * stderr shows the progress, and what is missing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/machine_option.h"
#include "cli/work.h"
#include "lib/base/err.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/report/report_window.h"

struct ml_open_sim;

/* The wishes of the user. Zero bytes: the whole trace, on the host. */
struct simulated_wish {
	const struct cmd *cmd; /* warns */
	const char *trace, *machine, *phase;
	struct machine_without without;
	uint64_t from, to; /* positions; to 0: the end */
};

struct simulated {
	struct ml_workspace workspace;
	struct ml_open_sim *sim;
	uint64_t from, to; /* positions of the window; to > from */
	struct cmd_work work;
};

/* Opens the trace, and simulates or takes the cached result. On false nothing is open. */
bool simulated_open(struct simulated *s, const struct simulated_wish *w,
		    struct ml_err *err);
/*
 * Simulates a trace of the workspace, which is open as `work` is, or takes the kept
 * result: s->sim.
 */
bool simulated_run(struct simulated *s, const struct cmd *c, uint64_t trace,
		   const struct ml_machine *m, struct ml_err *err);
/* EXIT_DONE, or EXIT_FAILED for a part (cmd_is_part). */
int simulated_status(const struct simulated *s);
void simulated_close(struct simulated *s);

/*
 * Writes bytes into a file that appears when it is complete; path NULL or "-" is stdout.
 * A regular file is replaced; any other file (a pipe, /dev/full) is written in place.
 */
struct ml_buf;
bool simulated_write(const struct ml_work *work, const char *path,
		     const struct ml_buf *bytes, struct ml_err *err);
