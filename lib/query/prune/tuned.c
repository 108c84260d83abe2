#include "lib/query/prune/tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/json.h"
#include "lib/prune/search.h"
#include "lib/query/prune/prune_tables.h"

/* The values of a member's parameters; false: it is no variant of the space. */
static bool read_member(const struct ml_search *s, const struct ml_member *m,
			struct ml_interpreter *i, int64_t *values, uint32_t *mask)
{
	struct ml_err err;
	size_t at;

	for (size_t p = 0; p < s->space.param_count; p++) {
		const char *name = s->space.params[p].name, *text = NULL;

		for (size_t k = 0; k < m->param_count && !text; k++)
			if (!strcmp(m->params[k].name, name))
				text = m->params[k].value;
		if (!text || !ml_space_read_value(&s->space, p, text, &values[p]))
			return false;
	}
	return ml_interpreter_contains(i, values, &at) &&
	       ml_interpreter_mask(i, values, mask, &err);
}

static int by_cycles(const void *a, const void *b)
{
	const struct ml_tuned_row *p = a, *q = b;

	if (p->cycles != q->cycles)
		return p->cycles < q->cycles ? -1 : 1;
	return p->member < q->member ? -1 : p->member > q->member;
}

/* Whether a machine stands for the first time among those before; counts it if so. */
static bool is_machine(const char **seen, size_t *count, size_t wanted, const char *text)
{
	size_t k = 0;

	while (k < *count && strcmp(seen[k], text) != 0)
		k++;
	if (k == *count)
		seen[(*count)++] = text;
	return k == wanted;
}

void ml_tuned_read(struct ml_tuned *t, const struct ml_search *s,
		   const struct ml_ensemble *e, size_t machine, struct ml_arena *a)
{
	struct ml_curve_options o = { .measure = ML_MEASURE_TIME, .against = SIZE_MAX };
	struct ml_curves *curves;
	struct ml_interpreter i;
	const char **seen = ml_arena_alloc(a, (e->member_count + 1) * sizeof(*seen));
	size_t machines = 0;

	*t = (struct ml_tuned){ .rows = ml_arena_alloc(a, (e->member_count + 1) *
								  sizeof(*t->rows)) };
	if (!s->described)
		return;
	curves = ml_curves_open(e);
	ml_interpreter_init(&i, &s->space);
	for (uint32_t m = 0; m < e->member_count; m++) {
		struct ml_tuned_row r = { .member = m };

		r.values = ml_arena_alloc(a, s->space.param_count * sizeof(*r.values));
		if (!e->members[m].done ||
		    !read_member(s, &e->members[m], &i, r.values, &r.mask) ||
		    !is_machine(seen, &machines, machine, e->members[m].machine))
			continue;
		r.references = ml_ensemble_refs(&e->traces[e->members[m].trace]);
		r.cycles = ml_curve_total(curves, m, &o, 0, (double)r.references) *
			   (double)r.references;
		t->machine = ml_arena_strdup(a, e->members[m].machine);
		t->rows[t->count++] = r;
	}
	ml_interpreter_release(&i);
	ml_curves_close(curves);
	qsort(t->rows, t->count, sizeof(*t->rows), by_cycles);
}

static int by_removed(const void *a, const void *b)
{
	const struct ml_tuned_removal *p = a, *q = b;

	if (p->removed != q->removed)
		return p->removed < q->removed ? 1 : -1;
	return p->constraint < q->constraint ? -1 : p->constraint > q->constraint;
}

size_t ml_tuned_removals(const struct ml_tuned *t, const struct ml_search *s, size_t best,
			 struct ml_tuned_removal *at)
{
	size_t n = 0;

	for (size_t c = 0; c < s->combos.constraint_count; c++) {
		struct ml_tuned_removal r = { .constraint = c };

		if (!s->combos.constraints[c].soft)
			continue;
		for (size_t i = 0; i < t->count; i++)
			if (t->rows[i].mask >> c & 1) {
				r.removed += i < best;
				r.first = r.first ? r.first : i + 1;
			}
		at[n++] = r;
	}
	qsort(at, n, sizeof(*at), by_removed);
	return n;
}

double ml_tuned_best(const struct ml_tuned *t, uint32_t care, uint32_t want)
{
	for (size_t i = 0; i < t->count; i++)
		if ((t->rows[i].mask & care) == want)
			return t->rows[i].cycles;
	return NAN;
}

static void put_row(struct ml_json *w, const struct ml_tuned_row *r,
		    const struct ml_search *s, struct ml_arena *a)
{
	ml_json_object(w);
	ml_json_key(w, "values");
	ml_json_object(w);
	for (size_t p = 0; p < s->space.param_count; p++) {
		ml_json_key(w, s->space.params[p].name);
		if (s->space.params[p].words)
			ml_json_string(w, ml_space_value(&s->space, p, r->values[p], a));
		else
			ml_json_i64(w, r->values[p]);
	}
	ml_json_end(w);
	ml_json_key(w, "cycles");
	ml_json_real(w, r->cycles);
	ml_json_key(w, "references");
	ml_json_u64(w, r->references);
	ml_json_key(w, "member");
	ml_json_u64(w, r->member);
	ml_json_key(w, "mask");
	ml_json_u64(w, r->mask);
	ml_json_end(w);
}

void ml_tuned_json(struct ml_json *w, const struct ml_tuned *t, const struct ml_search *s,
		   size_t top, size_t best, struct ml_arena *a)
{
	struct ml_tuned_removal removals[ML_COMBOS_CONSTRAINTS];
	size_t n = ml_tuned_removals(t, s, best, removals);

	ml_json_key(w, "machine");
	ml_json_string(w, t->machine);
	ml_json_key(w, "simulated");
	ml_json_u64(w, t->count);
	ml_json_key(w, "variants");
	ml_json_array(w);
	for (size_t i = 0; i < t->count && i < top; i++)
		put_row(w, &t->rows[i], s, a);
	ml_json_end(w);
	ml_json_key(w, "best");
	ml_json_u64(w, best < t->count ? best : t->count);
	ml_json_key(w, "removals");
	ml_json_array(w);
	for (size_t i = 0; i < n; i++) {
		ml_json_object(w);
		ml_json_key(w, "constraint");
		ml_json_string(w, s->combos.constraints[removals[i].constraint].name);
		ml_json_key(w, "removed");
		ml_json_u64(w, removals[i].removed);
		ml_json_key(w, "first");
		ml_json_u64(w, removals[i].first);
		ml_json_end(w);
	}
	ml_json_end(w);
}
