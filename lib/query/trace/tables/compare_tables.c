#include "lib/query/trace/tables/compare_tables.h"

#include <math.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/analysed_trace.h"

static const struct ml_column total_columns[] = {
	{ "name", .kind = ML_COLUMN_TEXT },
	{ "a", .kind = ML_COLUMN_REAL },
	{ "b", .kind = ML_COLUMN_REAL },
	{ "change", .kind = ML_COLUMN_REAL },
};

static const struct ml_column row_columns[] = {
	{ "name", .kind = ML_COLUMN_TEXT },
	{ "file", .kind = ML_COLUMN_TEXT },
	{ "function", .kind = ML_COLUMN_TEXT },
	{ "line_a", .kind = ML_COLUMN_COUNT },
	{ "line_b", .kind = ML_COLUMN_COUNT },
	{ "references_a", .kind = ML_COLUMN_COUNT },
	{ "references_b", .kind = ML_COLUMN_COUNT },
	{ "misses_a", .kind = ML_COLUMN_COUNT },
	{ "misses_b", .kind = ML_COLUMN_COUNT },
	{ "memory_a", .kind = ML_COLUMN_COUNT },
	{ "memory_b", .kind = ML_COLUMN_COUNT },
	{ "cycles_a", .kind = ML_COLUMN_REAL },
	{ "cycles_b", .kind = ML_COLUMN_REAL },
};

static const struct ml_column finding_columns[] = {
	{ "state", .kind = ML_COLUMN_TEXT },  { "kind", .kind = ML_COLUMN_TEXT },
	{ "title", .kind = ML_COLUMN_TEXT },  { "region", .kind = ML_COLUMN_TEXT },
	{ "file", .kind = ML_COLUMN_TEXT },   { "line", .kind = ML_COLUMN_COUNT },
	{ "gain_a", .kind = ML_COLUMN_REAL }, { "gain_b", .kind = ML_COLUMN_REAL },
};

static void count_or_none(struct ml_table *t, bool is, uint64_t v)
{
	if (is)
		ml_table_count(t, v);
	else
		ml_table_no_value(t);
}

static void real_or_none(struct ml_table *t, bool is, double v)
{
	if (is)
		ml_table_real(t, v);
	else
		ml_table_no_value(t);
}

static void fill_totals(const struct ml_compare *c, struct ml_table *t)
{
	for (size_t i = 0; i < c->totals.count; i++) {
		const struct ml_compare_total *x = &c->totals.at[i];
		double d = ml_compare_change(x->a, x->b);

		ml_table_text(t, x->key);
		ml_table_real(t, x->a);
		ml_table_real(t, x->b);
		real_or_none(t, !isinf(d), d);
	}
}

static void fill_rows(const struct ml_compare *c, const struct ml_compare_row *rows,
		      size_t count, struct ml_table *t)
{
	unsigned last_a = c->a->simulation.profile->machine.levels + 1;
	unsigned last_b = c->b->simulation.profile->machine.levels + 1;

	for (size_t i = 0; i < count; i++) {
		const struct ml_compare_row *r = &rows[i];

		ml_table_text(t, r->name);
		ml_table_text(t, *r->file ? r->file : NULL);
		ml_table_text(t, *r->func ? r->func : NULL);
		count_or_none(t, r->line_a, r->line_a);
		count_or_none(t, r->line_b, r->line_b);
		count_or_none(t, r->in_a, r->a.refs);
		count_or_none(t, r->in_b, r->b.refs);
		count_or_none(t, r->in_a, r->a.missed[0]);
		count_or_none(t, r->in_b, r->b.missed[0]);
		count_or_none(t, r->in_a, r->a.served[last_a]);
		count_or_none(t, r->in_b, r->b.served[last_b]);
		real_or_none(t, r->in_a, r->a.cycles);
		real_or_none(t, r->in_b, r->b.cycles);
	}
}

static void fill_findings(const struct ml_compare *c, struct ml_table *t)
{
	static const char *const states[] = { "new", "gone", "stayed" };

	for (size_t i = 0; i < c->findings.count; i++) {
		const struct ml_compare_finding *f = &c->findings.at[i];
		const struct ml_finding *n = f->b ? f->b : f->a;

		ml_table_text(t, states[f->state]);
		ml_table_text(t, n->kind);
		ml_table_text(t, n->title);
		ml_table_text(t, *n->region ? n->region : NULL);
		ml_table_text(t, *n->file ? n->file : NULL);
		count_or_none(t, n->line, n->line);
		real_or_none(t, f->a, f->a ? f->a->gain : 0);
		real_or_none(t, f->b, f->b ? f->b->gain : 0);
	}
}

enum { TABLES = 4 };
static const char *const table_names[TABLES] = { "totals", "lines", "regions",
						 "findings" };

static struct ml_table make_table(const struct ml_compare *c, size_t which, size_t top)
{
	struct ml_table t = { .columns = row_columns,
			      .width = sizeof(row_columns) / sizeof(*row_columns) };
	size_t lines = c->lines.count < top ? c->lines.count : top;
	size_t regions = c->regions.count < top ? c->regions.count : top;

	if (which == 0) {
		t.columns = total_columns;
		t.width = sizeof(total_columns) / sizeof(*total_columns);
		fill_totals(c, &t);
	} else if (which == 1)
		fill_rows(c, c->lines.at, lines, &t);
	else if (which == 2)
		fill_rows(c, c->regions.at, regions, &t);
	else {
		t.columns = finding_columns;
		t.width = sizeof(finding_columns) / sizeof(*finding_columns);
		fill_findings(c, &t);
	}
	return t;
}

bool ml_compare_has_table(const char *table)
{
	for (size_t i = 0; i < TABLES; i++)
		if (!strcmp(table_names[i], table))
			return true;
	return false;
}

void ml_compare_csv(const struct ml_compare *c, const char *table, size_t top,
		    struct ml_buf *out)
{
	for (size_t i = 0; i < TABLES; i++) {
		if (strcmp(table_names[i], table) != 0)
			continue;
		struct ml_table t = make_table(c, i, top);

		ml_table_csv(&t, out);
		ml_table_release(&t);
	}
}

void ml_compare_json(const struct ml_compare *c, size_t top, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 1 };

	ml_json_object(&w);
	for (size_t i = 0; i < TABLES; i++) {
		struct ml_table t = make_table(c, i, top);

		ml_json_key(&w, table_names[i]);
		ml_table_json(&t, &w);
		ml_table_release(&t);
	}
	ml_json_end(&w);
	ml_buf_put(out, "\n", 1);
}
