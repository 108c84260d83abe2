/*
 * Names of files.
 */
#pragma once

#include <string.h>

/* The part of a path behind its last slash; the whole path if it ends with a slash. */
static inline const char *ml_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
