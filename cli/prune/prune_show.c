#include "cli/prune/prune_show.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/prune/prune_tune.h"
#include "lib/query/workspace/say.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/prune/variant_list.h"
#include "lib/prune/search.h"
#include "lib/query/prune/prune_tables.h"

enum { BAR = 40, NEAREST = 5 };

/* The answers that text, JSON and CSV show, computed once. */
struct shown {
	struct ml_search *s;
	const struct prune_show *o;
	const struct ml_work *work;
	struct ml_prune_order order;
	struct ml_selection_of of;
	uint64_t selected; /* variants of the selection */
	uint64_t survivors;
	struct ml_variant_list rows, near;
	double *distances;
	struct ml_distribution bars[ML_SPACE_PARAMS];
	bool has_rows, has_near, has_bars;
	struct ml_arena arena;
};

bool prune_show_check(const struct prune_show *o, struct ml_err *err)
{
	static const char *const tables[] = { "combinations", "constraints", "pairs",
					      "variants", NULL };

	if (o->list && o->sample)
		return ml_fail(err, ML_USAGE, "--list and --sample exclude each other");
	if (o->json && o->csv)
		return ml_fail(err, ML_USAGE, "--json and --csv exclude each other");
	if (!o->csv)
		return true;
	for (size_t i = 0; tables[i]; i++)
		if (!strcmp(tables[i], o->csv))
			return true;
	return ml_fail(err, ML_USAGE,
		       "--csv is combinations, constraints, pairs or variants, not '%s'",
		       o->csv);
}

static bool collect(struct shown *x, struct ml_err *err)
{
	const struct prune_show *o = x->o;
	const struct ml_combos *t = &x->s->combos;
	bool all_rows = o->csv && !strcmp(o->csv, "variants") && !o->list && !o->sample;

	if (!ml_prune_read_order(&x->order, t, o->order, err) ||
	    !ml_prune_read_where(&x->of, t, o->where, err))
		return false;
	x->selected = ml_combos_match(t, x->of.care, x->of.want);
	x->survivors = ml_combos_match(t, ml_combos_all(t), 0);
	x->has_rows = o->list || o->sample || all_rows;
	x->has_near = o->nearest || (!x->survivors && x->s->described && !o->csv);
	x->has_bars = o->histograms;
	if (!x->has_rows && !x->has_near && !x->has_bars)
		return true;
	if (!ml_search_described(x->s, err))
		return false;
	if (x->has_rows && o->sample) {
		if (!ml_variant_list_sample(&x->rows, &x->s->prune, x->of, x->selected,
					    (size_t)o->sample, o->seed, &x->arena,
					    x->work, err))
			return false;
	} else if (x->has_rows &&
		   !ml_variant_list_page(&x->rows, &x->s->prune, x->of, 0,
					 all_rows ? SIZE_MAX : (size_t)o->list, &x->arena,
					 x->work, err))
		return false;
	return (!x->has_near ||
		ml_variant_list_nearest(&x->near, &x->distances, &x->s->prune, t,
					o->nearest ? (size_t)o->nearest : NEAREST,
					&x->arena, x->work, err)) &&
	       (!x->has_bars ||
		ml_variant_list_distributions(x->bars, &x->s->prune, x->of,
					      o->bins ? (size_t)o->bins : 16, &x->arena,
					      x->work, err));
}

static void say_head(struct ml_say *s, struct shown *x)
{
	const struct ml_combos *t = &x->s->combos;
	size_t soft = 0;

	for (size_t c = 0; c < t->constraint_count; c++)
		soft += t->constraints[c].soft;
	ml_say(s,
	       "%s: %s variants, of which %s %s (%.4f %%); %zu constraints: %zu hard, %zu "
	       "soft\n\n",
	       x->s->name, ml_say_count(s, t->total), ml_say_count(s, x->survivors),
	       ml_say_plural(x->survivors, "survives", "survive"),
	       100 * ml_say_share(x->survivors, t->total), t->constraint_count,
	       t->constraint_count - soft, soft);
}

/* Constraints that others make superfluous. */
static void say_redundant(struct ml_say *s, struct shown *x)
{
	const struct ml_combos *t = &x->s->combos;
	struct ml_combo_effect e[ML_COMBOS_CONSTRAINTS];

	ml_combos_effects(t, x->order.at, t->constraint_count, e);
	for (size_t c = 0; c < t->constraint_count; c++)
		if (!e[c].eliminated)
			ml_say(s, "%s eliminates nothing\n", t->constraints[c].name);
		else if (e[c].implied_by)
			ml_say(s,
			       "%s is redundant: %s already eliminates all that it does\n",
			       t->constraints[c].name,
			       ml_prune_names(t, e[c].implied_by & -e[c].implied_by,
					      &x->arena));
		else if (!e[c].exclusive)
			ml_say(s,
			       "%s is redundant: the others together eliminate all that "
			       "it does\n",
			       t->constraints[c].name);
}

static void say_smallest(struct ml_say *s, struct shown *x)
{
	const struct ml_combos *t = &x->s->combos;
	uint32_t set = ml_combos_smallest(t);
	unsigned n = (unsigned)__builtin_popcount(set);

	if (!t->total)
		ml_say(s, "the space is empty\n");
	else if (!x->survivors)
		ml_say(s,
		       "Why nothing passes: %s eliminate%s every variant; no smaller set of "
		       "constraints does\n",
		       ml_prune_names(t, set, &x->arena), n == 1 ? "s" : " together");
	else if (n < t->constraint_count)
		ml_say(s, "%u of the %zu constraints leave the same survivors: %s\n", n,
		       t->constraint_count, ml_prune_names(t, set, &x->arena));
}

static void say_bars(struct ml_say *s, struct shown *x)
{
	for (size_t p = 0; p < x->s->space.param_count; p++) {
		const struct ml_distribution *d = &x->bars[p];
		uint64_t max = 1;

		for (size_t i = 0; i < d->count; i++)
			max = d->bins[i] > max ? d->bins[i] : max;
		ml_say(s, "\n%s:\n", x->s->space.params[p].name);
		for (size_t i = 0; i < d->count; i++) {
			int64_t from = d->lo + (int64_t)(i * d->width);
			const char *name =
				d->width == 1
					? ml_space_value(&x->s->space, p, from, &x->arena)
					: ml_arena_printf(&x->arena, "%lld..%lld",
							  (long long)from,
							  (long long)from +
								  (long long)d->width -
								  1);
			int bar = (int)((d->bins[i] * BAR + max - 1) / max);

			if (d->bins[i])
				ml_say(s, "  %16s %-*.*s %s\n", name, BAR, bar,
				       "########################################",
				       ml_say_count(s, d->bins[i]));
		}
	}
}

static void show_text(struct shown *x, struct ml_buf *out)
{
	const struct ml_combos *t = &x->s->combos;
	struct ml_table table;
	struct ml_say s;

	ml_say_start(&s, out, cmd_width());
	say_head(&s, x);
	ml_prune_effects_table(&table, t, &x->order);
	ml_say_table(&s, &table, 0, "");
	ml_say(&s, "\n");
	say_redundant(&s, x);
	say_smallest(&s, x);
	if (x->o->pairs) {
		ml_say(&s, "\nPairs:\n");
		ml_prune_pairs_table(&table, t);
		ml_say_table(&s, &table, 0, "");
	}
	if (x->o->combinations) {
		ml_say(&s, "\nCombinations of constraints:\n");
		ml_prune_combos_table(&table, t, (size_t)x->o->combinations);
		ml_say_table(&s, &table, t->count, "combinations");
	}
	if (x->has_near) {
		unsigned n = ml_combos_nearest(t);

		ml_say(&s, "\nNearest misses, which fail %u %s:\n", n,
		       ml_say_plural(n, "constraint", "constraints"));
		ml_prune_rows_table(&table, x->s, &x->near, x->distances, &x->arena);
		ml_say_table(&s, &table, 0, "");
	}
	if (x->has_rows) {
		ml_say(&s, "\n%s %s%s:\n", ml_say_count(&s, x->rows.count),
		       x->o->where ? "variants" : "survivors",
		       x->o->sample ? ", drawn by lot" : "");
		ml_prune_rows_table(&table, x->s, &x->rows, NULL, &x->arena);
		ml_say_table(&s, &table, (size_t)(x->o->sample ? 0 : x->selected),
			     x->o->where ? "variants" : "survivors");
	}
	if (x->has_bars)
		say_bars(&s, x);
	ml_say_end(&s);
	if (x->o->tuned)
		prune_tune_text(x->s, x->o->tune, x->o->tuned, out);
}

static void show_csv(struct shown *x, struct ml_buf *out)
{
	const struct ml_combos *t = &x->s->combos;
	struct ml_table table;

	if (!strcmp(x->o->csv, "combinations")) {
		ml_combos_csv(t, out);
		return;
	}
	if (!strcmp(x->o->csv, "constraints"))
		ml_prune_effects_table(&table, t, &x->order);
	else if (!strcmp(x->o->csv, "pairs"))
		ml_prune_pairs_table(&table, t);
	else
		ml_prune_rows_table(&table, x->s, &x->rows, NULL, &x->arena);
	ml_table_csv(&table, out);
	ml_table_release(&table);
}

static void show_json(struct shown *x, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 2 };
	struct ml_table pairs;

	ml_json_object(&w);
	ml_prune_summary_json(&w, x->s, &x->order, &x->arena);
	ml_json_key(&w, "pairs");
	ml_prune_pairs_table(&pairs, &x->s->combos);
	ml_table_json(&pairs, &w);
	ml_table_release(&pairs);
	if (x->has_near)
		ml_prune_rows_json(&w, "nearest", x->s, &x->near, x->distances,
				   &x->arena);
	if (x->has_rows)
		ml_prune_rows_json(&w, "rows", x->s, &x->rows, NULL, &x->arena);
	if (x->has_bars)
		ml_prune_distributions_json(&w, "distributions", x->s, x->bars,
					    &x->arena);
	if (x->o->tuned)
		prune_tune_json(x->s, x->o->tune, x->o->tuned, &w);
	ml_json_end(&w);
	ml_buf_u8(out, '\n');
}

bool prune_show(struct ml_search *s, const struct prune_show *o,
		const struct ml_work *work, struct ml_buf *out, struct ml_err *err)
{
	struct shown x = { .s = s, .o = o, .work = work };
	bool ok = collect(&x, err);

	if (ok && o->csv)
		show_csv(&x, out);
	else if (ok && o->json)
		show_json(&x, out);
	else if (ok)
		show_text(&x, out);
	ml_arena_release(&x.arena);
	return ok;
}
