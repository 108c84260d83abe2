/*
 * References that are alike: same site, region, thread, kind and outcome. A result counts
 * them for every 2^16 references, so a question about a long window is answered from some
 * thousand rows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;
struct ml_bytes;
struct ml_err;

enum {
	ML_RESULT_PART = 1 << 16, /* references that one set of rows counts */
	ML_RESULT_RECENT = 256,
};

struct ml_result_row {
	uint32_t site; /* of the caller in the user's code, if there is one */
	uint32_t region;
	uint16_t thread, outcome;
	uint32_t kind; /* enum ml_kind */
	uint32_t count;
	int64_t beyond; /* cycles of all of them beyond those of their serving levels */
};

/* A set of rows. Zero bytes are an empty one. */
struct ml_result_rows {
	struct ml_result_row *row;
	size_t count, cap;
	uint32_t *slot; /* row + 1 by hash; 0: empty; used only while rows are added */
	size_t slots;
	uint32_t recent[ML_RESULT_RECENT]; /* by site: the last row that was counted */
};

/* Counts one more reference like r, with the cycles that it pays beyond. */
void ml_result_rows_add(struct ml_result_rows *x, const struct ml_result_row *r);
/* Writes the rows as bytes, sorted; the set is empty afterwards. */
void ml_result_rows_put(struct ml_result_rows *x, struct ml_buf *out);
/* Replaces the rows of x by those read; levels is that of the machine, the numbers of
 * sites and regions are below the ends. */
bool ml_result_rows_get(struct ml_bytes *in, struct ml_result_rows *x, uint32_t version,
			unsigned levels, uint64_t site_end, uint64_t region_end,
			struct ml_err *err);
void ml_result_rows_release(struct ml_result_rows *x);

/*
 * Sums of cycles beyond those of serving levels. At most 2^50, so that
 * thousands can be added up.
 */
void ml_result_put_cycles(struct ml_buf *out, int64_t cycles);
int64_t ml_result_get_cycles(struct ml_bytes *in);
