/* How the recorded program ended, or is going to end. */
#pragma once

struct ml_trace;

/* The exit status that stands for a status of waitpid: 128 + N for signal N. */
int cmd_ended_status(int status);
/* Prints a warning if Valgrind may not know all instructions of the program. */
void cmd_ended_foresee(const char *program);
/*
 * Warns that the recorded program of a trace was ended by a signal: it may have done only
 * a part of its work, so its figures say little beside those of a whole run.
 */
void cmd_ended_warn(const char *command, const struct ml_trace *t);
/* Prints "memlamp: PROGRAM was ended by SIGSEGV (Segmentation fault)" if a signal did. */
void cmd_ended_say(const char *program, int status);
