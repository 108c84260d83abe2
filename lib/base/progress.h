/*
 * A progress line on a terminal. If the file is not a terminal, nothing is written. The
 * line is written at most ten times a second, so a caller may update it for every batch.
 * ml_progress_end erases it, so that later output starts on an empty line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ml_progress {
	FILE *out;
	bool live;      /* out is a terminal */
	bool shown;     /* the line is not empty */
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

void ml_progress_end(struct ml_progress *p);
