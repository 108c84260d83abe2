/*
 * The log of Valgrind, which a session keeps away from the output of the program.
 */
#pragma once

#include <stddef.h>

#include "lib/base/arena.h"

/* Reads the log without trailing blanks; returns its length. */
size_t ml_valgrind_log_read(int log, char *text, size_t room);

/*
 * What Valgrind itself says, as of too many threads or too deep a stack, in one line; or
 * NULL. That a program was ended by a signal of its own is no complaint, except that
 * Valgrind raises SIGILL at instructions that it does not know.
 */
const char *ml_valgrind_log_complaint(int log, struct ml_arena *a);
