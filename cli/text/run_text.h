/*
 * The output of `memlamp run`: findings first, then the lines and regions that cost most.
 */
#pragma once

#include <stdint.h>

struct ml_buf;
struct ml_analysed_trace;

/*
 * path: of the trace. program: the program that was run. machine: the options that choose
 * the same machine in the next commands, such as " --machine zen4"; or "".
 */
void run_text(struct ml_analysed_trace *study, const char *path, const char *program,
	      const char *machine, uint64_t top, struct ml_buf *out);
void run_json(const struct ml_analysed_trace *study, const char *path,
	      struct ml_buf *out);
