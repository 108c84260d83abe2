/*
 * Tables: rows of typed cells with headings, printed as aligned text for people and as
 * JSON or CSV for programs. Text rounds and groups digits (1,234,567; 31.2 MiB); JSON
 * and CSV have exact numbers.
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
 * Callers add cells in the order of the columns, row after row.
 * Held by tests/base/test_table.c.
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
	const char *key; /* in JSON and CSV */
	enum ml_column_kind kind;
	const char *heading; /* in text; NULL: the key */
	int decimals;        /* of real and percent, in text */
};

struct ml_table {
	const struct ml_column *columns;
	size_t width; /* number of columns */
	struct ml_table_cell *cells;
	size_t count, cap;     /* of cells */
	struct ml_arena arena; /* owns the text of cells */
};

void ml_table_text(struct ml_table *t, const char *text); /* copied; NULL is no value */
void ml_table_count(struct ml_table *t, uint64_t v);      /* also bytes and addresses */
void ml_table_real(struct ml_table *t, double v);         /* also percent */
void ml_table_no_value(struct ml_table *t);               /* "-", null, or empty */
size_t ml_table_rows(const struct ml_table *t);
void ml_table_release(struct ml_table *t);

/*
 * Aligned text. Unless `columns`, the width of the terminal, is 0, texts in the last text
 * column are cut, with an ellipsis, so that lines fit.
 */
void ml_table_print(const struct ml_table *t, int columns, struct ml_buf *out);

/* An array of objects, as the next value of the writer. */
void ml_table_json(const struct ml_table *t, struct ml_json *w);

/* A <table> of HTML; texts are escaped. Numbers have the class n, texts t. */
void ml_table_html(const struct ml_table *t, struct ml_buf *out);

/* CSV by RFC 4180, with a header line. */
void ml_table_csv(const struct ml_table *t, struct ml_buf *out);
/* One field of CSV, quoted if needed. */
void ml_table_csv_text(struct ml_buf *out, const char *text);

/* Numbers as in text tables, for sentences: "1,234,567" and "31.2 MiB". */
enum { ML_NUMBER_ROOM = 32 };
const char *ml_format_count(char text[ML_NUMBER_ROOM], uint64_t v);
const char *ml_format_bytes(char text[ML_NUMBER_ROOM], uint64_t v);
