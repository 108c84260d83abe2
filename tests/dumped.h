/*
 * A trace as the lines that `memlamp dump --events` prints, to be compared with
 * what a test expects of it.
 */
#pragma once

#include "lib/base/buf.h"
#include "lib/query/trace/tables/dump.h"
#include "lib/trace/text/text.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/test.h"

/* Adds the rows to out, with a 0 byte behind them. */
static inline void dumped_rows(struct ml_trace *t, const struct ml_dump_filter *f,
			       struct ml_buf *out)
{
	const struct ml_tables *tables = &t->tables;
	struct ml_dump_row row;
	struct ml_dump d;
	struct ml_err err;

	CHECK_OK(ml_dump_open(&d, t, f, &err), &err);
	while (ml_dump_next(&d, &row, &err)) {
		if (row.kind == ML_DUMP_REF)
			ml_text_put_ref(out, tables, &row.ref,
					strcmp(row.datum, "other") ? row.datum : NULL);
		else if (row.mark)
			ml_text_put_mark(out, tables, row.mark);
		else if (row.state)
			ml_text_put_state(out, tables, row.state);
		else if (row.gap)
			ml_text_put_gap(out, row.gap);
		else if (row.kind == ML_DUMP_BEGIN)
			ml_text_put_begin(out, tables, row.block);
		else
			ml_text_put_end(out, tables, row.block);
	}
	CHECK_EQ(err.kind, ML_OK);
	ml_dump_close(&d);
	ml_buf_u8(out, 0);
}

static inline void dumped(const char *path, struct ml_buf *out)
{
	struct ml_dump_filter all = { .to = UINT64_MAX,
				      .count = UINT64_MAX,
				      .blocks = true };
	struct ml_trace t;
	struct ml_err err;

	CHECK_OK(ml_trace_open(&t, path, &err), &err);
	out->size = 0;
	dumped_rows(&t, &all, out);
	ml_trace_close(&t);
}

/* Compares and gives the lines' memory back. */
static inline void dumped_is(const char *path, const char *lines)
{
	struct ml_buf out = { 0 };

	dumped(path, &out);
	CHECK_STR((const char *)out.data, lines);
	ml_buf_release(&out);
}
