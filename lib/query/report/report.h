/*
 * A report on a simulated trace, or on a window of it, in one HTML file that needs
 * neither a server nor a script and loads nothing from the network. Light and dark
 * colours follow the reader's settings; it prints light.
 *
 * Names and source text are foreign bytes and are escaped. Besides, the file forbids all
 * scripts (Content-Security-Policy).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/query/trace/pictures/picture_heat.h"
#include "lib/query/report/report_window.h"

struct ml_ask;
struct ml_buf;
struct ml_open_sim;
struct ml_told;

struct ml_report_options {
	uint64_t from, to;      /* positions; to > from */
	const char *phase;      /* name of the phase that the window is, or NULL */
	enum ml_heat_mode mode; /* of the heat maps */
	uint64_t top; /* at most so many rows of a table, files and heat maps; from 1 */
	bool no_source;
	const struct ml_work *work; /* may be NULL */
};

/* Appends the HTML to out. */
bool ml_report(struct ml_open_sim *s, const struct ml_report_options *o,
	       struct ml_buf *out, struct ml_err *err);

/* The same of the file of a trace, as struct ml_document_kind has it. */
bool ml_trace_report(const char *path, const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err);
