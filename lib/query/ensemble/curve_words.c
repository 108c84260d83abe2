#include "lib/query/ensemble/curve_words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of a word in a list that ends with NULL, or its length. */
static unsigned among(const char *const *names, const char *text)
{
	unsigned i = 0;

	while (names[i] && strcmp(names[i], text) != 0)
		i++;
	return i;
}

bool ml_curve_words_measure(const char *text, enum ml_measure *measure,
			    struct ml_err *err)
{
	*measure = among(ml_measure_names, text);
	return *measure < ML_MEASURES ||
	       ml_fail(err, ML_USAGE,
		       "there is no measure '%s'; measures are time, served, miss, "
		       "memory and temperature",
		       text);
}

bool ml_curve_words_time(const char *text, enum ml_time_match_how *how,
			 struct ml_err *err)
{
	*how = among(ml_time_match_names, text);
	return *how <= ML_TIME_MATCH_MILESTONES ||
	       ml_fail(err, ML_USAGE, "time must be raw, normalised or matched, not '%s'",
		       text);
}

bool ml_curve_words_number(const char *text, const char *what, double *v,
			   struct ml_err *err)
{
	char *end;

	*v = strtod(text, &end);
	if ((!isdigit((unsigned char)*text) && *text != '.') || *end || !isfinite(*v))
		return ml_fail(err, ML_USAGE, "%s=%s is not a number", what, text);
	return true;
}

bool ml_curve_words_weights(const char *text, const struct ml_ensemble *e,
			    struct ml_curve_options *o, struct ml_err *err)
{
	const char *at = text;
	unsigned n = 0, max = 0;

	for (size_t i = 0; i < e->member_count; i++)
		if (e->members[i].parsed.levels + 1 > max)
			max = e->members[i].parsed.levels + 1;
	for (;; at++) {
		char *end;
		double v = strtod(at, &end);

		if ((!isdigit((unsigned char)*at) && *at != '.') ||
		    (*end && *end != ',') || !isfinite(v))
			return ml_fail(
				err, ML_USAGE,
				"weights are cycles by level, such as 4,14,200, not '%s'",
				text);
		if (++n < ML_SERVED)
			o->weight[n] = v;
		at = end;
		if (!*at)
			break;
	}
	if (n < max || n >= ML_SERVED)
		return ml_fail(
			err, ML_USAGE,
			"'%s' has %u weights; %u are needed: one for each level and "
			"one for memory",
			text, n, max);
	o->weighted = true;
	o->memory = n;
	return true;
}

static bool read_row(char *text, const struct ml_ensemble *e, const char **row,
		     struct ml_err *err)
{
	size_t n = 0;

	for (char *at = text, *next; at; at = next) {
		next = strchr(at, '=');
		if (next)
			*next++ = 0;
		if (n < e->trace_count)
			row[n] = at;
		n++;
	}
	for (size_t i = 1; n == 1 && i < e->trace_count; i++)
		row[i] = row[0];
	return n == 1 || n == e->trace_count ||
	       ml_fail(err, ML_USAGE,
		       "'%s=...' names %zu milestones for %zu traces; name one for "
		       "each trace in order, or one for all",
		       text, n, e->trace_count);
}

bool ml_curve_words_pairs(const char *text, const struct ml_ensemble *e,
			  const char *const *const **pairs, size_t *count,
			  struct ml_arena *a, struct ml_err *err)
{
	char *copy = ml_arena_strdup(a, text);
	const char ***rows;
	size_t max = 1;

	for (const char *at = text; *at; at++)
		max += *at == ';';
	rows = ml_arena_alloc(a, max * sizeof(*rows));
	*count = 0;
	for (char *at = copy, *next; at; at = next) {
		next = strchr(at, ';');
		if (next)
			*next++ = 0;
		if (!*at)
			continue;
		rows[*count] = ml_arena_alloc(a, (e->trace_count + 1) * sizeof(**rows));
		if (!read_row(at, e, rows[*count], err))
			return false;
		(*count)++;
	}
	if (!*count)
		return ml_fail(err, ML_USAGE,
			       "'%s' names no milestone; write a.c:12=b.c:20", text);
	*pairs = (const char *const *const *)rows;
	return true;
}
