/*
 * A file that is made without the name that it will have: without any name or, where the
 * file system needs one, under a temporary name in the same folder.
 */
#pragma once

#include <stdbool.h>

/*
 * Opens a hidden file for the path, with O_WRONLY or O_RDWR. *name is its temporary name,
 * of ml_resize, or NULL. Returns -1 with errno.
 */
int ml_hidden_open(const char *path, int access, char **name);
/* Whether all is written: some file systems say only at close that it is not, so a copy of
 * the descriptor is closed. */
bool ml_hidden_is_written(int fd);
/* Gives a nameless file a temporary name, from which it can be renamed; NULL with errno.
 */
char *ml_hidden_link(int fd, const char *path);
/*
 * The path without symbolic links, of ml_resize: a link stays, its file is replaced. A file
 * that cannot be reached by such a path (/proc/self/fd/3) keeps its own.
 */
char *ml_hidden_resolved(const char *path);
/* Both texts in one, of ml_resize. */
char *ml_hidden_join(const char *path, const char *ending);
