/* Opens a C file, or an .sdfg or .sdfgz of DaCe, as a flow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/flow/read/c_read.h"

struct ml_flow;

/* Whether a file can be one, by its name and first bytes. */
bool ml_flow_is(const char *path);
struct ml_flow *ml_flow_open(const char *path, const struct ml_flow_options *o,
			     struct ml_err *err);
/* The same of a text with this path; size bytes, followed by a 0 byte. */
struct ml_flow *ml_flow_open_text(const char *path, const char *text, size_t size,
				  const struct ml_flow_options *o, struct ml_err *err);
