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
#include "lib/query/report/simulated_window.h"
#include "lib/query/workspace/workspace.h"

/* The wishes of the user. Zero bytes: the whole trace, on the host. */
struct simulated_wish {
	const struct cmd *cmd; /* warns */
	const char *machine;
	struct machine_without without;
	struct ml_window_wish window;
};

struct simulated {
	struct ml_workspace workspace;
	struct cmd_work work;
	struct ml_simulated_window window;
};

/* Opens the workspace alone. */
void simulated_begin(struct simulated *s, const struct cmd *c,
		     const struct ml_machine *m);
/* Opens the trace, and simulates or takes the kept result. On false nothing is open. */
bool simulated_open(struct simulated *s, const struct simulated_wish *w,
		    struct ml_err *err);
/* Prints the notes of simulations so far. */
void simulated_notes(struct simulated *s);
/* EXIT_DONE, or EXIT_FAILED for a part. */
int simulated_status(const struct simulated *s);
void simulated_close(struct simulated *s);

/*
 * Writes bytes into a file that appears when it is complete; path NULL or "-" is stdout.
 * A regular file is replaced; any other file (a pipe, /dev/full) is written in place.
 */
struct ml_buf;
bool simulated_write(const struct ml_work *work, const char *path,
		     const struct ml_buf *bytes, struct ml_err *err);
