/*
 * A file that appears under its name only when it is whole: until then it has none,
 * or, where the system cannot do that, another name beside it. What stands there already
 * and is no regular file (a pipe, /dev/full) is never replaced: it is written to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;

struct ml_newfile {
	char *path;
	char *name; /* under which it is made, NULL: it has none yet */
	int fd;
	bool in_place;
	uint64_t bytes; /* written so far */
};

/* Fails when the folder cannot be written to; nothing is to be released then. */
bool ml_newfile_open(struct ml_newfile *f, const char *path, struct ml_err *err);
bool ml_newfile_write(struct ml_newfile *f, const void *bytes, size_t size,
		      struct ml_err *err);
/* Gives it its name, replacing what is there; releases in any case. */
bool ml_newfile_close(struct ml_newfile *f, struct ml_err *err);
/* Nothing stays. */
void ml_newfile_abandon(struct ml_newfile *f);
