/*
 * The parts of a report share these: the page that is being written, and small pieces of
 * markup. Only report*.c include this header.
 */
#pragma once

#include "lib/base/arena.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/query/report/report.h"

struct ml_report_page {
	struct ml_buf *out;
	struct ml_open_sim *sim;
	const struct ml_report_options *o;
	struct ml_report_window window;
	const struct ml_profile *profile; /* profile of the window */
	const struct ml_machine *machine;
	struct ml_profile_rows rows;
	double min_lost; /* minimal lost cycles of a row */
	double max_lost; /* lost cycles of the user's costliest line */
	struct ml_arena arena;
};

/* Writes markup as it is; no argument may be foreign text. */
void ml_report_put(struct ml_report_page *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes foreign text, escaped. */
void ml_report_text(struct ml_report_page *p, const char *text);
/* Writes foreign text between two pieces of markup. */
void ml_report_wrap(struct ml_report_page *p, const char *open, const char *text,
		    const char *close);

/* These return texts that live as long as the page. */
const char *ml_report_count(struct ml_report_page *p, uint64_t v);
const char *ml_report_bytes(struct ml_report_page *p, uint64_t v);
const char *ml_report_percent(struct ml_report_page *p, double share);
/* In three digits: "1.25 M". */
const char *ml_report_short(struct ml_report_page *p, uint64_t v);
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
/* "and 12 more regions" below a table. */
void ml_report_more(struct ml_report_page *p, size_t all, size_t shown, const char *what);

/* Sections of the report. */
void ml_report_style(struct ml_report_page *p);
void ml_report_source(struct ml_report_page *p);
bool ml_report_data(struct ml_report_page *p, struct ml_err *err);
void ml_report_more_data(struct ml_report_page *p); /* conflicts, sharing, threads */
