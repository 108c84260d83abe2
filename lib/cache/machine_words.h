/*
 * The words of a text that describes a machine: parts apart by |, words by blanks,
 * upper and lower case the same; numbers with units; near spellings of words that
 * nobody knows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ML_WORD_ROOM = 32 };

struct ml_words {
	const char *at;           /* behind the word */
	char word[ML_WORD_ROOM];  /* in lower case; empty at a | and at the end */
	char shown[ML_WORD_ROOM]; /* as it was written, for messages */
};

void ml_words_next(struct ml_words *w);

/* The nearest spelling of those offered, if one is near. */
struct ml_nearest {
	const char *word; /* or NULL */
	unsigned changes; /* of letters, to make it what was written */
};

void ml_nearest_offer(struct ml_nearest *n, const char *written, const char *candidate);

enum { ML_HINT_ROOM = ML_WORD_ROOM + 24 };
/* "; did you mean 'lru'?" or nothing. */
const char *ml_nearest_hint(const struct ml_nearest *n, char room[ML_HINT_ROOM]);

struct ml_quantity {
	uint64_t whole, part, parts; /* whole + part / parts; parts at most 10^9 */
	const char *unit;            /* what stands behind it */
};

/* False when it does not fit. */
bool ml_quantity_scan(struct ml_quantity *q, const char *text);
