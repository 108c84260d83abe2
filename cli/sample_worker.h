/*
 * The process that samples, and its folder for files that nobody needs afterwards. The
 * command waits for that process. So a command that is killed loses nothing: the process goes
 * on until the program ends, and writes the samples. And when the process is killed, or runs
 * out of memory, the command removes the folder. Folders of commands that were killed together
 * with their processes are removed by the next command.
 * Held by tests/cli/record/sample_killed.sh.
 */
#pragma once

#include <stdbool.h>

struct ml_arena;
struct ml_err;

/* Runs `work` in a process of its own, and returns its exit status; -1 with a sentence where
 * a signal ended it. */
int sample_worker_run(int (*work)(void *arg), void *arg, struct ml_err *err);
/* Makes the folder of this process, and removes those of dead ones. */
bool sample_worker_folder(const char **folder, struct ml_arena *a, struct ml_err *err);
/* Removes the folder with its files. */
void sample_worker_remove(const char *folder);
