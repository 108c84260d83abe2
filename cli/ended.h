/* How the recorded program ended, or is going to end. */
#pragma once

/* The exit status that stands for a status of waitpid: 128 + N for signal N. */
int cmd_ended_status(int status);
/* Prints a warning if Valgrind may not know all instructions of the program. */
void cmd_ended_foresee(const char *program);
/* Prints "memlamp: PROGRAM was ended by SIGSEGV (Segmentation fault)" if a signal did. */
void cmd_ended_say(const char *program, int status);
