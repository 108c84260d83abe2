/*
 * The smallest and the largest values that sites store, as recorded by `memlamp record
 * --values`. A store of several elements at once counts as elements of 2, 4 and of 8
 * bytes. Values are signed.
 *
 * As text, the form in which a trace keeps them: for each site its number and a pair for
 * each width that it stores, the smallest width first: "12 -3 7 -3 7;15 0 1".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;

enum { ML_VALUE_WIDTHS = 3 }; /* 2, 4 and 8 bytes */

struct ml_stored_value {
	uint32_t site;
	unsigned widths; /* how many of the following are known */
	int64_t min[ML_VALUE_WIDTHS], max[ML_VALUE_WIDTHS];
};

/* Appends one entry. */
void ml_stored_values_print(const struct ml_stored_value *v, struct ml_buf *out);
/*
 * Reads the entry at *text, which moves on behind it. False: there is none, and *text is
 * "" at the end of a correct text.
 */
bool ml_stored_values_next(const char **text, struct ml_stored_value *v);
