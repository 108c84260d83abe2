/*
 * A selection: a set of rows of a sample table, a bit a row. Set operations are exact and
 * cost a pass over the bits. A selection can be written as a text, so that requests, the
 * address of the page and the command line name the same set:
 *
 *	latency >= 100 and (cpu 0..7 or variable = m_x) and not level = L1
 *
 * A condition is one of
 *
 *	COLUMN OP VALUE      OP is = != < <= > >= or ~ (contains)
 *	COLUMN LOW..HIGH     both included; names are given by number: #3..#9
 *
 * "and", "or", "xor" and "not" join conditions. Names with blanks stand in quotes. A
 * column is also named by its role (time, cpu). A cell without a value meets no condition.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_err;
struct ml_samples;
struct ml_samples_column;

struct ml_selection {
	uint64_t *words; /* bits behind the last row are 0 */
	uint64_t rows;
};

enum ml_selection_op {
	ML_SELECTION_NEW,    /* a becomes b */
	ML_SELECTION_ADD,    /* a or b */
	ML_SELECTION_FILTER, /* a and b */
	ML_SELECTION_TOGGLE, /* a exclusive or b */
	ML_SELECTION_REMOVE  /* a and not b */
};

struct ml_selection ml_selection_none(uint64_t rows, struct ml_arena *a);
struct ml_selection ml_selection_all(uint64_t rows, struct ml_arena *a);
void ml_selection_combine(struct ml_selection *a, const struct ml_selection *b,
			  enum ml_selection_op op);
void ml_selection_invert(struct ml_selection *a);
uint64_t ml_selection_count(const struct ml_selection *a);

static inline bool ml_selection_has(const struct ml_selection *a, uint64_t row)
{
	return a->words[row / 64] >> row % 64 & 1;
}

static inline uint64_t ml_selection_words(uint64_t rows)
{
	return (rows + 63) / 64;
}

/*
 * Rows whose key (ml_samples_key, in the order of the column) lies from low to high, both
 * included; cells without a value are left out. Replaces what sel held.
 */
void ml_selection_keys(struct ml_selection *sel, const struct ml_samples_column *c,
		       uint64_t low, uint64_t high);
/* Rows whose name is chosen; chosen has an element a name. */
void ml_selection_names(struct ml_selection *sel, const struct ml_samples_column *c,
			const bool *chosen);
/* Reads the text above; NULL and "" select all rows. */
bool ml_selection_parse(struct ml_selection *sel, const struct ml_samples *s,
			const char *text, struct ml_arena *a, struct ml_err *err);
