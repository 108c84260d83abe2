#include "lib/query/samples/route_samples.h"

#include "lib/query/samples/row_groups.h"
#include "lib/query/samples/sample_request.h"
#include "lib/samples/read/read_options.h"

/* How the file was read: what the person mapped, and whether there is an L1 to guess. */
static void put_reading(struct ml_json *w, struct ml_open_samples *x,
			const struct ml_samples *s)
{
	pthread_mutex_lock(&x->lock);
	ml_json_key_string(w, "mapped", x->columns);
	ml_json_key_u64(w, "l1Latency", x->l1_latency);
	pthread_mutex_unlock(&x->lock);
	ml_json_key_bool(w, "l1Guessed", ml_samples_find(s, "ibs_latency") >= 0);
	ml_json_key_array(w, "roles");
	for (int i = ML_SAMPLES_NO_ROLE + 1; i < ML_SAMPLES_ROLES; i++)
		ml_json_string(w, ml_samples_role_name((enum ml_samples_role)i));
	ml_json_end(w);
}

bool ml_route_samples(struct ml_workspace *ws, const struct ml_request *q,
		      struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_samples *x = ml_open_samples(ws, q->number[0], err);
	struct ml_json *w = &a->json;

	if (!x)
		return false;
	const struct ml_samples *s = &ml_open_samples_table(x)->s;
	ml_json_object(w);
	ml_json_key_string(w, "format", s->format);
	ml_json_key_string(w, "note", s->note);
	ml_json_key_u64(w, "rows", s->rows);
	ml_json_key_u64(w, "skipped", s->skipped);
	ml_json_key_u64(w, "elsewhere", ml_samples_elsewhere(s));
	ml_json_key_u64(w, "bad", s->bad);
	ml_json_key_array(w, "badLines");
	for (size_t i = 0; i < s->bad && i < ML_SAMPLES_BAD_SHOWN; i++) {
		ml_json_object(w);
		ml_json_key_u64(w, "line", s->bad_shown[i].line);
		ml_json_key_string(w, "reason", s->bad_shown[i].reason);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_key_array(w, "tables");
	for (size_t i = 0; ml_sample_table_names[i]; i++)
		if (ml_sample_table_has(ml_sample_table_names[i], s))
			ml_json_string(w, ml_sample_table_names[i]);
	ml_json_end(w);
	ml_json_key_array(w, "tiers");
	for (size_t i = 0; i < s->topology.tier_count; i++) {
		ml_json_object(w);
		ml_json_key_string(w, "name", s->topology.tiers[i].name);
		ml_json_key_u64(w, "resources", s->topology.tiers[i].count);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_key_array(w, "single");
	for (size_t i = 0; i < s->count; i++)
		if (s->columns[i].min == s->columns[i].max &&
		    !s->columns[i].missing_count)
			ml_json_u64(w, i);
	ml_json_end(w);
	put_reading(w, x, s);
	struct ml_sample_question all;
	struct ml_table t;
	size_t rows;
	ml_sample_question_init(&all, s, &a->arena);
	bool ok = ml_sample_table(&t, &rows, "columns", &all, err);
	ml_json_key(w, "columns");
	ml_table_json(&t, w);
	ml_table_release(&t);
	ml_json_end(w);
	return ok;
}

bool ml_route_samples_table(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	const char *name = ml_request_text(q, "table");
	struct ml_sample_request r;
	struct ml_table t;
	size_t all;

	if (!ml_sample_request_read(&r, ws, q, a, err) ||
	    !ml_sample_table(&t, &all, name ? name : "lines", &r.q, err))
		return false;
	ml_json_object(&a->json);
	ml_json_key_string(&a->json, "table", name ? name : "lines");
	ml_json_key_u64(&a->json, "all", all);
	ml_json_key(&a->json, "rows");
	ml_table_json(&t, &a->json);
	ml_json_end(&a->json);
	ml_table_release(&t);
	return true;
}

static void put_totals(struct ml_answer *a, const struct ml_sample_request *r,
		       const struct ml_selection *sel)
{
	int latency = r->s->role[ML_SAMPLES_LATENCY],
	    level = r->s->role[ML_SAMPLES_LEVEL];
	struct ml_totals totals;

	ml_json_key_u64(&a->json, "selected", ml_selection_count(sel));
	if (latency < 0)
		return;
	/* the sum over any grouping is that of all; few groups are fast */
	const struct ml_row_groups *g =
		ml_open_table_groups(r->table, level >= 0 ? level : latency, -1);
	if (g)
		ml_row_groups_totals(g, &totals, r->s, sel, ML_TOTAL_BY_CYCLES,
				     &a->arena);
	else
		ml_totals_by(&totals, r->s, sel, latency, -1, ML_TOTAL_BY_CYCLES,
			     &a->arena);
	ml_json_key_u64(&a->json, "cycles", totals.all.cycles);
	ml_json_key_real(&a->json, "mean", ml_total_mean(&totals.all));
}

bool ml_route_samples_select(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct ml_sample_request r;

	if (!ml_sample_request_read(&r, ws, q, a, err))
		return false;
	ml_json_object(&a->json);
	ml_json_key_u64(&a->json, "rows", r.s->rows);
	put_totals(a, &r, &r.q.selected);
	if (r.has_also) {
		ml_json_key_object(&a->json, "also");
		put_totals(a, &r, &r.also);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	return true;
}

bool ml_route_samples_read(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_samples *x = ml_open_samples(ws, q->number[0], err);
	const char *columns = ml_request_text(q, "columns");
	struct ml_read_options o = { .columns = columns && *columns ? columns : NULL };

	if (!x || !ml_request_u64(q, "l1", x->l1_latency, &o.l1_latency, err) ||
	    !ml_open_samples_read(x, &o, err))
		return false;
	return ml_route_samples(ws, q, a, err);
}
