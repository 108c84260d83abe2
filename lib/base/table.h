/*
 * Tables: rows of typed cells under headings, printed as aligned text for
 * people, as JSON or CSV for programs. Text rounds and groups digits (1,234,567;
 * 31.2 MiB); JSON and CSV are exact.
 *
 *	static const struct ml_column columns[] = {
 *		{ "references", .kind = ML_COLUMN_COUNT },
 *		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
 *		{ "region", .kind = ML_COLUMN_TEXT },
 *	};
 *	struct ml_table t = { .columns = columns, .width = 3 };
 *
 *	ml_table_count(&t, 1200);
 *	ml_table_real(&t, 0.25);
 *	ml_table_text(&t, "A");
 *	ml_table_print(&t, 80, &out);
 *	ml_table_release(&t);
 *
 * Cells are added in the order of the columns; a row is there when it is full.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_buf;
struct ml_json;

enum ml_column_kind {
	ML_COLUMN_TEXT,
	ML_COLUMN_COUNT,   /* uint64_t */
	ML_COLUMN_REAL,    /* double */
	ML_COLUMN_PERCENT, /* double, 1.0 shown as 100 % */
	ML_COLUMN_BYTES,   /* uint64_t */
	ML_COLUMN_ADDRESS, /* uint64_t, shown in hexadecimal; a string in JSON */
};

struct ml_column {
	const char *key; /* of JSON and CSV */
	enum ml_column_kind kind;
	const char *heading; /* of text, the key if NULL */
	int decimals;        /* of real and percent, in text */
};

struct ml_table {
	const struct ml_column *columns;
	size_t width; /* number of columns */
	struct ml_cell *cells;
	size_t count, cap;     /* of cells */
	struct ml_arena arena; /* owns their text */
};

void ml_table_text(struct ml_table *t, const char *text); /* copied; NULL is no value */
void ml_table_count(struct ml_table *t, uint64_t v);      /* also bytes and addresses */
void ml_table_real(struct ml_table *t, double v);         /* also percent */
void ml_table_none(struct ml_table *t);                   /* "-", null, or nothing */
size_t ml_table_rows(const struct ml_table *t);
void ml_table_release(struct ml_table *t);

/*
 * Aligned text. When columns (of a terminal) is not 0, the last text column is
 * cut, with an ellipsis, so that lines fit.
 */
void ml_table_print(const struct ml_table *t, int columns, struct ml_buf *out);

/* An array of objects, as the next value of the writer. */
void ml_table_json(const struct ml_table *t, struct ml_json *w);

/* RFC 4180, with a line of headings. */
void ml_table_csv(const struct ml_table *t, struct ml_buf *out);
void ml_table_csv_text(struct ml_buf *out,
		       const char *text); /* one field, quoted if needed */

/* The forms that text tables use, for sentences: "1,234,567" and "31.2 MiB". */
enum { ML_NUMBER_ROOM = 32 };
const char *ml_format_count(char text[ML_NUMBER_ROOM], uint64_t v);
const char *ml_format_bytes(char text[ML_NUMBER_ROOM], uint64_t v);
