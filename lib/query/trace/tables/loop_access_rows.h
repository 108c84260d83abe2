/*
 * How the accesses of a trace move by the loops around them (lib/analyse/loops/
 * loop_accesses.h), as rows for the command line and the page: the most references first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/loops/loop_accesses.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

struct ml_buf;
struct ml_trace;
struct ml_work;

/* A loop around an access. */
struct ml_loop_access_level {
	const char *file; /* empty: not known */
	uint32_t line;
	uint64_t address; /* of its first block */
	enum ml_loop_motion motion;
	int64_t step; /* bytes by iteration: always or mostly */
};

struct ml_loop_access_row {
	const char *func, *file; /* of the instruction */
	uint32_t line;
	const char *data; /* the region that it touched first, or empty */
	uint16_t what;
	uint64_t refs;
	unsigned levels; /* the innermost loop first */
	struct ml_loop_access_level level[ML_LOOP_LEVELS];
};

struct ml_loop_access_rows {
	struct ml_loop_access_row *at; /* of accesses in loops */
	size_t count;
	uint64_t refs; /* of the trace */
	struct ml_arena arena;
};

bool ml_loop_access_rows_make(struct ml_loop_access_rows *r, struct ml_trace *t,
			      const struct ml_work *work, struct ml_err *err);
void ml_loop_access_rows_release(struct ml_loop_access_rows *r);

/* At most `top` rows; 0: all. */
void ml_loop_access_rows_text(const struct ml_loop_access_rows *r, size_t top,
			      int columns, struct ml_buf *out);
void ml_loop_access_rows_csv(const struct ml_loop_access_rows *r, size_t top,
			     struct ml_buf *out);
void ml_loop_access_rows_json(const struct ml_loop_access_rows *r, size_t top,
			      struct ml_buf *out);
