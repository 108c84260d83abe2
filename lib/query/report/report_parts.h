/*
 * What the parts of a report share: the page being written, and the small things that
 * are written again and again. Used by report*.c only.
 */
#pragma once

#include "lib/base/arena.h"
#include "lib/query/tables/profile_rows.h"
#include "lib/query/report/report.h"

struct ml_report_page {
	struct ml_buf *out;
	struct ml_open_sim *sim;
	const struct ml_report_options *o;
	struct ml_report_window window;
	const struct ml_profile *profile; /* of the window */
	const struct ml_machine *machine;
	struct ml_profile_rows rows;
	double least; /* lost cycles that are worth a row */
	double most;  /* lost cycles of the costliest line of the user */
	struct ml_arena arena;
};

/* Markup as it is; no foreign text may be among the arguments. */
void ml_report_put(struct ml_report_page *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Foreign text, escaped. */
void ml_report_text(struct ml_report_page *p, const char *text);
/* The same between an opening and a closing piece of markup. */
void ml_report_wrap(struct ml_report_page *p, const char *open, const char *text,
		    const char *close);

/* These live as long as the page. */
const char *ml_report_count(struct ml_report_page *p, uint64_t v);
const char *ml_report_bytes(struct ml_report_page *p, uint64_t v);
const char *ml_report_percent(struct ml_report_page *p, double share);
/* In three digits: "1.25 M". */
const char *ml_report_short(struct ml_report_page *p, uint64_t v);
/* Foreign only in so far as the machine's text is: levels have names. */
const char *ml_report_level(const struct ml_report_page *p, unsigned level);
/* The main cause of the misses of the farthest level that matters: "capacity". */
const char *ml_report_why(const struct ml_report_page *p,
			  const struct ml_profile_count *c);

/*
 * A bar of the time lost, as long as the share of `full`, divided by serving levels; and
 * one of all references, of full length, divided in the same way.
 */
void ml_report_lost_bar(struct ml_report_page *p, const struct ml_profile_count *c,
			double full);
void ml_report_served_bar(struct ml_report_page *p, const uint64_t served[ML_SERVED]);
/* The cells of a table that regions, lines and phases begin with, and their heads. */
void ml_report_count_heads(struct ml_report_page *p);
void ml_report_count_cells(struct ml_report_page *p, const struct ml_profile_count *c,
			   double full);
/* "and 12 more regions" below a table. */
void ml_report_more(struct ml_report_page *p, size_t all, size_t shown, const char *what);

/* Parts of the report. */
void ml_report_style(struct ml_report_page *p);
void ml_report_source(struct ml_report_page *p);
bool ml_report_data(struct ml_report_page *p, struct ml_err *err);
void ml_report_more_data(struct ml_report_page *p); /* conflicts, sharing, threads */
