/*
 * A new file that gets its name only when it is complete. Until then it has no name, or,
 * where the file system needs one, a temporary name in the same folder. If the path
 * exists and is not a regular file (a pipe, /dev/full), the file is written in place; so is
 * the file that standard output or standard error goes to (/dev/stdout). A symbolic link
 * stays, and the file that it leads to is replaced.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;

struct ml_newfile {
	char *path;   /* as the caller names it */
	char *target; /* without symbolic links */
	char *name;   /* the temporary name; NULL: none */
	int fd;
	bool in_place;  /* the path is a pipe, a device or a standard stream */
	uint64_t bytes; /* written so far */
};

/* Fails when the folder cannot be written to; then there is nothing to release. */
bool ml_newfile_open(struct ml_newfile *f, const char *path, struct ml_err *err);
bool ml_newfile_write(struct ml_newfile *f, const void *bytes, size_t size,
		      struct ml_err *err);
/* Gives the file its name, replacing an older file; releases f in any case. */
bool ml_newfile_close(struct ml_newfile *f, struct ml_err *err);
/* Removes the file and releases f. */
void ml_newfile_abandon(struct ml_newfile *f);
