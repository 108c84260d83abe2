#include "lib/analyse/cycles/sequence_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/text/scan.h"

enum { NUMBER_ROOM = 64, MAX_POINTS = 60000 };

static void add_break(struct ml_symbol_list *l)
{
	if (!l->count || (l->break_count && l->breaks[l->break_count - 1] == l->count))
		return;
	l->breaks = ml_grow(l->breaks, &l->break_cap, l->break_count + 1,
			    sizeof(*l->breaks));
	l->breaks[l->break_count++] = l->count;
}

bool ml_symbol_list_parse(struct ml_symbol_list *l, const char *text, size_t size,
			  const char *name, struct ml_err *err)
{
	const char *at = text, *end = text + size;

	*l = (struct ml_symbol_list){ 0 };
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at)), *last;

		stop = stop ? stop : end;
		at = ml_scan_blanks(at, stop);
		for (last = stop; last > at && ml_scan_blank(last[-1]);)
			last--;
		if (last == at) {
			add_break(l);
		} else {
			l->symbols = ml_grow(l->symbols, &l->cap, l->count + 1,
					     sizeof(*l->symbols));
			l->symbols[l->count++] = ml_names_add_bytes(&l->names, at,
								    (size_t)(last - at));
		}
		at = stop + (stop < end);
	}
	if (l->count)
		return true;
	ml_symbol_list_release(l);
	return ml_fail(err, ML_FORMAT, "%s: no symbol is in it; each line is one", name);
}

void ml_symbol_list_release(struct ml_symbol_list *l)
{
	ml_names_release(&l->names);
	ml_free(l->symbols);
	ml_free(l->breaks);
	*l = (struct ml_symbol_list){ 0 };
}

static bool is_separator(char c)
{
	return c == ',' || c == ';' || c == '\n' || ml_scan_blank(c);
}

struct place {
	size_t line, column; /* from 1 */
};

static bool add_value(struct ml_triangle *t, struct ml_scan_word w, struct place p,
		      const char *name, struct ml_err *err)
{
	char number[NUMBER_ROOM], shown[ML_SCAN_SHOWN], *rest = number;
	double value = NAN;

	/* strtod would also read hexadecimal, "inf" and "nan" */
	bool plain = w.size < sizeof(number);

	for (size_t i = 0; plain && i < w.size; i++)
		plain = w.at[i] && strchr("0123456789+-.eE", w.at[i]);
	if (plain) {
		memcpy(number, w.at, w.size);
		number[w.size] = 0;
		value = strtod(number, &rest);
	}
	if (!plain || *rest || rest == number || !isfinite(value) || value < 0)
		return ml_fail(err, ML_FORMAT,
			       "%s: line %zu, column %zu: '%s' is no distance", name,
			       p.line, p.column, ml_scan_shown(w, shown));
	t->values = ml_grow(t->values, &t->cap, t->count + 1, sizeof(*t->values));
	t->values[t->count++] = value;
	return true;
}

static bool count_points(struct ml_triangle *t, const char *name, struct ml_err *err)
{
	uint64_t n = (uint64_t)((1 + sqrt(1 + 8 * (double)t->count)) / 2);

	if (n * (n - 1) / 2 != t->count)
		return ml_fail(
			err, ML_FORMAT,
			"%s: %zu distances are no triangle: %llu points have %llu, "
			"%llu have %llu",
			name, t->count, (unsigned long long)n,
			(unsigned long long)(n * (n - 1) / 2),
			(unsigned long long)(n + 1),
			(unsigned long long)(n * (n + 1) / 2));
	if (n > MAX_POINTS)
		return ml_fail(err, ML_FORMAT, "%s: %llu points are more than %d", name,
			       (unsigned long long)n, MAX_POINTS);
	t->points = (uint32_t)n;
	return true;
}

bool ml_triangle_parse(struct ml_triangle *t, const char *text, size_t size,
		       const char *name, struct ml_err *err)
{
	const char *at = text, *end = text + size, *line_start = text;
	size_t line = 1;
	bool ok = true;

	*t = (struct ml_triangle){ 0 };
	while (ok && at < end) {
		if (is_separator(*at)) {
			if (*at == '\n') {
				line++;
				line_start = at + 1;
			}
			at++;
			continue;
		}
		const char *start = at;

		while (at < end && !is_separator(*at))
			at++;
		ok = add_value(t, (struct ml_scan_word){ start, (size_t)(at - start) },
			       (struct place){ line, (size_t)(start - line_start) + 1 },
			       name, err);
	}
	if (ok && !t->count)
		ok = ml_fail(err, ML_FORMAT, "%s: no distance is in it", name);
	ok = ok && count_points(t, name, err);
	if (!ok)
		ml_triangle_release(t);
	return ok;
}

void ml_triangle_release(struct ml_triangle *t)
{
	ml_free(t->values);
	*t = (struct ml_triangle){ 0 };
}
