/*
 * Programs before they are recorded, and processes while they are: by their files and
 * by /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

/* Fails unless the program, found as a shell would find it, can be run and recorded. */
bool ml_process_check(const char *name, struct ml_err *err);
/* The file of a program, found as a shell would find it; path has room for PATH_MAX bytes.
 * False: there is none. */
bool ml_process_path(const char *name, char *path);
/* Was the program built by `memlamp cc`? */
bool ml_process_is_instrumented(const char *name);
/* Is the program a launcher such as taskset or mpirun, and one of its arguments a program
 * that was built by `memlamp cc`? Then the launcher itself need not be recorded. */
bool ml_process_launches_instrumented(char *const *argv);
/* The command line of the recorded program, without the words of Valgrind. */
const char *ml_process_command(pid_t pid, bool under_valgrind, struct ml_arena *a);
/* Do all threads of the process sleep, as while they wait for input? */
bool ml_process_sleeps(pid_t pid);
bool ml_process_cwd(pid_t pid, char *path, size_t size);
