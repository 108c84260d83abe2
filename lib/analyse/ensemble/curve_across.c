/* What follows from the curves of several members: spread, families, working sets. */
#include "lib/analyse/ensemble/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ml_curve_spread(const double *mean, size_t members, size_t cells, double *average,
		     double *deviation)
{
	for (size_t i = 0; i < cells; i++) {
		double sum = 0, squares = 0;
		size_t n = 0;

		for (size_t m = 0; m < members; m++)
			if (!isnan(mean[m * cells + i])) {
				sum += mean[m * cells + i];
				n++;
			}
		double mid = n ? sum / (double)n : NAN;
		for (size_t m = 0; m < members; m++)
			if (!isnan(mean[m * cells + i]))
				squares += (mean[m * cells + i] - mid) *
					   (mean[m * cells + i] - mid);
		if (average)
			average[i] = mid;
		if (deviation)
			deviation[i] = n ? sqrt(squares / (double)n) : NAN;
	}
}

static const struct ml_parameter *param_of(const struct ml_member *m, const char *name)
{
	for (size_t i = 0; i < m->param_count; i++)
		if (!strcmp(m->params[i].name, name))
			return &m->params[i];
	return NULL;
}

double ml_curve_number(const struct ml_member *m, const char *param)
{
	const struct ml_parameter *p = param_of(m, param);

	return p ? p->number : NAN;
}

/* Whether a has all parameters of b, except one, with the same values. */
static bool agrees(const struct ml_member *a, const struct ml_member *b, const char *but)
{
	for (size_t i = 0; i < b->param_count; i++) {
		const struct ml_parameter *p = param_of(a, b->params[i].name);

		if (strcmp(b->params[i].name, but) != 0 &&
		    (!p || strcmp(p->value, b->params[i].value) != 0))
			return false;
	}
	return true;
}

struct sized {
	double size;
	uint32_t member;
};

static int by_size(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->size < y->size || x->size > y->size)
		return x->size < y->size ? -1 : 1;
	return x->member < y->member ? -1 : 1;
}

static bool no_family(const struct ml_ensemble *e, const char *param, struct ml_err *err)
{
	char names[300] = "";

	for (size_t i = 0; i < e->member_count; i++)
		for (size_t k = 0; k < e->members[i].param_count; k++) {
			const struct ml_parameter *p = &e->members[i].params[k];
			size_t used = strlen(names);

			if (isnan(p->number) || strstr(names, p->name) ||
			    used + strlen(p->name) + 3 > sizeof(names))
				continue;
			strcat(strcat(names, used ? ", " : ""), p->name);
		}
	return ml_fail(err, ML_USAGE,
		       "there are not two members that differ by '%s' alone; parameters "
		       "that are numbers: %s",
		       param, *names ? names : "none");
}

bool ml_curve_family(const struct ml_ensemble *e, const char *param, const bool *only,
		     uint32_t **members, size_t *count, struct ml_arena *a,
		     struct ml_err *err)
{
	bool *seen = ml_arena_alloc(a, e->member_count + 1);
	struct sized *family = ml_arena_alloc(a, (e->member_count + 1) * sizeof(*family)),
		     *best = ml_arena_alloc(a, (e->member_count + 1) * sizeof(*best));

	*count = 0;
	for (uint32_t i = 0; i < e->member_count; i++) {
		const struct ml_member *m = &e->members[i];
		size_t n = 0;

		for (uint32_t k = i; k < e->member_count; k++) {
			const struct ml_member *x = &e->members[k];
			double size = ml_curve_number(x, param);

			if (seen[k] || !x->done || isnan(size) || (only && !only[k]) ||
			    x->trace != m->trace || !agrees(x, m, param) ||
			    !agrees(m, x, param))
				continue;
			seen[k] = true;
			family[n++] = (struct sized){ size, k };
		}
		if (n > *count) {
			memcpy(best, family, n * sizeof(*best));
			*count = n;
		}
	}
	if (*count < 2)
		return no_family(e, param, err);
	qsort(best, *count, sizeof(*best), by_size);
	*members = ml_arena_alloc(a, *count * sizeof(**members));
	for (size_t i = 0; i < *count; i++)
		(*members)[i] = best[i].member;
	return true;
}

void ml_curve_working_set(const struct ml_curves *c, const uint32_t *family, size_t count,
			  const char *size, const struct ml_curve_options *o,
			  double tolerance, double from, double to, size_t cells,
			  double *bytes)
{
	const struct ml_ensemble *e = ml_curves_ensemble(c);
	struct ml_arena a = { 0 };
	double *largest = ml_arena_alloc(&a, cells * sizeof(*largest)),
	       *mean = ml_arena_alloc(&a, cells * sizeof(*mean));
	bool *settled = ml_arena_alloc(&a, cells);

	ml_curve(c, family[count - 1], o, from, to, cells, largest, NULL, NULL, NULL);
	for (size_t i = 0; i < cells; i++) {
		bytes[i] = NAN;
		settled[i] = isnan(largest[i]);
	}
	for (size_t k = count - 1; k-- > 0;) {
		ml_curve(c, family[k], o, from, to, cells, mean, NULL, NULL, NULL);
		for (size_t i = 0; i < cells; i++) {
			if (!(fabs(mean[i] - largest[i]) <= tolerance * fabs(largest[i])))
				settled[i] = true;
			if (!settled[i])
				bytes[i] = ml_curve_number(&e->members[family[k]], size);
		}
	}
	ml_arena_release(&a);
}
