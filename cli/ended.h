/* How the recorded program ended. */
#pragma once

/* The exit status that stands for a status of waitpid: 128 + N for signal N. */
int cmd_ended_status(int status);
/* Prints "memlamp: PROGRAM was ended by SIGSEGV (Segmentation fault)" if a signal did. */
void cmd_ended_say(const char *program, int status);
