/* The name of the trace that `memlamp record` and `memlamp run` write. */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_arena;

/*
 * Replaces %p by the number of this process, %r by the rank of an MPI job, %h by the name
 * of the host and %% by a percent sign. A pattern of NULL is PROGRAM.mlt. If there are
 * several ranks and neither %p nor %r, the rank is put before the suffix, so that each
 * rank has a file of its own.
 */
bool cmd_output_name(const char *pattern, const char *program, struct ml_arena *a,
		     const char **name, struct ml_err *err);
