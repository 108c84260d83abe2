#include "lib/query/ensemble/ensemble_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/passes/profile.h"

enum {
	DASHES = 4, /* that can be told apart */
	FEW = 12,   /* members that can have a colour each */
};

static const double SAME_EFFECT = 0.02; /* shares that are about as much */

/* A value that a member has. */
struct has {
	const char *value;
	double number;
	uint32_t member, first; /* first member that has this value */
};

static int by_value(const void *a, const void *b)
{
	const struct has *x = a, *y = b;
	int order = strcmp(x->value, y->value);

	return order ? order : x->member < y->member ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
	const struct has *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number ? 1 : by_value(a, b);
}

static int by_first(const void *a, const void *b)
{
	const struct has *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->member < y->member ? -1 : x->member > y->member;
}

/* Makes an axis of these values. False: all members have the same value. */
static bool make_axis(struct ml_axis *x, const char *name, struct has *has, size_t count,
		      size_t members, struct ml_arena *a)
{
	*x = (struct ml_axis){ .name = name, .numeric = true };
	for (size_t i = 0; i < count; i++)
		x->numeric = x->numeric && !isnan(has[i].number);
	qsort(has, count, sizeof(*has), x->numeric ? by_number : by_value);
	for (size_t i = 0; i < count; i++)
		has[i].first = i && !strcmp(has[i].value, has[i - 1].value)
				       ? has[i - 1].first
				       : has[i].member;
	if (!x->numeric)
		qsort(has, count, sizeof(*has), by_first);
	x->values = ml_arena_alloc(a, count * sizeof(*x->values));
	x->numbers = ml_arena_alloc(a, count * sizeof(*x->numbers));
	x->of = ml_arena_alloc(a, members * sizeof(*x->of));
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(has[i].value, has[i - 1].value) != 0) {
			x->values[x->count] = has[i].value;
			x->numbers[x->count++] = has[i].number;
		}
		x->of[has[i].member] = (uint32_t)x->count;
	}
	return x->count > 1 || (x->count == 1 && count < members);
}

static const struct ml_parameter *param_of(const struct ml_member *m, const char *name)
{
	for (size_t i = 0; i < m->param_count; i++)
		if (!strcmp(m->params[i].name, name))
			return &m->params[i];
	return NULL;
}

static void add_axis(struct ml_axes *x, const struct ml_ensemble *e, const char *name,
		     struct has *has, size_t count, struct ml_arena *a)
{
	struct ml_axis axis;

	if (!make_axis(&axis, name, has, count, e->member_count, a))
		return;
	if (x->count == x->cap) {
		size_t cap = x->cap ? 2 * x->cap : 8;
		struct ml_axis *more = ml_arena_alloc(a, cap * sizeof(*more));

		if (x->count)
			memcpy(more, x->at, x->count * sizeof(*more));
		x->at = more;
		x->cap = cap;
	}
	x->at[x->count++] = axis;
}

struct coordinates {
	const struct ml_axes *axes;
	uint32_t member, trace;
};

static int by_coordinates(const void *a, const void *b)
{
	const struct coordinates *x = a, *y = b;

	for (size_t i = 0; i < x->axes->count; i++) {
		uint32_t v = x->axes->at[i].of[x->member],
			 w = x->axes->at[i].of[y->member];

		if (v != w)
			return v < w ? -1 : 1;
	}
	return 0;
}

/* True if two members of different traces agree in all parameters. */
static bool traces_differ(const struct ml_axes *x, const struct ml_ensemble *e)
{
	struct ml_arena a = { 0 };
	struct coordinates *all = ml_arena_alloc(&a, e->member_count * sizeof(*all));
	bool differ = false;

	for (uint32_t i = 0; i < e->member_count; i++)
		all[i] = (struct coordinates){ x, i, e->members[i].trace };
	qsort(all, e->member_count, sizeof(*all), by_coordinates);
	for (size_t i = 1; i < e->member_count && !differ; i++)
		differ = !by_coordinates(&all[i - 1], &all[i]) &&
			 all[i - 1].trace != all[i].trace;
	ml_arena_release(&a);
	return differ;
}

/* Sums of squares: of all members around their mean, and of the groups around it. */
static double effect_of(const struct ml_axis *x, const struct ml_ensemble *e,
			const double *cycles, struct ml_arena *a)
{
	double *sum = ml_arena_alloc(a, (x->count + 1) * sizeof(*sum)),
	       *count = ml_arena_alloc(a, (x->count + 1) * sizeof(*count));
	double all = 0, n = 0, total = 0, between = 0;

	for (size_t i = 0; i < e->member_count; i++) {
		if (!e->members[i].done)
			continue;
		sum[x->of[i]] += cycles[i];
		count[x->of[i]]++;
		all += cycles[i];
		n++;
	}
	for (size_t i = 0; i < e->member_count; i++)
		if (e->members[i].done)
			total += (cycles[i] - all / n) * (cycles[i] - all / n);
	for (size_t v = 0; v <= x->count; v++)
		if (count[v] > 0) {
			double off = sum[v] / count[v] - all / n;

			between += count[v] * off * off;
		}
	return total > 0 ? between / total : 0;
}

static void find_effects(struct ml_axes *x, const struct ml_ensemble *e,
			 struct ml_arena *a)
{
	double *cycles = ml_arena_alloc(a, (e->member_count + 1) * sizeof(*cycles));

	for (size_t i = 0; i < e->member_count; i++)
		if (e->members[i].done)
			cycles[i] = ml_member_cycles(&e->members[i]);
	for (size_t i = 0; i < x->count; i++)
		x->at[i].effect = effect_of(&x->at[i], e, cycles, a);
}

void ml_ensemble_axes(struct ml_axes *x, const struct ml_ensemble *e, struct ml_arena *a)
{
	struct has *has = ml_arena_alloc(a, (e->member_count + 1) * sizeof(*has));
	const char *done[256];
	size_t names = 0, n;

	*x = (struct ml_axes){ 0 };
	for (size_t i = 0; i < e->member_count; i++)
		for (size_t k = 0; k < e->members[i].param_count && names < 256; k++) {
			const char *name = e->members[i].params[k].name;
			size_t known = 0;

			while (known < names && strcmp(done[known], name) != 0)
				known++;
			if (known < names)
				continue;
			done[names++] = name;
			n = 0;
			for (uint32_t m = 0; m < e->member_count; m++) {
				const struct ml_parameter *p = param_of(&e->members[m],
									name);

				if (p)
					has[n++] = (struct has){ p->value, p->number, m,
								 m };
			}
			add_axis(x, e, name, has, n, a);
		}
	if (e->trace_count > 1 && traces_differ(x, e)) {
		for (uint32_t m = 0; m < e->member_count; m++)
			has[m] = (struct has){ e->traces[e->members[m].trace].label, NAN,
					       m, m };
		add_axis(x, e, "trace", has, e->member_count, a);
	}
	x->members = e->member_count;
	find_effects(x, e, a);
}

const struct ml_axis *ml_axes_usual_dash(const struct ml_axes *x,
					 const struct ml_axis *colour)
{
	for (size_t i = 0; i < x->count; i++)
		if (&x->at[i] != colour && x->at[i].count <= DASHES)
			return &x->at[i];
	return NULL;
}

/* Whether no two members have both the same colour and the same dash. */
static bool told_apart(const struct ml_axes *x, const struct ml_axis *colour)
{
	const struct ml_axis *dash = ml_axes_usual_dash(x, colour);

	for (size_t i = 0; i < x->members; i++)
		for (size_t k = 0; k < i; k++)
			if (colour->of[i] == colour->of[k] &&
			    (!dash || dash->of[i] == dash->of[k]))
				return false;
	return true;
}

const struct ml_axis *ml_axes_usual_colour(const struct ml_axes *x)
{
	const struct ml_axis *best = NULL;
	double max = 0;

	for (size_t i = 0; i < x->count; i++)
		max = x->at[i].effect > max ? x->at[i].effect : max;
	for (size_t i = 0; i < x->count; i++)
		if (x->at[i].effect >= max - SAME_EFFECT &&
		    (!best || x->at[i].count < best->count))
			best = &x->at[i];
	return best && x->members <= FEW && !told_apart(x, best) ? NULL : best;
}

const struct ml_axis *ml_axes_largest(const struct ml_axes *x, const struct ml_axis *but,
				      bool numeric)
{
	const struct ml_axis *best = NULL;

	for (size_t i = 0; i < x->count; i++) {
		const struct ml_axis *one = &x->at[i];

		if (one == but)
			continue;
		if (!best || (numeric && one->numeric && !best->numeric) ||
		    ((!numeric || one->numeric == best->numeric) &&
		     one->effect > best->effect))
			best = one;
	}
	return best;
}

bool ml_axes_find(const struct ml_axes *x, const char *name, const struct ml_axis **axis,
		  struct ml_err *err)
{
	char list[400] = "";
	size_t near = 0;

	*axis = NULL;
	for (size_t i = 0; i < x->count; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
			 x->at[i].name);
		if (!strcmp(x->at[i].name, name)) {
			*axis = &x->at[i];
			return true;
		}
		if (*name && strstr(x->at[i].name, name)) {
			*axis = &x->at[i];
			near++;
		}
	}
	if (near == 1)
		return true;
	return ml_fail(err, ML_USAGE, "members do not differ by '%s'; they differ by %s",
		       name, *list ? list : "nothing");
}

const char *ml_axis_value(const struct ml_axis *x, size_t member)
{
	return x->of[member] ? x->values[x->of[member] - 1] : NULL;
}

bool ml_axis_is_size(const struct ml_axis *x)
{
	size_t n = strlen(x->name);

	return x->numeric && n >= 4 && !strcmp(x->name + n - 4, "size");
}

struct ml_role ml_axis_role(const struct ml_axis *x, uint32_t value)
{
	return x->numeric ? (struct ml_role){ ML_ROLE_NUMBER, value, (uint32_t)x->count }
			  : (struct ml_role){ ML_ROLE_WORD, value, 0 };
}
