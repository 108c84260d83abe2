/* A file name of its own for a test, removed when the program ends. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_path[64];

static void scratch_remove(void)
{
	unlink(scratch_path);
}

static inline const char *scratch(void)
{
	if (!scratch_path[0]) {
		snprintf(scratch_path, sizeof(scratch_path), "/tmp/memlamp-test-%d",
			 getpid());
		atexit(scratch_remove);
	}
	return scratch_path;
}
