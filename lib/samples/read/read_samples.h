/*
 * Tables of samples from files and folders of other tools:
 *
 *  - a Mitos folder: data/samples.csv or data/samples.out, and hardware.xml;
 *  - comma, tab or semicolon separated values with a line of headings;
 *  - the text of `perf script` with addr and data_src, and of `perf mem report -D`.
 *
 * Whether a column holds decimal numbers, hexadecimal numbers or names is decided from
 * the whole column, in a first pass over the text; a second pass reads the values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/samples/read/read_options.h"
#include "lib/samples/read/sample_format.h"
#include "lib/samples/samples.h"

/* Opens a file of ours, or reads a file or folder of another tool. NULL options are
 * zero ones with the L1 latency above. */
bool ml_samples_open(struct ml_samples *s, const char *path,
		     const struct ml_read_options *o, const struct ml_work *work,
		     struct ml_err *err);
/* Reads a text as if it were a file; format NULL: the one that it begins like. */
bool ml_samples_read_text(struct ml_samples *s, const char *name,
			  const struct ml_sample_format *format, const char *text,
			  size_t size, const struct ml_read_options *o,
			  const struct ml_work *work, struct ml_err *err);

/* Reads the hardware from an XML file; closes the table if that fails. */
bool ml_samples_read_hardware(struct ml_samples *s, const char *path, struct ml_err *err);

/* Whether a file or folder holds samples, by its content. */
bool ml_samples_is(const char *path);
