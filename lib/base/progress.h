/*
 * A progress line on a terminal. If the file is not a terminal, nothing is written. The
 * line is written at most ten times a second, so a caller may update it for every batch.
 * ml_progress_end erases it, so that later output starts on an empty line.
 * Held by tests/base/test_progress.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ml_progress {
	FILE *out;
	bool live;      /* out is a terminal */
	bool shown;     /* the line is not empty */
	bool parked;    /* the cursor waits at the beginning of the line */
	uint64_t start; /* ns, monotonic */
	uint64_t next;  /* ns, monotonic: time of the next update */
};

void ml_progress_start(struct ml_progress *p, FILE *out);

/* "label [=====>    ] 52 %  3 s left"; a total of 0 shows the count alone. */
void ml_progress_bar(struct ml_progress *p, const char *label, uint64_t done,
		     uint64_t total);

/* A line of any other form. */
void ml_progress_line(struct ml_progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For a terminal that a running program shares: the cursor waits at the beginning of the
 * line, so that output of the program replaces the line and does not follow it.
 */
void ml_progress_park(struct ml_progress *p);
/* The program waits, perhaps behind a prompt: erases the rest of the line behind the
 * cursor, and nothing else. */
void ml_progress_rest(struct ml_progress *p);

void ml_progress_end(struct ml_progress *p);
