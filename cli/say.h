/*
 * Writes text for people, sentences and tables, into a buffer, at most 100 columns wide.
 * Texts that the say_ functions return live until say_end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_buf;
struct ml_machine;
struct ml_profile;
struct ml_table;
struct ml_trace;

struct say {
	struct ml_buf *out;
	int columns;
	struct ml_arena arena;
};

void say_start(struct say *s, struct ml_buf *out);
void say_end(struct say *s);

void say(struct say *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Writes the table, indented, and how many of `all` rows it leaves out; releases the
 * table.
 */
void say_table(struct say *s, struct ml_table *table, size_t all, const char *what);

const char *say_count(struct say *s, uint64_t v); /* "1,234,567" */
const char *say_bytes(struct say *s, uint64_t v); /* "31.2 MiB" */
const char *say_plural(uint64_t n, const char *one, const char *many);
double say_share(uint64_t part, uint64_t whole);      /* 0 if whole is 0 */
const char *say_percent(struct say *s, double share); /* "12.3 %", "0.02 %" */
const char *say_cut(struct say *s, const char *name, size_t room);
/* The well-known name of a library function: memset for __memset_avx2_unaligned_erms. */
const char *say_plain_name(struct say *s, const char *name);

/* "on skylake: L1 32.0 KiB, L2 1.0 MiB" */
void say_machine(struct say *s, const struct ml_machine *m);

/*
 * Writes a line for each kind of damage and gap of a trace; nothing if the trace is
 * whole. `damage` tells why only `done` references could be read, or is NULL.
 */
void say_missing(struct say *s, const struct ml_trace *t, const char *damage,
		 uint64_t done);

/* Writes a line that a signal stopped the simulation of the window of p. */
void say_stopped(struct say *s, const struct ml_profile *p);
