/*
 * A table of a simulation, whose columns depend on the machine. The user adds all
 * columns, then the cells row by row. An empty text is an unknown value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/table.h"

struct ml_machine;
struct ml_profile;
struct ml_profile_count;

enum { ML_SHEET_COLUMNS_MAX = 96 };

struct ml_sheet {
	const struct ml_profile *p;
	const struct ml_machine *m;
	uint64_t top; /* rows at most */
	struct ml_column columns[ML_SHEET_COLUMNS_MAX];
	struct ml_table table;
	struct ml_arena arena;
};

void ml_sheet_start(struct ml_sheet *s, const struct ml_profile *p, uint64_t top);
void ml_sheet_end(struct ml_sheet *s);

void ml_sheet_column(struct ml_sheet *s, const char *key, enum ml_column_kind kind);
void ml_sheet_columns(struct ml_sheet *s, enum ml_column_kind kind,
		      const char *const *keys);
#define ML_SHEET_COUNTS(s, ...) \
	ml_sheet_columns(s, ML_COLUMN_COUNT, (const char *const[]){ __VA_ARGS__, NULL })
#define ML_SHEET_TEXTS(s, ...) \
	ml_sheet_columns(s, ML_COLUMN_TEXT, (const char *const[]){ __VA_ARGS__, NULL })
#define ML_SHEET_REALS(s, ...) \
	ml_sheet_columns(s, ML_COLUMN_REAL, (const char *const[]){ __VA_ARGS__, NULL })
const char *ml_sheet_key(struct ml_sheet *s, const char *level,
			 const char *what); /* L1_misses */

void ml_sheet_text(struct ml_sheet *s, const char *v);
void ml_sheet_count(struct ml_sheet *s, uint64_t v);
void ml_sheet_some(struct ml_sheet *s, uint64_t v); /* 0: unknown */
void ml_sheet_sign(struct ml_sheet *s,
		   int64_t v); /* as text, because cells have no sign */

/*
 * The columns of a struct ml_profile_count, and their cells; all: with kinds and causes.
 */
void ml_sheet_count_columns(struct ml_sheet *s, bool all);
void ml_sheet_count_cells(struct ml_sheet *s, const struct ml_profile_count *c, bool all);
