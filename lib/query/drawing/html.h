/*
 * A page of HTML that needs neither a server nor a script and loads nothing from the
 * network: its style forbids both (Content-Security-Policy). Light and dark colours follow
 * the reader's settings; it prints light. Foreign bytes, such as names and source text, are
 * escaped.
 *
 *	struct ml_html h = { .out = &buf };
 *
 *	ml_html_begin(&h, "matmul", 0);
 *	ml_html_wrap(&h, "<p>", text, "</p>\n");
 *	ml_html_end(&h, "Made by memlamp.");
 *	ml_arena_release(&h.arena);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_buf;

struct ml_html {
	struct ml_buf *out;
	struct ml_arena arena; /* owns the texts that the functions below return */
};

/*
 * Writes the head, and begins the header with the title. numbers: columns of numbers in
 * front of a line of source text; 0: the page has no source text.
 */
void ml_html_begin(struct ml_html *h, const char *title, unsigned numbers);
/* Writes the footer, which is markup. */
void ml_html_end(struct ml_html *h, const char *footer);

/* Writes markup as it is; no argument may be foreign text. */
void ml_html_put(struct ml_html *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes foreign text, escaped. */
void ml_html_text(struct ml_html *h, const char *text);
/* Writes foreign text between two pieces of markup. */
void ml_html_wrap(struct ml_html *h, const char *open, const char *text,
		  const char *close);
/* "and 12 more regions" below a table. */
void ml_html_more(struct ml_html *h, size_t all, size_t shown, const char *what);

const char *ml_html_count(struct ml_html *h, uint64_t v);
const char *ml_html_bytes(struct ml_html *h, uint64_t v);
const char *ml_html_percent(struct ml_html *h, double share);
/* In three digits: "1.25 M". */
const char *ml_html_short(struct ml_html *h, uint64_t v);
