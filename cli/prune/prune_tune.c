#include "cli/prune/prune_tune.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/ensemble/ensemble_plan.h"
#include "cli/prune/prune_flow.h"
#include "cli/prune/prune_template.h"
#include "lib/query/workspace/say.h"
#include "cli/work.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/prune/search.h"
#include "lib/query/prune/prune_tables.h"
#include "lib/query/prune/tuned.h"

enum { SAVE_SECONDS = 20, VARIANTS = 32 };

bool prune_tunes(const struct ml_search *s, const struct prune_tune *o)
{
	return o->build || o->run || o->output || (o->count && s->space.flow.file);
}

/* The program of the description is simulated from its source. */
static bool by_flow(const struct ml_search *s, const struct prune_tune *o)
{
	return s->space.flow.file && !o->build && !o->run && o->count;
}

/* Every parameter has to be somewhere, or different variants would be the same program.
 */
static bool check_templates(const struct ml_search *s, const struct prune_tune *o,
			    struct ml_arena *a, struct ml_err *err)
{
	const struct ml_space_flow *f = &s->space.flow;
	const char *all = ml_arena_printf(a, "%s\n%s", o->build ? o->build : "",
					  o->run ? o->run : "");

	if (by_flow(s, o))
		all = ml_arena_printf(a, "%s\n%s\n%s\n%s", f->set ? f->set : "",
				      f->tile ? f->tile : "", f->order ? f->order : "",
				      f->layout ? f->layout : "");

	for (size_t p = 0; p < s->space.param_count; p++) {
		const char *name = s->space.params[p].name;

		if (!strstr(all, ml_arena_printf(a, "{%s}", name)) &&
		    !strstr(all, ml_arena_printf(a, "{%s.", name)))
			return ml_fail(err, ML_USAGE,
				       "%s says {%s}: variants that differ by it would "
				       "be the same program",
				       by_flow(s, o) ? "nothing of the flow"
						     : "neither --build nor --run",
				       name);
	}
	return true;
}

static uint32_t hard_mask(const struct ml_combos *t)
{
	uint32_t mask = 0;

	for (size_t c = 0; c < t->constraint_count; c++)
		mask |= (uint32_t)!t->constraints[c].soft << c;
	return mask;
}

static void append(struct ml_variant_list *l, const struct ml_variant_list *more,
		   struct ml_arena *a)
{
	size_t n = l->count + more->count, width = more->width;
	int64_t *values = ml_arena_alloc(a, n * width * sizeof(*values) + 8);

	if (l->count)
		memcpy(values, l->values, l->count * width * sizeof(*values));
	if (more->count)
		memcpy(values + l->count * width, more->values,
		       more->count * width * sizeof(*values));
	*l = (struct ml_variant_list){ .width = width, .count = n, .values = values };
}

/* Variants that pass the hard constraints and fail soft ones, drawn by combination. */
static bool sample_soft(struct ml_search *s, const struct prune_tune *o, size_t count,
			struct ml_variant_list *l, struct cmd_work *work,
			struct ml_arena *a, struct ml_err *err)
{
	const struct ml_combos *t = &s->combos;
	uint32_t hard = hard_mask(t), all = ml_combos_all(t);
	uint64_t left = ml_combos_match(t, hard, 0) - ml_combos_match(t, all, 0);

	for (size_t i = 0; i < t->count && count; i++) {
		struct ml_variant_list more;
		/* its share of what is still to be drawn, rounded up */
		size_t n;

		if (!t->at[i].mask || t->at[i].mask & hard)
			continue;
		n = (size_t)ceil((double)count * (double)t->at[i].count / (double)left);
		left -= t->at[i].count;
		if (!ml_variant_list_sample(
			    &more, &s->prune,
			    (struct ml_selection_of){ all, t->at[i].mask },
			    t->at[i].count, n, o->seed + i, a, &work->work, err))
			return false;
		append(l, &more, a);
		count -= more.count < count ? more.count : count;
	}
	return true;
}

/* The variants that are simulated. */
static bool choose(struct ml_search *s, const struct prune_tune *o,
		   struct ml_variant_list *l, struct cmd_work *work, struct ml_arena *a,
		   struct ml_err *err)
{
	const struct ml_combos *t = &s->combos;
	struct ml_selection_of of;
	uint64_t survivors, others;
	size_t first;

	if (!ml_prune_read_where(&of, t, o->where, err))
		return false;
	survivors = ml_combos_match(t, of.care, of.want);
	others = o->where ? 0 : ml_combos_match(t, hard_mask(t), 0) - survivors;
	first = (size_t)(o->count > others ? o->count - others : 0);
	first = first > (o->count + 1) / 2 ? first : (size_t)(o->count + 1) / 2;
	first = o->where ? (size_t)o->count : first;
	if (!ml_variant_list_sample(l, &s->prune, of, survivors, first, o->seed, a,
				    &work->work, err))
		return false;
	if (!o->where && !sample_soft(s, o, (size_t)o->count - l->count, l, work, a, err))
		return false;
	return l->count || ml_fail(err, ML_USAGE,
				   "no variant of %s can be simulated: all fail a hard "
				   "constraint",
				   s->name);
}

static bool expand(struct ml_search *s, const struct prune_tune *o,
		   const struct ml_variant_list *l, struct ml_variant **variants,
		   struct ml_arena *a, struct ml_err *err)
{
	const char *build = "", *run = "{out}";
	size_t params = s->space.param_count;

	*variants = ml_arena_alloc(a, l->count * sizeof(**variants));
	for (size_t i = 0; i < l->count; i++) {
		const int64_t *values = l->values + i * params;
		struct ml_variant *v = &(*variants)[i];

		if ((o->build &&
		     !prune_fill_in(s, "--build", o->build, values, &build, a, err)) ||
		    (o->run && !prune_fill_in(s, "--run", o->run, values, &run, a, err)))
			return false;
		v->text = ml_arena_printf(a, "%s\n%s", build, run);
		v->params = ml_arena_alloc(a, params * sizeof(*v->params));
		v->param_count = params;
		for (size_t p = 0; p < params; p++)
			v->params[p] = (struct ml_parameter){
				.name = s->space.params[p].name,
				.value = ml_space_value(&s->space, p, values[p], a),
				.number = s->space.params[p].words ? NAN
								   : (double)values[p],
			};
	}
	return true;
}

static bool save(void *arg, const struct ml_ensemble *e, struct ml_err *err)
{
	const struct prune_tune *o = arg;

	return ml_ensemble_save(e, o->output, err);
}

static bool simulate(const struct prune_tune *o, struct ensemble_plan *plan,
		     struct ml_err *err)
{
	struct ml_ensemble_run r = { .interleave = ML_INTERLEAVE_AUTO,
				     .work = &plan->work->work,
				     .every = SAVE_SECONDS,
				     .save = save,
				     .save_arg = (void *)o };
	struct ml_err full;

	bool ok = ensemble_plan(plan, 0, NULL, err) &&
		  ml_ensemble_save(plan->e, o->output, err) &&
		  ml_ensemble_run(plan->e, &r, err);
	if ((ok || err->kind == ML_STOPPED) && plan->e->member_count &&
	    !ml_ensemble_save(plan->e, o->output, &full)) {
		*err = full;
		ok = false;
	}
	return ok;
}

bool prune_tune(struct ml_search *s, const struct prune_tune *o, struct cmd_work *work,
		struct ml_ensemble *e, struct ml_err *err)
{
	static const struct opt_list no_match = { .count = 0 };
	struct ml_arena a = { 0 };
	struct ml_variant_list l;
	struct ml_variant *variants;
	struct ensemble_plan plan = { .output = o->output,
				      .build = o->build,
				      .run = o->run,
				      .machines = &o->machines,
				      .match = &no_match,
				      .record = { .limit = o->limit },
				      .work = work,
				      .e = e,
				      .arena = &a };

	if (!ml_search_described(s, err))
		return false;
	if (!o->build && !o->run && !by_flow(s, o))
		return ensemble_merge_file(e, o->output, err);
	struct prune_tune how = *o;
	how.count = o->count ? o->count : VARIANTS;
	bool ok = check_templates(s, &how, &a, err) && choose(s, &how, &l, work, &a, err);
	if (ok && by_flow(s, o)) {
		ok = prune_flow(s, &how.machines, &l, &work->work, e, err) &&
		     (!o->output || ml_ensemble_save(e, o->output, err));
		ml_arena_release(&a);
		return ok;
	}
	ok = ok && expand(s, o, &l, &variants, &a, err);
	if (ok) {
		plan.given = variants;
		plan.given_count = l.count;
		ok = simulate(o, &plan, err);
	}
	ml_arena_release(&a);
	return ok;
}

static void ranking(struct ml_table *table, const struct ml_search *s,
		    const struct ml_tuned *t, size_t top, struct ml_arena *a)
{
	size_t params = s->space.param_count, width = params + 4;
	struct ml_column *c = ml_arena_alloc(a, width * sizeof(*c));

	c[0] = (struct ml_column){ .key = "rank", .kind = ML_COLUMN_COUNT };
	c[1] = (struct ml_column){ .key = "cycles", .kind = ML_COLUMN_COUNT };
	c[2] = (struct ml_column){ .key = "references", .kind = ML_COLUMN_COUNT };
	for (size_t p = 0; p < params; p++)
		c[3 + p] = (struct ml_column){ .key = s->space.params[p].name,
					       .kind = ML_COLUMN_TEXT };
	c[3 + params] = (struct ml_column){ .key = "fails", .kind = ML_COLUMN_TEXT };
	*table = (struct ml_table){ .columns = c, .width = width };
	for (size_t i = 0; i < t->count && i < top; i++) {
		ml_table_count(table, i + 1);
		ml_table_count(table, (uint64_t)llround(t->rows[i].cycles));
		ml_table_count(table, t->rows[i].references);
		for (size_t p = 0; p < params; p++)
			ml_table_text(table, ml_space_value(&s->space, p,
							    t->rows[i].values[p], a));
		ml_table_text(table, ml_prune_names(&s->combos, t->rows[i].mask, a));
	}
}

static void say_removals(struct ml_say *out, const struct ml_search *s,
			 const struct ml_tuned *t, size_t best)
{
	struct ml_tuned_removal r[ML_COMBOS_CONSTRAINTS];
	size_t n = ml_tuned_removals(t, s, best, r);

	best = best < t->count ? best : t->count;
	for (size_t i = 0; i < n; i++) {
		const char *name = s->combos.constraints[r[i].constraint].name;

		if (r[i].removed)
			ml_say(out, "%s removes %zu of the %zu best%s\n", name,
			       r[i].removed, best,
			       r[i].first == 1 ? ", the very best among them" : "");
		else if (r[i].first)
			ml_say(out,
			       "%s removes none of the %zu best; the best that it "
			       "removes is number %zu\n",
			       name, best, r[i].first);
		else
			ml_say(out,
			       "%s removes none of the variants that were simulated\n",
			       name);
	}
}

/* Of each machine. */
void prune_tune_text(const struct ml_search *s, const struct prune_tune *o,
		     const struct ml_ensemble *e, struct ml_buf *out)
{
	struct ml_arena a = { 0 };
	struct ml_table table;
	struct ml_tuned t;
	struct ml_say text;

	ml_say_start(&text, out, cmd_width());
	for (size_t m = 0;; m++) {
		ml_tuned_read(&t, s, e, m, &a);
		if (!t.count && !m)
			ml_say(&text, "\n%s has no simulated variants of %s\n",
			       o->output ? o->output : "the flow", s->name);
		if (!t.count)
			break;
		ml_say(&text, "\n%s variants simulated on %s:\n",
		       ml_say_count(&text, t.count), t.machine);
		ranking(&table, s, &t, (size_t)o->top, &a);
		ml_say_table(&text, &table, t.count, "variants");
		ml_say(&text, "\n");
		say_removals(&text, s, &t, (size_t)o->best);
		if (by_flow(s, o))
			ml_say(&text, "the best order of loops: %s\n",
			       prune_flow_legality(s, t.rows[0].values, &a));
	}
	ml_say_end(&text);
	ml_arena_release(&a);
}

void prune_tune_json(const struct ml_search *s, const struct prune_tune *o,
		     const struct ml_ensemble *e, struct ml_json *w)
{
	struct ml_arena a = { 0 };
	struct ml_tuned t;

	ml_json_key(w, "tuned");
	ml_json_array(w);
	for (size_t m = 0;; m++) {
		ml_tuned_read(&t, s, e, m, &a);
		if (!t.count)
			break;
		ml_json_object(w);
		ml_tuned_json(w, &t, s, SIZE_MAX, (size_t)o->best, &a);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_arena_release(&a);
}
