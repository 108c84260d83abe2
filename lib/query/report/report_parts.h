/*
 * The parts of a report share these: the page that is being written, and small pieces of
 * markup. Only report*.c include this header.
 */
#pragma once

#include "lib/query/drawing/html.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/query/report/report.h"

struct ml_report_page {
	struct ml_html html;
	struct ml_open_sim *sim;
	const struct ml_report_options *o;
	struct ml_report_window window;
	const struct ml_profile *profile; /* profile of the window */
	const struct ml_machine *machine;
	struct ml_profile_rows rows;
	double min_lost; /* minimal lost cycles of a row */
	double max_lost; /* lost cycles of the user's costliest line */
};

/* The name of a level (0: L1i). It is foreign text, from the text of the machine. */
const char *ml_report_level(const struct ml_report_page *p, unsigned level);
/* The main cause of misses at the farthest level that misses often: "capacity". */
const char *ml_report_why(const struct ml_report_page *p,
			  const struct ml_profile_count *c);

/*
 * Draws a bar of the lost cycles, whose length is their share of `full`; and a bar of all
 * references, of full length. Both are divided by serving levels.
 */
void ml_report_lost_bar(struct ml_report_page *p, const struct ml_profile_count *c,
			double full);
void ml_report_served_bar(struct ml_report_page *p, const uint64_t served[ML_SERVED]);
/*
 * Writes the first cells of rows of regions, lines and phases, and the heads of their
 * columns.
 */
void ml_report_count_heads(struct ml_report_page *p);
void ml_report_count_cells(struct ml_report_page *p, const struct ml_profile_count *c,
			   double full);
/* Sections of the report. */
void ml_report_source(struct ml_report_page *p);
bool ml_report_data(struct ml_report_page *p, struct ml_err *err);
void ml_report_more_data(struct ml_report_page *p); /* conflicts, sharing, threads */
