/*
 * What there is to tell of a document, in the order in which it is read: figures, notes,
 * tables and pictures. A kind of document fills it once, and it is painted as text, JSON,
 * CSV or a page of HTML.
 *
 *	struct ml_sections s = { .path = path, .what = "a search space", .rows = 10 };
 *
 *	ml_sections_number(&s, "variants", total);
 *	ml_sections_table(&s, "constraints", "Constraints", NULL, &table, rows);
 *	bool ok = ml_sections_tell(&s, ask, told, err);
 *	ml_sections_release(&s);
 *
 * Held by tests/query/test_sections.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/table.h"

struct ml_ask;
struct ml_told;

struct ml_section {
	const char *name;      /* "lines": key of JSON, name for --csv */
	const char *title;     /* "Lines" */
	const char *what;      /* a sentence, or NULL */
	struct ml_table table; /* width 0: none */
	size_t all;            /* rows before the table was cut */
	struct ml_buf markup;  /* of pages only: a picture, or a listing */
};

struct ml_sections {
	const char *path, *what; /* "a.mle", "an ensemble of simulations" */
	const char *second;      /* what path is compared with; NULL: nothing */
	size_t rows;             /* of a table at most */
	struct ml_fact {
		const char *key, *text; /* text NULL: a number */
		uint64_t number;
	} * facts;
	const char **notes;
	struct ml_section *sections;
	size_t fact_count, fact_cap, note_count, note_cap, count, cap;
	struct ml_arena arena; /* owns the texts */
};

/* The key has _ for spaces: "lines_left_out". */
void ml_sections_number(struct ml_sections *s, const char *key, uint64_t v);
void ml_sections_text(struct ml_sections *s, const char *key, const char *text);
void ml_sections_note(struct ml_sections *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Takes a table, whose columns are copied and whose rows are cut. `all`: how many rows
 * there are if the table was cut before; 0: as many as it has.
 */
void ml_sections_table(struct ml_sections *s, const char *name, const char *title,
		       const char *what, struct ml_table *table, size_t all);
/* Totals of two documents side by side: name, a, b, change. */
struct ml_table ml_sections_totals(void);
void ml_sections_total(struct ml_table *t, const char *name, uint64_t a, uint64_t b);
/* Begins a section that only pages have; returns where its markup goes. */
struct ml_buf *ml_sections_markup(struct ml_sections *s, const char *name,
				  const char *title, const char *what);
/* The same for a text, line by line as it stands. */
void ml_sections_listing(struct ml_sections *s, const char *name, const char *title,
			 const char *text, size_t size);
/* The same for a bar chart: values from the left to the right, and the ends of the axis. */
void ml_sections_histogram(struct ml_sections *s, const char *name, const char *title,
			   const char *what, const double *value, size_t n,
			   const char *unit, const char *low, const char *high);
/* The same for a bar a name. Values that are not above 0 have no bar. */
struct ml_bar {
	const char *name, *text; /* text: the value as people read it */
	double value;
};
void ml_sections_bars(struct ml_sections *s, const char *name, const char *title,
		      const char *what, const struct ml_bar *bars, size_t n);

/* Appends it in the form that is asked for; fails if there is no such table. */
bool ml_sections_tell(const struct ml_sections *s, const struct ml_ask *q,
		      struct ml_told *t, struct ml_err *err);
void ml_sections_html(const struct ml_sections *s, struct ml_buf *out);
void ml_sections_release(struct ml_sections *s);
