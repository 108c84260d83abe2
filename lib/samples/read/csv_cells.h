/*
 * The cells of separated values: what a column looks like, the type that follows from it,
 * and the value of a cell. A type belongs to a whole column, never to a cell.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/samples/samples.h"
#include "lib/trace/text/scan.h"

enum ml_csv_type {
	ML_CSV_DECIMAL,
	ML_CSV_HEX,
	ML_CSV_NEGATIVE,
	ML_CSV_REAL,
	ML_CSV_NAMES
};

/* What the cells of a column look like. */
struct ml_csv_seen {
	uint64_t decimal; /* digits only */
	uint64_t hex;     /* hexadecimal digits with a letter, without 0x */
	uint64_t digit;   /* of those, with a decimal digit */
	uint64_t either;  /* hexadecimal or real: 1e5 */
	uint64_t prefixed, negative, real, missing, other;
};

void ml_csv_look(struct ml_csv_seen *n, struct ml_scan_word w);
/* Adds what another part of the column looks like. */
void ml_csv_seen_add(struct ml_csv_seen *n, const struct ml_csv_seen *x);
/*
 * The type of a column. A few cells that do not fit a column of numbers are bad lines,
 * up to one in a hundred, or one in two if the role of the column asks for numbers.
 */
enum ml_csv_type ml_csv_choose(const struct ml_csv_seen *n, enum ml_samples_role role);

bool ml_csv_missing(struct ml_scan_word w);
/* The value of a cell of a column of numbers; false: it is none. */
bool ml_csv_value(enum ml_csv_type type, struct ml_scan_word w, uint64_t *bits);
