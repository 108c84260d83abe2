/*
 * One trace that a session wrote, and how the recording went.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"

struct ml_recording {
	const char *path;
	const char *command;
	pid_t pid;
	uint64_t refs, bytes;
	const char *warning;              /* or NULL */
	const char *uninstrumented;       /* references that no hook reports, or NULL */
	const struct ml_timed_ref *timed; /* of each reference, if they were timed */
	bool ok;     /* false: the trace is not complete; err says why */
	bool killed; /* the process ended without closing its slot */
	struct ml_err err;
};
