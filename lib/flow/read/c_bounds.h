/*
 * What reading a C file may cost. A few lines of C can ask libclang for time and memory
 * without end: a macro that doubles itself twelve times, an include of a device or of a pipe
 * that nobody writes. So a child process parses each file first, and the file is refused if
 * the child needs more than the bounds, or crashes.
 * Held by tests/flow/test_flow_read.c.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

enum { ML_C_SECONDS = 3, ML_C_WAIT_SECONDS = 60, ML_C_MEGABYTES = 1024 };

/* Runs `parse` in a child; false with a sentence if the bounds end it, or if it says that it
 * crashed by returning false: libclang survives some of its own crashes. */
bool ml_c_bounds_hold(bool (*parse)(void *arg), void *arg, const char *path,
		      struct ml_err *err);
