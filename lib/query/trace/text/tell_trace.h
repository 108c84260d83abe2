/* `memlamp info` and `memlamp diff` of traces, as struct ml_document_kind has them. */
#pragma once

#include <stdbool.h>

struct ml_ask;
struct ml_err;
struct ml_told;

bool ml_trace_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		   struct ml_err *err);
/* Also of results (.mls), and of one trace on two machines. */
bool ml_trace_diff(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		   struct ml_err *err);
