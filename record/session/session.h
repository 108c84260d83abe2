/*
 * A recording from start to end: makes the ring, starts the program (under
 * Valgrind, unless it was built by `memlamp cc`), drains each process that takes a slot
 * into a trace of its own (a thread each), until all of them have ended. The process that
 * runs this is the companion that record/ring.h speaks of: it outlives Ctrl-C, and a
 * program that is killed leaves all its words in the ring for it to find.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "record/session/options.h"

/* One trace that a session wrote. */
struct ml_recording {
	const char *path;
	const char *command;
	pid_t pid;
	uint64_t refs, bytes;
	const char *warning; /* or NULL */
	const char *unseen;  /* what it cannot show by the way it was made, or NULL */
	bool ok;             /* false: it could not be written to its end; err says why */
	bool killed;         /* the process left no goodbye */
	struct ml_err err;
};

struct ml_session {
	/* set by the caller */
	const char *output;       /* path of the first process's trace */
	const char *valgrind_lib; /* folder with our tool; NULL: not installed */
	bool valgrind;            /* also for programs built by `memlamp cc` */
	char *const *argv;        /* the program, ends with NULL */
	struct ml_record_options options;
	/* Called a few times a second with the totals so far; may be NULL. */
	void (*tick)(void *arg, uint64_t refs, uint64_t bytes);
	void *tick_arg;

	/* results */
	struct ml_recording *recordings;
	size_t count;
	int status;            /* of the program, as waitpid gives it */
	bool tells;            /* the program was built by `memlamp cc` and told itself */
	double seconds;        /* from start to the end of the last trace */
	struct ml_arena arena; /* owns the results */
};

/* False: nothing was recorded. A program that fails is not a failure of the session. */
bool ml_session_run(struct ml_session *s, struct ml_err *err);
void ml_session_release(struct ml_session *s);
