/*
 * A trace, simulated, and the window of it that a command is about: for commands that
 * draw. Ctrl-C ends whatever takes long; progress stands on stderr.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/work.h"
#include "lib/base/err.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/report/report_window.h"

struct ml_open_sim;

/* What is asked for; zero bytes: everything, on the host. */
struct simulated_wish {
	const char *trace, *machine, *phase;
	uint64_t from, to; /* positions; to 0 is the end */
};

struct simulated {
	struct ml_workspace workspace;
	struct ml_open_sim *sim;
	uint64_t from, to; /* positions of the window; to > from */
	struct cmd_work work;
};

/* Opens and simulates, or takes the result that was kept. On false nothing is open. */
bool simulated_open(struct simulated *s, const struct simulated_wish *w,
		    struct ml_err *err);
void simulated_close(struct simulated *s);

/*
 * Writes bytes into a file that appears when it is whole; path NULL or "-" is stdout.
 * An existing file is replaced; what is no regular file (a pipe, /dev/full) is written
 * in place.
 */
struct ml_buf;
bool simulated_write(const struct ml_work *work, const char *path,
		     const struct ml_buf *bytes, struct ml_err *err);
