/*
 * One line of a trace as text (text.h), read word by word.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/trace/text/scan.h"

struct ml_err;
struct ml_text;

/* The part of the line that is not read yet. */
struct ml_text_line {
	struct ml_text *t;
	const char *at, *end;
	struct ml_err *err;
};

/* Fails with a sentence that names file, line and word. */
bool ml_text_bad(const struct ml_text_line *l, const char *reason, struct ml_scan_word w);
/* Reads a word. At the end of the line: false, and the word is empty. */
bool ml_text_word(struct ml_text_line *l, struct ml_scan_word *w);
/* Reads a quoted text; *w is the text without escapes, in scratch. */
bool ml_text_unquote(struct ml_text_line *l, struct ml_scan_word *w);
/* Reads a word or a quoted text. */
bool ml_text_name(struct ml_text_line *l, struct ml_scan_word *w);
/* Reads a number; `what` is the reason if there is none. */
bool ml_text_number(struct ml_text_line *l, const char *what, uint64_t *value);
/* The rest of the line up to a comment, without the blanks around it. */
struct ml_scan_word ml_text_rest(struct ml_text_line *l);
