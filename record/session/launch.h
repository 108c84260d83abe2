/*
 * Starts the program of a session, under Valgrind or by itself, and forwards signals to
 * it. A signal handler can only reach variables, so one program runs at a time.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/err.h"

struct ml_record_options;

struct ml_launch {
	char *const *argv;        /* the program, ends with NULL */
	const char *ring;         /* path of the ring */
	const char *valgrind_lib; /* folder of the Valgrind tool */
	bool instrumented;        /* without Valgrind: the program records itself */
	bool hooks;               /* programs that it starts may record themselves */
	int log;                  /* file descriptor for Valgrind's log */
	const struct ml_record_options *options;
};

bool ml_launch_start(const struct ml_launch *l, pid_t *child, struct ml_err *err);
/* The program has ended: from now on a signal ends the recording. */
void ml_launch_ended(void);
/* A signal has asked to end the recording since the program ended. */
bool ml_launch_is_stopped(void);
/* The signal that asked memlamp to end; 0: none did. */
int ml_launch_end_signal(void);
