/*
 * What importers share that read a text line by line and write one trace. Such an
 * importer is a function that reads lines from `in` and gives references to `writer`:
 *
 *	static bool read_din(struct ml_trace_import *im, struct ml_err *err) ...
 *
 *	static bool run(struct ml_import *import, struct ml_err *err)
 *	{
 *		return ml_trace_import_run(import, read_din, err);
 *	}
 *
 *	const struct ml_importer ml_importer_din = {
 *		.name = "din", .what = "...", ML_TRACE_IMPORT,
 *		.detect = detect, .run = run,
 *	};
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/ref.h"
#include "record/import/import.h"
#include "record/import/import_probe.h"
#include "record/import/line_window.h"

struct ml_writer;

#define ML_TRACE_IMPORT .kind = "trace", .suffix = ".mlt", .unit = "reference"

struct ml_trace_import {
	const struct ml_import_options *options;
	struct ml_line_window in;
	struct ml_writer *writer;
};

/*
 * Opens the lines and the trace, registers the regions of --regions and calls `read`. The
 * trace appears under its name when it is complete, or not at all.
 */
bool ml_trace_import_run(struct ml_import *import,
			 bool (*read)(struct ml_trace_import *, struct ml_err *),
			 struct ml_err *err);

/* Adds a reference of 1 byte to 16 MiB, in pieces if it is too large for ref.h. */
enum { ML_IMPORT_SIZE_MAX = 16 << 20 };
bool ml_trace_import_ref(struct ml_trace_import *im, const struct ml_ref *ref,
			 enum ml_kind kind, uint64_t size, struct ml_err *err);

/* Fails with "name:line: reason 'word'", the line being the current one. */
bool ml_trace_import_bad(const struct ml_trace_import *im, const char *reason,
			 const char *word, size_t size, struct ml_err *err);
