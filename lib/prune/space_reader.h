/*
 * What the parser of search spaces reads with: tokens with their places, and the meanings
 * of names. space_expression.h and space_parse.c stand on it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/prune/space.h"

enum { ML_SPACE_WORDS = 8 }; /* of permutations */

enum ml_token {
	ML_TOKEN_END,
	ML_TOKEN_NEWLINE,
	ML_TOKEN_NAME,
	ML_TOKEN_NUMBER,
	ML_TOKEN_STRING,
	ML_TOKEN_PUNCTUATION, /* one or two characters, in `text` */
};

/* What a name stands for. */
struct ml_space_meaning {
	enum {
		ML_SPACE_NOTHING,
		ML_SPACE_PARAM,
		ML_SPACE_DERIVED,
		ML_SPACE_WORD,
		ML_SPACE_CONSTRAINT
	} is;
	uint32_t number; /* of the parameter; node of a derived value */
	int64_t value;   /* of a word */
	bool ambiguous;  /* a word that stands for two values */
};

struct ml_space_reader {
	struct ml_space *s;
	const char *at, *end;
	const char *line_start;
	unsigned line;
	unsigned nested; /* open parentheses: inside, a new line is a space */
	unsigned depth;  /* of the expression, bounded for the stack's sake */
	/* the token that is being looked at */
	enum ml_token token;
	const char *text; /* of it */
	size_t size;
	unsigned token_line, token_column;
	const char *token_end; /* of the token before: where an expression ends */
	int64_t number;
	struct ml_names names;
	struct ml_space_meaning *meanings; /* by the numbers of names */
	size_t meaning_cap;
	struct ml_err *err;
};

/* Steps to the next token. */
bool ml_space_reader_step(struct ml_space_reader *r);
/* Whether the token is this name or sign. */
bool ml_space_reader_is(const struct ml_space_reader *r, const char *text);
/* Steps over a token that must be there; where is for the message. */
bool ml_space_reader_expect(struct ml_space_reader *r, const char *text,
			    const char *where);
/* The token as messages show it. */
const char *ml_space_reader_shown(const struct ml_space_reader *r);
/* The meaning of a name, a new one being nothing. */
struct ml_space_meaning *ml_space_reader_meaning(struct ml_space_reader *r,
						 const char *text, size_t size);
/* Fails with path, line and column before the sentence; ML_SPACE_FAIL: at the token. */
bool ml_space_reader_fail(struct ml_space_reader *r, unsigned line, unsigned column,
			  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
#define ML_SPACE_FAIL(r, ...) \
	ml_space_reader_fail(r, (r)->token_line, (r)->token_column, __VA_ARGS__)
