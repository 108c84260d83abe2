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

enum { ML_LEVEL_TABLE_COLUMNS_MAX = 96 };

struct ml_level_table {
	const struct ml_profile *p;
	const struct ml_machine *m;
	uint64_t top; /* rows at most */
	struct ml_column columns[ML_LEVEL_TABLE_COLUMNS_MAX];
	struct ml_table table;
	struct ml_arena arena;
};

void ml_level_table_start(struct ml_level_table *s, const struct ml_profile *p,
			  uint64_t top);
void ml_level_table_end(struct ml_level_table *s);

void ml_level_table_column(struct ml_level_table *s, const char *key,
			   enum ml_column_kind kind);
void ml_level_table_columns(struct ml_level_table *s, enum ml_column_kind kind,
			    const char *const *keys);
#define ML_LEVEL_TABLE_COUNTS(s, ...) \
	ml_level_table_columns(s, ML_COLUMN_COUNT, \
			       (const char *const[]){ __VA_ARGS__, NULL })
#define ML_LEVEL_TABLE_TEXTS(s, ...) \
	ml_level_table_columns(s, ML_COLUMN_TEXT, \
			       (const char *const[]){ __VA_ARGS__, NULL })
#define ML_LEVEL_TABLE_REALS(s, ...) \
	ml_level_table_columns(s, ML_COLUMN_REAL, \
			       (const char *const[]){ __VA_ARGS__, NULL })
const char *ml_level_table_key(struct ml_level_table *s, const char *level,
			       const char *what); /* L1_misses */

void ml_level_table_text(struct ml_level_table *s, const char *v);
void ml_level_table_count(struct ml_level_table *s, uint64_t v);
void ml_level_table_some(struct ml_level_table *s, uint64_t v); /* 0: unknown */
void ml_level_table_sign(struct ml_level_table *s,
			 int64_t v); /* as text, because cells have no sign */

/*
 * The columns of a struct ml_profile_count, and their cells; all: with kinds and causes.
 */
void ml_level_table_count_columns(struct ml_level_table *s, bool all);
void ml_level_table_count_cells(struct ml_level_table *s,
				const struct ml_profile_count *c, bool all);
