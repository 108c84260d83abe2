/*
 * A file that others may read while it grows, and that is of use from its first byte on.
 * It has no name while it is made. It gets its name with its first bytes if there is no
 * file of that name. An older file keeps the name until ml_growfile_show: until the new
 * one holds something. A reader that has mapped the older file goes on reading it.
 *
 * If the path is no regular file of this user (a pipe, /dev/full, a file of someone else,
 * one with several names), it is written in place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ml_err;

struct ml_growfile {
	int fd;
	char *path;
	char *hidden;  /* a temporary name, where the file system needs one; or NULL */
	bool in_place; /* has its name */
	bool replaces; /* there is an older file */
};

/*
 * Makes the file and writes its first bytes. With `late` it gets its name by
 * ml_growfile_show only, and replaces any regular file: what is there stays if the new
 * file fails. On failure there is nothing to release.
 */
bool ml_growfile_open(struct ml_growfile *f, const char *path, bool late,
		      const void *bytes, size_t size, struct ml_err *err);
/* The file holds something: it takes the place of an older one. */
bool ml_growfile_show(struct ml_growfile *f, struct ml_err *err);
/* Ends writing; a file without a name is gone then. */
bool ml_growfile_close(struct ml_growfile *f, struct ml_err *err);
/* Whether ml_growfile_open would succeed, as far as that can be known; makes nothing. */
bool ml_growfile_check(const char *path, struct ml_err *err);
