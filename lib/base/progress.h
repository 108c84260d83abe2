/*
 * One line that tells how far long work is, on a terminal and nowhere else: when
 * the file is no terminal nothing is ever written. Written ten times a second at
 * most, so it may be called for every batch; end wipes it, so that what is
 * printed next starts on a clean line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ml_progress {
	FILE *out;
	bool live;      /* out is a terminal */
	bool shown;     /* something stands on the line */
	uint64_t start; /* ns, monotonic */
	uint64_t next;  /* ns: write nothing before */
};

void ml_progress_start(struct ml_progress *p, FILE *out);

/* "label [=====>    ] 52 %  3 s left"; a total of 0 shows the count alone. */
void ml_progress_bar(struct ml_progress *p, const char *label, uint64_t done,
		     uint64_t total);

/* A line of one's own. */
void ml_progress_line(struct ml_progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void ml_progress_end(struct ml_progress *p);
