/*
 * The lines of a text file, in a window that moves over it, so files of any length and
 * pipes are read in constant memory. [at, end) are whole lines, each with its newline. A
 * reader moves `at` behind the lines that it has read, and counts them in `line`.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;
struct ml_import_probe;
struct ml_work;

struct ml_line_window {
	const char *name; /* for messages */
	char *at, *end;
	uint64_t line; /* number of the line at `at`, from 1 */

	int fd; /* -1: the file is in the window already */
	char *data;
	size_t filled, cap;
	uint64_t read, total;       /* bytes read so far; bytes of the file, 0: unknown */
	bool last;                  /* the end of the file has been read */
	const struct ml_work *work; /* or NULL */
};

/* Takes the open file and the first bytes out of the probe. */
void ml_line_window_open(struct ml_line_window *w, struct ml_import_probe *probe);
void ml_line_window_close(struct ml_line_window *w);

/*
 * Keeps the lines that were not read and adds at least one behind them; they may move.
 * False at the end of the file (err->kind is ML_OK) or when reading fails.
 */
bool ml_line_window_more(struct ml_line_window *w, struct ml_err *err);
/* True when there are lines in the window, after reading on if there were none. */
bool ml_line_window_lines(struct ml_line_window *w, struct ml_err *err);
