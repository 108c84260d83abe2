/*
 * Registration files: names for memory, for traces that contain none. One region a line,
 *
 *	NAME BASE SIZE [ELEM [DIM...]]
 *
 * like the directive `region` of text traces (lib/trace/text/text.h). # begins a comment.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_writer;

/* Registers all regions from the present time on; messages are "path:line: ...". */
bool ml_regions_file_read(const char *path, struct ml_writer *w, struct ml_err *err);
