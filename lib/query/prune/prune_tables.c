#include "lib/query/prune/prune_tables.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/table.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* The constraint that a piece of text names. */
static bool read_name(const struct ml_combos *t, const char *text, size_t size,
		      size_t *constraint, struct ml_err *err)
{
	for (size_t c = 0; c < t->constraint_count; c++)
		if (strlen(t->constraints[c].name) == size &&
		    !memcmp(t->constraints[c].name, text, size)) {
			*constraint = c;
			return true;
		}
	return ml_fail(err, ML_USAGE, "there is no constraint '%.*s'",
		       (int)(size < 100 ? size : 100), text);
}

bool ml_prune_read_order(struct ml_prune_order *o, const struct ml_combos *t,
			 const char *text, struct ml_err *err)
{
	uint32_t used = 0;
	size_t count = 0, c = 0;

	for (const char *at = text; at && *at;) {
		size_t size = strcspn(at, ",");

		if (!read_name(t, at, size, &c, err))
			return false;
		if (used >> c & 1)
			return ml_fail(err, ML_USAGE, "'%s' stands twice in the order",
				       t->constraints[c].name);
		used |= UINT32_C(1) << c;
		o->at[count++] = (uint8_t)c;
		at += size + (at[size] == ',');
	}
	o->named = count;
	for (c = 0; c < t->constraint_count; c++)
		if (!(used >> c & 1))
			o->at[count++] = (uint8_t)c;
	return true;
}

bool ml_prune_read_where(struct ml_selection_of *of, const struct ml_combos *t,
			 const char *text, struct ml_err *err)
{
	size_t c = 0;

	*of = (struct ml_selection_of){ .care = text ? 0 : ml_combos_all(t) };
	for (const char *at = text; at && *at;) {
		bool passes = *at == '!';
		size_t size;

		at += passes;
		size = strcspn(at, ",");
		if (!read_name(t, at, size, &c, err))
			return false;
		if (of->care >> c & 1)
			return ml_fail(err, ML_USAGE, "'%s' stands twice",
				       t->constraints[c].name);
		of->care |= UINT32_C(1) << c;
		of->want |= (uint32_t)!passes << c;
		at += size + (at[size] == ',');
	}
	return true;
}

const char *ml_prune_names(const struct ml_combos *t, uint32_t mask, struct ml_arena *a)
{
	const char *text = "";

	for (size_t c = 0; c < t->constraint_count; c++)
		if (mask >> c & 1)
			text = ml_arena_printf(a, "%s%s%s", text, *text ? ", " : "",
					       t->constraints[c].name);
	return text;
}

void ml_prune_effects_table(struct ml_table *table, const struct ml_combos *t,
			    const struct ml_prune_order *order)
{
	static const struct ml_column columns[] = {
		{ "constraint", .kind = ML_COLUMN_TEXT },
		{ "kind", .kind = ML_COLUMN_TEXT },
		{ "eliminated", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 2 },
		{ "alone", .kind = ML_COLUMN_COUNT },
		{ "reached", .kind = ML_COLUMN_COUNT },
		{ "relative", .kind = ML_COLUMN_COUNT, .heading = "of these" },
		{ "relative_share", .kind = ML_COLUMN_PERCENT, .heading = "relative",
		  .decimals = 2 },
	};
	struct ml_combo_effect e[ML_COMBOS_CONSTRAINTS];

	*table = (struct ml_table){ .columns = columns, .width = 8 };
	ml_combos_effects(t, order->at, t->constraint_count, e);
	for (size_t i = 0; i < t->constraint_count; i++) {
		size_t c = order->at[i];

		ml_table_text(table, t->constraints[c].name);
		ml_table_text(table, t->constraints[c].soft ? "soft" : "hard");
		ml_table_count(table, e[c].eliminated);
		ml_table_real(table, share(e[c].eliminated, t->total));
		ml_table_count(table, e[c].exclusive);
		ml_table_count(table, e[c].reached);
		ml_table_count(table, e[c].relative);
		ml_table_real(table, share(e[c].relative, e[c].reached));
	}
}

void ml_prune_pairs_table(struct ml_table *table, const struct ml_combos *t)
{
	static const struct ml_column columns[] = {
		{ "first", .kind = ML_COLUMN_TEXT },
		{ "second", .kind = ML_COLUMN_TEXT },
		{ "both", .kind = ML_COLUMN_COUNT },
		{ "of_first", .kind = ML_COLUMN_PERCENT, .heading = "of first",
		  .decimals = 2 },
		{ "of_second", .kind = ML_COLUMN_PERCENT, .heading = "of second",
		  .decimals = 2 },
	};

	*table = (struct ml_table){ .columns = columns, .width = 5 };
	for (size_t c = 0; c < t->constraint_count; c++)
		for (size_t d = c + 1; d < t->constraint_count; d++) {
			uint32_t p = UINT32_C(1) << c, q = UINT32_C(1) << d;
			uint64_t both = ml_combos_match(t, p | q, p | q);

			ml_table_text(table, t->constraints[c].name);
			ml_table_text(table, t->constraints[d].name);
			ml_table_count(table, both);
			ml_table_real(table, share(both, ml_combos_match(t, p, p)));
			ml_table_real(table, share(both, ml_combos_match(t, q, q)));
		}
}

static int by_count(const void *a, const void *b)
{
	const struct ml_combo *p = a, *q = b;

	if (p->count != q->count)
		return p->count < q->count ? 1 : -1;
	return (p->mask > q->mask) - (p->mask < q->mask);
}

void ml_prune_combos_table(struct ml_table *table, const struct ml_combos *t, size_t top)
{
	static const struct ml_column columns[] = {
		{ "variants", .kind = ML_COLUMN_COUNT },
		{ "share", .kind = ML_COLUMN_PERCENT, .decimals = 2 },
		{ "fails", .kind = ML_COLUMN_TEXT },
	};
	struct ml_arena a = { 0 };
	struct ml_combo *sorted = ml_arena_alloc(&a, t->count * sizeof(*sorted) + 1);

	*table = (struct ml_table){ .columns = columns, .width = 3 };
	if (t->count)
		memcpy(sorted, t->at, t->count * sizeof(*sorted));
	qsort(sorted, t->count, sizeof(*sorted), by_count);
	for (size_t i = 0; i < t->count && i < top; i++) {
		ml_table_count(table, sorted[i].count);
		ml_table_real(table, share(sorted[i].count, t->total));
		ml_table_text(table, sorted[i].mask
					     ? ml_prune_names(t, sorted[i].mask, &a)
					     : "nothing: survivors");
	}
	ml_arena_release(&a);
}

void ml_prune_rows_table(struct ml_table *table, const struct ml_search *s,
			 const struct ml_variant_list *l, const double *distances,
			 struct ml_arena *a)
{
	uint32_t fails = 0;

	for (size_t i = 0; i < l->count; i++)
		fails |= l->masks[i];
	size_t width = l->width + (fails != 0) + (distances != NULL), n = 0;
	struct ml_column *columns = ml_arena_alloc(a, width * sizeof(*columns));

	for (; n < l->width; n++)
		columns[n] = (struct ml_column){ .key = s->space.params[n].name,
						 .kind = ML_COLUMN_TEXT };
	if (distances)
		columns[n++] = (struct ml_column){ .key = "distance",
						   .kind = ML_COLUMN_REAL,
						   .decimals = 3 };
	if (fails)
		columns[n] = (struct ml_column){ .key = "fails", .kind = ML_COLUMN_TEXT };
	*table = (struct ml_table){ .columns = columns, .width = width };
	for (size_t i = 0; i < l->count; i++) {
		for (size_t p = 0; p < l->width; p++)
			ml_table_text(table,
				      ml_space_value(&s->space, p,
						     l->values[i * l->width + p], a));
		if (distances)
			ml_table_real(table, distances[i]);
		if (fails)
			ml_table_text(table, ml_prune_names(&s->combos, l->masks[i], a));
	}
}

static void put_names(struct ml_json *w, const char *key, const struct ml_combos *t,
		      uint32_t mask)
{
	ml_json_key(w, key);
	ml_json_array(w);
	for (size_t c = 0; c < t->constraint_count; c++)
		if (mask >> c & 1)
			ml_json_string(w, t->constraints[c].name);
	ml_json_end(w);
}

static void put_u64(struct ml_json *w, const char *key, uint64_t v)
{
	ml_json_key(w, key);
	ml_json_u64(w, v);
}

static void put_text(struct ml_json *w, const char *key, const char *text)
{
	ml_json_key(w, key);
	ml_json_string(w, text);
}

static void put_constraint(struct ml_json *w, const struct ml_combos *t, size_t c,
			   const struct ml_combo_effect *e)
{
	const struct ml_combo_constraint *k = &t->constraints[c];

	ml_json_object(w);
	put_text(w, "name", k->name);
	put_text(w, "kind", k->soft ? "soft" : "hard");
	put_text(w, "text", k->text);
	put_text(w, "about", k->about);
	put_u64(w, "bit", c);
	put_u64(w, "eliminated", e->eliminated);
	put_u64(w, "alone", e->exclusive);
	put_u64(w, "reached", e->reached);
	put_u64(w, "relative", e->relative);
	put_names(w, "implied_by", t, e->implied_by);
	ml_json_end(w);
}

static void put_params(struct ml_json *w, const struct ml_space *s)
{
	ml_json_key(w, "parameters");
	ml_json_array(w);
	for (size_t i = 0; i < s->param_count; i++) {
		const struct ml_param_range *p = &s->params[i];

		ml_json_object(w);
		put_text(w, "name", p->name);
		ml_json_key(w, "least");
		ml_json_i64(w, p->lo);
		ml_json_key(w, "greatest");
		ml_json_i64(w, p->hi);
		ml_json_key(w, "words");
		ml_json_bool(w, p->words != NULL);
		ml_json_end(w);
	}
	ml_json_end(w);
}

void ml_prune_summary_json(struct ml_json *w, const struct ml_search *s,
			   const struct ml_prune_order *order, struct ml_arena *a)
{
	const struct ml_combos *t = &s->combos;
	struct ml_combo_effect e[ML_COMBOS_CONSTRAINTS];
	uint64_t survivors = ml_combos_match(t, ml_combos_all(t), 0);

	(void)a;
	ml_combos_effects(t, order->at, t->constraint_count, e);
	put_text(w, "name", s->name);
	put_u64(w, "variants", t->total);
	put_u64(w, "survivors", survivors);
	put_u64(w, "combinations", t->count);
	put_text(w, "engine",
		 !s->described        ? "none"
		 : s->prune.is_native ? "native"
				      : "interpreter");
	if (s->described)
		put_params(w, &s->space);
	ml_json_key(w, "constraints");
	ml_json_array(w);
	for (size_t i = 0; i < t->constraint_count; i++)
		put_constraint(w, t, order->at[i], &e[order->at[i]]);
	ml_json_end(w);
	put_names(w, "smallest_set", t, ml_combos_smallest(t));
	put_u64(w, "nearest_miss_fails", ml_combos_nearest(t));
}

void ml_prune_rows_json(struct ml_json *w, const char *key, const struct ml_search *s,
			const struct ml_variant_list *l, const double *distances,
			struct ml_arena *a)
{
	ml_json_key(w, key);
	ml_json_array(w);
	for (size_t i = 0; i < l->count; i++) {
		ml_json_object(w);
		for (size_t p = 0; p < l->width; p++) {
			int64_t v = l->values[i * l->width + p];

			ml_json_key(w, s->space.params[p].name);
			if (s->space.params[p].words)
				ml_json_string(w, ml_space_value(&s->space, p, v, a));
			else
				ml_json_i64(w, v);
		}
		if (distances) {
			ml_json_key(w, "distance");
			ml_json_real(w, distances[i]);
		}
		put_names(w, "fails", &s->combos, l->masks[i]);
		ml_json_end(w);
	}
	ml_json_end(w);
}

void ml_prune_distributions_json(struct ml_json *w, const char *key,
				 const struct ml_search *s,
				 const struct ml_distribution *d, struct ml_arena *a)
{
	ml_json_key(w, key);
	ml_json_array(w);
	for (size_t p = 0; p < s->space.param_count; p++) {
		bool words = s->space.params[p].words != NULL && d[p].width == 1;

		ml_json_object(w);
		put_text(w, "name", s->space.params[p].name);
		ml_json_key(w, "first");
		ml_json_i64(w, d[p].lo);
		put_u64(w, "width", d[p].width);
		ml_json_key(w, "counts");
		ml_json_array(w);
		for (size_t i = 0; i < d[p].count; i++)
			ml_json_u64(w, d[p].bins[i]);
		ml_json_end(w);
		if (words) {
			ml_json_key(w, "words");
			ml_json_array(w);
			for (size_t i = 0; i < d[p].count; i++)
				ml_json_string(w,
					       ml_space_value(&s->space, p,
							      d[p].lo + (int64_t)i, a));
			ml_json_end(w);
		}
		ml_json_end(w);
	}
	ml_json_end(w);
}
