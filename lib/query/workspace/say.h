/*
 * Writes text for people, sentences and tables, into a buffer, at most 100 columns wide.
 * Texts that these functions return live until ml_say_end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_buf;
struct ml_table;

struct ml_say {
	struct ml_buf *out;
	int columns;
	struct ml_arena arena;
};

/* columns: the width of the terminal; 0: there is none. */
void ml_say_start(struct ml_say *s, struct ml_buf *out, int columns);
void ml_say_end(struct ml_say *s);

void ml_say(struct ml_say *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes the table, indented, and how many of `all` rows it leaves out. */
void ml_say_rows(struct ml_say *s, const struct ml_table *table, size_t all,
		 const char *what);
/* The same, and releases the table. */
void ml_say_table(struct ml_say *s, struct ml_table *table, size_t all, const char *what);

const char *ml_say_count(struct ml_say *s, uint64_t v); /* "1,234,567" */
const char *ml_say_bytes(struct ml_say *s, uint64_t v); /* "31.2 MiB" */
const char *ml_say_plural(uint64_t n, const char *one, const char *many);
double ml_say_share(uint64_t part, uint64_t whole);         /* 0 if whole is 0 */
const char *ml_say_percent(struct ml_say *s, double share); /* "12.3 %", "0.02 %" */
const char *ml_say_cut(struct ml_say *s, const char *name, size_t room);
/* The well-known name of a library function: memset for __memset_avx2_unaligned_erms. */
const char *ml_say_plain_name(struct ml_say *s, const char *name);
