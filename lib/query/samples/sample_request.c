#include "lib/query/samples/sample_request.h"

#include <string.h>

#include "lib/query/samples/log_bins.h"

enum { BINS = 100, ROWS = 1000 };

/* The pre-selection counts selected rows only. */
static bool read_also(struct ml_sample_request *r, struct ml_answer *a,
		      struct ml_err *err)
{
	const char *text = ml_request_text(r->request, "also");

	r->has_also = text && *text;
	if (!r->has_also)
		return true;
	if (!ml_open_table_select(r->table, text, &r->also, &a->arena, err))
		return false;
	ml_selection_combine(&r->also, &r->q.selected, ML_SELECTION_FILTER);
	return true;
}

bool ml_sample_request_read(struct ml_sample_request *r, struct ml_workspace *ws,
			    const struct ml_request *q, struct ml_answer *a,
			    struct ml_err *err)
{
	*r = (struct ml_sample_request){ .request = q };
	r->x = ml_open_samples(ws, q->number[0], err);
	if (!r->x)
		return false;
	r->table = ml_open_samples_table(r->x);
	r->s = &r->table->s;
	ml_sample_question_init(&r->q, r->s, &a->arena);
	r->q.work = &q->work;
	return ml_request_u64(q, "top", ROWS, &r->q.top, err) &&
	       ml_request_u64(q, "windows", r->q.windows, &r->q.windows, err) &&
	       ml_request_u64(q, "width", 0, &r->q.width, err) &&
	       ml_request_u64(q, "step", 0, &r->q.step, err) &&
	       ml_request_u64(q, "clusters", r->q.clusters, &r->q.clusters, err) &&
	       ml_request_u64(q, "depth", UINT64_MAX, &r->q.depth, err) &&
	       ml_open_table_select(r->table, ml_request_text(q, "select"),
				    &r->q.selected, &a->arena, err) &&
	       ml_sample_question_set(
		       &r->q, NULL, ml_request_text(q, "by"), ml_request_text(q, "empty"),
		       ml_request_text(q, "metric"), ml_request_text(q, "along"),
		       ml_request_text(q, "tier"), err) &&
	       read_also(r, a, err);
}

void ml_sample_request_end(struct ml_sample_request *r)
{
	ml_taken_bins_give(&r->taken);
}

/* A number from 0; -1: the word is none, or too large. */
static int small_number(const char *word, size_t size)
{
	int n = 0;

	if (!size || size > 4)
		return -1;
	for (size_t i = 0; i < size; i++) {
		if (word[i] < '0' || word[i] > '9')
			return -1;
		n = 10 * n + (word[i] - '0');
	}
	return n;
}

bool ml_sample_request_word(const struct ml_sample_request *r, const char *word,
			    size_t size, size_t *column, struct ml_err *err)
{
	const char *name = ml_arena_copy(r->q.arena, word, size);
	enum ml_samples_role role = ml_samples_role_of(name, size);
	int found = ml_samples_find(r->s, name);

	if (found < 0 && role != ML_SAMPLES_ROLES)
		found = r->s->role[role];
	if (found < 0)
		found = small_number(name, size);
	if (found < 0 || (size_t)found >= r->s->count)
		return ml_fail(err, ML_USAGE, "there is no column '%s'", name);
	*column = (size_t)found;
	return true;
}

bool ml_sample_request_column(const struct ml_sample_request *r, const char *key,
			      size_t *column, struct ml_err *err)
{
	const char *name = ml_request_text(r->request, key);

	if (!name)
		return ml_fail(err, ML_USAGE, "%s=COLUMN is missing", key);
	return ml_sample_request_word(r, name, strlen(name), column, err);
}

bool ml_sample_request_log(const struct ml_sample_request *r, size_t column)
{
	const char *at = ml_request_text(r->request, "log");
	struct ml_err err;

	if (!at || !ml_log_bins_can(&r->s->columns[column]))
		return false;
	for (;;) {
		size_t size = strcspn(at, ","), listed;

		if (ml_sample_request_word(r, at, size, &listed, &err) &&
		    listed == column)
			return true;
		at += size;
		if (!*at++)
			return false;
	}
}

const struct ml_bins *ml_sample_request_bins(struct ml_sample_request *r, size_t column,
					     struct ml_err *err)
{
	uint64_t bins;

	if (!ml_request_u64(r->request, "bins", BINS, &bins, err))
		return NULL;
	if (bins < 1 || bins > ML_BINS_MAX) {
		ml_fail(err, ML_USAGE, "bins=%llu is not 1 to %d",
			(unsigned long long)bins, ML_BINS_MAX);
		return NULL;
	}
	return ml_open_table_bins(r->table, column, (size_t)bins,
				  ml_sample_request_log(r, column), &r->taken, err);
}

/* A word that the reader of selections takes as one. */
static const char *quoted(const char *text, struct ml_arena *a)
{
	char q = strchr(text, '"') ? '\'' : '"';

	return ml_arena_printf(a, "%c%s%c", q, text, q);
}

const char *ml_sample_condition(const struct ml_samples *s, size_t column, uint64_t value,
				bool missing, struct ml_arena *a)
{
	const struct ml_samples_column *c = &s->columns[column];
	char low[ML_SAMPLES_TEXT], high[ML_SAMPLES_TEXT];
	const char *name = quoted(c->name, a);

	if (c->kind == ML_SAMPLES_NAMES)
		return missing ? NULL
			       : ml_arena_printf(
					 a, "%s = %s", name,
					 quoted(ml_samples_text(c, value, low), a));
	if (missing)
		return ml_arena_printf(a, "not %s %s..%s", name,
				       ml_samples_text(c, c->min, low),
				       ml_samples_text(c, c->max, high));
	return ml_arena_printf(a, "%s = %s", name, ml_samples_text(c, value, low));
}
