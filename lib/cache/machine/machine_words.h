/*
 * The scanner of machine texts: parts separated by |, words separated by blanks, without
 * regard to case; numbers with units; suggestions for unknown words.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ML_WORD_ROOM = 32 };

struct ml_words {
	const char *at;           /* what follows the word */
	char word[ML_WORD_ROOM];  /* in lower case; empty at a | and at the end */
	char shown[ML_WORD_ROOM]; /* as the user wrote it, for messages */
};

void ml_words_next(struct ml_words *w);

/* The best suggestion among the words offered so far. */
struct ml_nearest {
	const char *word; /* NULL: no word is near */
	unsigned changes; /* letters to change, add or drop */
};

void ml_nearest_offer(struct ml_nearest *n, const char *written, const char *candidate);

enum { ML_HINT_ROOM = ML_WORD_ROOM + 24 };
/* "; did you mean 'lru'?" or nothing. */
const char *ml_nearest_hint(const struct ml_nearest *n, char room[ML_HINT_ROOM]);

struct ml_quantity {
	uint64_t whole, part, parts; /* whole + part / parts; parts at most 10^9 */
	const char *unit;            /* the text behind the number */
};

/* False if the number does not fit. */
bool ml_quantity_scan(struct ml_quantity *q, const char *text);
