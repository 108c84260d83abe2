/*
 * A recording from start to end. The session makes the ring, starts the program (under
 * Valgrind, unless it was built by `memlamp cc`), and writes a trace of each process that
 * claims a slot, in a thread each, until all processes have ended. The process that runs
 * the session is the companion of record/ring.h. It outlives Ctrl-C. A program that is
 * killed leaves all its words in the ring, where the companion reads them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "record/reader/options.h"
#include "record/session/recording.h"

struct ml_session {
	/* set by the caller */
	const char *output;       /* path of the first process's trace */
	const char *valgrind_lib; /* folder of the Valgrind tool; NULL: not installed */
	bool valgrind;            /* use it also for programs built by `memlamp cc` */
	char *const *argv;        /* the program, ends with NULL */
	struct ml_record_options options;
	/*
	 * Called a few times a second with the totals so far; may be NULL. This is no
	 * struct ml_work: nobody knows how long the program runs, so there is no share of
	 * the work to report, and two counts instead of one. Nor can a caller cancel a
	 * recording: the program gets the signal, and the session ends with the program.
	 */
	void (*tick)(void *arg, uint64_t refs, uint64_t bytes);
	/*
	 * Called in place of tick while all recorded processes sleep; may be NULL. A
	 * program that waits for input has perhaps written a prompt.
	 */
	void (*rest)(void *arg);
	void *tick_arg; /* of both */

	/* results */
	struct ml_recording *recordings;
	size_t count;
	int status;        /* of the program, as waitpid gives it */
	int ended_by;      /* the signal that asked memlamp to end; 0: none did */
	bool instrumented; /* the program recorded itself, by the hooks of `memlamp cc` */
	const char *complaint; /* what Valgrind said of its own accord, or NULL */
	double seconds;        /* from start to the end of the last trace */
	struct ml_arena arena; /* owns the results */
};

/* False: nothing was recorded. A failing program is no failure of the session. */
bool ml_session_run(struct ml_session *s, struct ml_err *err);
void ml_session_release(struct ml_session *s);
