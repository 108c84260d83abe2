#include "lib/query/trace/text/diff_values.h"

#include <ctype.h>
#include <string.h>

#include "lib/query/trace/text/sim_values.h"
#include "lib/query/trace/text/threshold.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/query/trace/tables/profile_tables.h"

#define KNOWN \
	"names are references, reads, writes, cycles, total_cycles, memory, " \
	"LEVEL.misses, LEVEL.miss_ratio, LEVEL.served, LEVEL.CAUSE, region(\"NAME\").X and line(\"FILE:LINE\").X with X one of these, " \
	"a.X and b.X for the figures of one side, new_findings and gone_findings"

static bool unknown(const char *word, struct ml_err *err)
{
	return ml_fail(err, ML_USAGE, "there is no figure '%s'; " KNOWN, word);
}

/* Finds one figure of a count; part: the path after the region or line. */
static bool figure(const struct ml_analysed_trace *s, const struct ml_profile_count *c,
		   const struct ml_threshold_part *part, size_t parts, double *value,
		   struct ml_err *err)
{
	const struct ml_machine *m = &s->simulation.profile->machine;
	double refs = (double)c->refs;

	if (parts == 1 &&
	    (!strcmp(part->word, "references") || !strcmp(part->word, "refs")))
		return *value = refs, true;
	if (parts == 1 && !strcmp(part->word, "reads"))
		return *value = (double)c->kind[0], true;
	if (parts == 1 && !strcmp(part->word, "writes"))
		return *value = (double)c->kind[1], true;
	if (parts == 2 && !strcmp(part->word, "memory") &&
	    !strcmp(part[1].word, "served"))
		return *value = (double)c->served[m->levels + 1], true;
	if (parts == 1 && !strcmp(part->word, "memory"))
		return *value = (double)c->served[m->levels + 1], true;
	if (parts == 1 && !strcmp(part->word, "cycles"))
		return *value = refs > 0 ? c->cycles / refs : 0, true;
	if (parts == 1 && !strcmp(part->word, "total_cycles"))
		return *value = c->cycles, true;
	for (unsigned i = 0; parts == 2 && i < m->levels; i++) {
		double missed = (double)c->missed[i];
		double asked = i ? (double)c->missed[i - 1] : refs;

		if (strcmp(m->level[i].name, part->word) != 0)
			continue;
		if (!strcmp(part[1].word, "misses"))
			return *value = missed, true;
		if (!strcmp(part[1].word, "miss_ratio"))
			return *value = asked > 0 ? missed / asked : 0, true;
		if (!strcmp(part[1].word, "served"))
			return *value = (double)c->served[i + 1], true;
		for (unsigned k = ML_CAUSE_COLD; k < ML_CAUSES; k++)
			if (!strcmp(part[1].word, ml_cause_names[k]))
				return *value = (double)c->cause[i][k], true;
	}
	return unknown(parts ? part[parts - 1].word : "", err);
}

/* The row of that name; NULL: none. */
static const struct ml_compare_row *row_of(const struct ml_compare *c,
					   const struct ml_threshold_part *part)
{
	bool line = !strcmp(part->word, "line");
	size_t count = line ? c->lines.count : c->regions.count;
	const struct ml_compare_row *rows = line ? c->lines.at : c->regions.at;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].name, part->arg))
			return &rows[i];
	return NULL;
}

/* A figure of the whole of one side, as in `memlamp sim`. */
static bool whole(struct ml_analysed_trace *s, const struct ml_threshold_part *part,
		  size_t parts, double *value, struct ml_err *err)
{
	struct ml_profile_view v = { .trace = &s->trace,
				     .profile = s->simulation.profile,
				     .rows = s->rows };
	struct ml_threshold_path path = { .count = parts };

	memcpy(path.part, part, parts * sizeof(*part));
	return ml_sim_value(&v, &path, value, err);
}

static bool side(const struct ml_compare *c, bool is_b,
		 const struct ml_threshold_part *part, size_t parts, double *value,
		 struct ml_err *err)
{
	struct ml_analysed_trace *s = is_b ? c->b : c->a;
	const struct ml_compare_row *row;

	if (!part->has_arg)
		return whole(s, part, parts, value, err);
	if (strcmp(part->word, "line") != 0 && strcmp(part->word, "region") != 0)
		return unknown(part->word, err);
	row = row_of(c, part);
	if (!row)
		return ml_fail(err, ML_USAGE, "neither side has a %s '%s'", part->word,
			       part->arg);
	return figure(s, is_b ? &row->b : &row->a, part + 1, parts - 1, value, err);
}

static double findings(const struct ml_compare *c, enum ml_compare_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < c->findings.count; i++)
		n += c->findings.at[i].state == state;
	return (double)n;
}

static bool look_up(void *arg, const struct ml_threshold_path *path, double *value,
		    struct ml_err *err)
{
	const struct ml_compare *c = arg;
	const struct ml_threshold_part *part = path->part;
	double a, b;

	if (path->count == 1 && !strcmp(part->word, "new_findings"))
		return *value = findings(c, ML_COMPARE_NEW), true;
	if (path->count == 1 && !strcmp(part->word, "gone_findings"))
		return *value = findings(c, ML_COMPARE_GONE), true;
	if (path->count > 1 && !strcmp(part->word, "a"))
		return side(c, false, part + 1, path->count - 1, value, err);
	if (path->count > 1 && !strcmp(part->word, "b"))
		return side(c, true, part + 1, path->count - 1, value, err);
	if (!side(c, false, part, path->count, &a, err) ||
	    !side(c, true, part, path->count, &b, err))
		return false;
	*value = ml_compare_change(a, b);
	return true;
}

static bool any_value(void *arg, const struct ml_threshold_path *path, double *value,
		      struct ml_err *err)
{
	(void)arg;
	(void)path;
	(void)err;
	*value = 1;
	return true;
}

bool ml_diff_values_check(const char *const *texts, size_t count, struct ml_err *err)
{
	return ml_thresholds_check(texts, count, any_value, NULL, err);
}

bool ml_diff_values_test(const struct ml_compare *c, const char *const *texts,
			 size_t count, struct ml_buf *crossed, struct ml_err *err)
{
	return ml_thresholds_test(texts, count, "diff", look_up, (void *)c, crossed, err);
}
