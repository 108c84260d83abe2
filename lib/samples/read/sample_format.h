/*
 * The text formats of samples. A format is one file read_NAME.c, which defines
 * ml_read_NAME_is (does a text begin like this format?) and ml_read_NAME, and one line in
 * the list below. The list decides the order in which formats are asked; `memlamp samples`,
 * the page, `memlamp import` and the fuzz target all know it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

/* NAME in C; the name for people and in files; a line for the help. */
#define ML_SAMPLE_FORMATS(F) \
	F(perf_script, "perf-script", \
	  "perf script -F +addr,+data_src,+weight of Intel, AMD or Arm") \
	F(perf_mem, "perf-mem", "perf mem report -D") \
	F(csv, "samples-csv", "CSV or TSV with headings, one sample a line")

struct ml_read_options;
struct ml_samples;
struct ml_work;

/* The text of a file. */
struct ml_read_text {
	const char *name; /* for messages */
	const char *at, *end;
};

struct ml_sample_format {
	const char *name;
	bool (*is)(const char *text, size_t size); /* the first bytes of a file */
	/* Reads all lines and gives columns their roles. */
	bool (*read)(struct ml_samples *s, struct ml_read_text t,
		     const struct ml_read_options *o, const struct ml_work *work,
		     struct ml_err *err);
};

#define ML_SAMPLE_FORMAT_HAS(f, name, what) \
	bool ml_read_##f##_is(const char *text, size_t size); \
	bool ml_read_##f(struct ml_samples *s, struct ml_read_text t, \
			 const struct ml_read_options *o, const struct ml_work *work, \
			 struct ml_err *err);
ML_SAMPLE_FORMATS(ML_SAMPLE_FORMAT_HAS)
#undef ML_SAMPLE_FORMAT_HAS

extern const struct ml_sample_format ml_sample_formats[]; /* ends with a zero one */

/* The format of that name; or, of a text, the first that it begins like. NULL: none. */
const struct ml_sample_format *ml_sample_format_named(const char *name);
const struct ml_sample_format *ml_sample_format_of(const char *text, size_t size);
