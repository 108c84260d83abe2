/*
 * What /proc tells about a process that is being recorded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

/* Can name be run, as the shell would find it, and be recorded? */
bool ml_process_check(const char *name, struct ml_err *err);
/* Was it built by `memlamp cc`? */
bool ml_process_tells(const char *name);
/* The recorded program's command line, without Valgrind's part before it. */
const char *ml_process_command(pid_t pid, bool under_valgrind, struct ml_arena *a);
bool ml_process_cwd(pid_t pid, char *path, size_t size);
