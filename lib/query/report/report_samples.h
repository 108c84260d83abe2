/*
 * A report on a table of samples, in one HTML file as report.h: totals, the hardware,
 * latencies, and how they change along the run.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_sample_question;

struct ml_sample_report_options {
	const char *select; /* the text of the selection, or NULL */
	bool no_source;     /* leave out the text of the lines */
};

/* The question has the table, the selection, and how many rows a table may have. Appends
 * the HTML to out. */
bool ml_report_samples(struct ml_sample_question *q,
		       const struct ml_sample_report_options *o, struct ml_buf *out,
		       struct ml_err *err);
