/* What `memlamp run` says of a study: findings first, then where the time goes. */
#pragma once

#include <stdint.h>

struct ml_buf;
struct ml_analysed_trace;

/* path is of the trace, program what was run. */
void run_text(struct ml_analysed_trace *study, const char *path, const char *program,
	      uint64_t top, struct ml_buf *out);
void run_json(const struct ml_analysed_trace *study, const char *path,
	      struct ml_buf *out);
