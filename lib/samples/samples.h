/*
 * A table of samples: what the machine measured about single memory accesses. It has
 * one column an attribute and one row a sample; a column holds numbers or names. Columns
 * that analyses look for have a role (sample_role.h). Cells are exact: 64-bit addresses
 * stay integers.
 *
 * Tables come from files of other tools (read_samples.h) or from a file of ours
 * (samples_file.h); samples_make.h fills them. A table does not change once it is complete.
 * Held by tests/samples/test_samples.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/map.h"
#include "lib/samples/sample_role.h"
#include "lib/samples/topology.h"

struct ml_err;

enum ml_samples_kind {
	ML_SAMPLES_UNSIGNED,
	ML_SAMPLES_SIGNED,
	ML_SAMPLES_REAL,
	ML_SAMPLES_NAMES, /* cells are numbers of names */
	ML_SAMPLES_KINDS
};

struct ml_samples_column {
	const char *name;
	enum ml_samples_kind kind;
	enum ml_samples_role role;
	bool hex; /* numbers are shown in hexadecimal */
	/*
	 * A cell has 1, 2, 4 or 8 bytes; the value is base + cell, modulo 2^64. The value
	 * of a real number is its bits.
	 */
	unsigned width;
	uint64_t base;
	const void *cells;
	const uint64_t *missing; /* a bit a row: the cell has no value; NULL: all have */
	uint64_t missing_count;
	uint64_t min, max; /* of the values there are, as bits; 0 and 0: there are none */
	const char *const *names;
	size_t name_count;

	/* While the table is made: */
	uint64_t *wide; /* values; NULL once the column is packed */
	size_t wide_cap;
	uint64_t *holes; /* bits as in missing, or NULL */
	size_t hole_words;
	struct ml_names dictionary;
	void *owned; /* cells that are not in the map */
};

/* Columns of a table that is read, and with those that are derived. */
enum { ML_SAMPLES_FOREIGN_MAX = 4096, ML_SAMPLES_COLUMNS_MAX = 4104 };
enum { ML_SAMPLES_BAD_SHOWN = 10 };

struct ml_samples {
	const char *path;   /* of the file or folder that was opened */
	const char *format; /* "mitos", "perf-script", "csv" */
	const char *note;   /* what was assumed while reading, a sentence; or "" */
	uint64_t rows;
	struct ml_samples_column *columns;
	size_t count, cap;
	int role[ML_SAMPLES_ROLES];  /* index of the column; -1: none */
	struct ml_topology topology; /* no nodes: unknown */
	uint64_t skipped;            /* records that are no memory access */
	uint64_t bad;                /* lines that could not be read */
	struct ml_samples_bad {
		uint64_t line;
		const char *reason;
	} bad_shown[ML_SAMPLES_BAD_SHOWN];
	struct ml_arena arena;
	struct ml_file_map map; /* data is NULL if the table is in memory */
};

void ml_samples_init(struct ml_samples *s);
void ml_samples_close(struct ml_samples *s);

/* Index of a column by its name, without regard to case; -1: there is none. */
int ml_samples_find(const struct ml_samples *s, const char *name);
/* The column with a role, or NULL. */
const struct ml_samples_column *ml_samples_role(const struct ml_samples *s,
						enum ml_samples_role role);
const char *ml_samples_kind_name(const struct ml_samples_column *c); /* "hexadecimal" */

/* The column of latencies if it holds integers, or NULL. Timed loads may have taken less
 * than the mean cost of a measurement, which is subtracted: then they are negative. */
const struct ml_samples_column *ml_samples_latency(const struct ml_samples *s);
/* The column of CPUs if it holds integers, or NULL; one below 0 is not known. */
const struct ml_samples_column *ml_samples_cpu(const struct ml_samples *s);
/* Samples of CPUs that the hardware does not have: it is that of another machine. */
uint64_t ml_samples_elsewhere(const struct ml_samples *s);
/* A sum of latencies, as bits; 0 if it is negative. */
static inline uint64_t ml_samples_cycles(uint64_t sum)
{
	return sum >> 63 ? 0 : sum;
}

/* The bits of a cell, missing or not; those of a missing cell are base. */
static inline uint64_t ml_samples_bits(const struct ml_samples_column *c, size_t row)
{
	switch (c->width) {
	case 1: return c->base + ((const uint8_t *)c->cells)[row];
	case 2: return c->base + ((const uint16_t *)c->cells)[row];
	case 4: return c->base + ((const uint32_t *)c->cells)[row];
	default: return c->base + ((const uint64_t *)c->cells)[row];
	}
}

static inline bool ml_samples_missing(const struct ml_samples_column *c, size_t row)
{
	return c->missing && c->missing[row / 64] >> row % 64 & 1;
}

/* A value as a real number, rounded if it is a large integer. */
static inline double ml_samples_to_real(const struct ml_samples_column *c, uint64_t bits)
{
	double v;

	if (c->kind == ML_SAMPLES_SIGNED)
		return (double)(int64_t)bits;
	if (c->kind != ML_SAMPLES_REAL)
		return (double)bits;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* A number that orders values of the column as uint64_t, without loss. */
static inline uint64_t ml_samples_key(const struct ml_samples_column *c, uint64_t bits)
{
	if (c->kind == ML_SAMPLES_SIGNED)
		return bits ^ 1ull << 63;
	if (c->kind == ML_SAMPLES_REAL)
		return bits >> 63 ? ~bits : bits | 1ull << 63;
	return bits;
}

/* The text of a value, as in the file: a name, or a number in the base of its column. */
enum { ML_SAMPLES_TEXT = 32 };
const char *ml_samples_text(const struct ml_samples_column *c, uint64_t bits,
			    char text[ML_SAMPLES_TEXT]);
