/*
 * Registration files: which memory a person calls by which name, for traces that
 * cannot tell it themselves. One region a line,
 *
 *	NAME BASE SIZE [ELEM [DIM...]]
 *
 * as the directive `region` of text traces takes it (lib/trace/text.h); # comments.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_writer;

/* Registers all of them from the present time on; messages are "path:line: ...". */
bool ml_regions_file_read(const char *path, struct ml_writer *w, struct ml_err *err);
