/* Opens a C file, or an .sdfg or .sdfgz of DaCe, as a flow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_flow;

struct ml_flow_options {
	const char *function;    /* of a C file; NULL: the one with `#pragma scop`, else
				    the one with most loops */
	const char *const *args; /* for the C preprocessor: -I, -D; ends with NULL */
};

/* Whether a file can be one, by its name and first bytes. */
bool ml_flow_is(const char *path);
struct ml_flow *ml_flow_open(const char *path, const struct ml_flow_options *o,
			     struct ml_err *err);
/* The same of a text with this path; size bytes, followed by a 0 byte. */
struct ml_flow *ml_flow_open_text(const char *path, const char *text, size_t size,
				  const struct ml_flow_options *o, struct ml_err *err);
