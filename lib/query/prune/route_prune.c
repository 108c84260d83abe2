#include "lib/query/prune/route_prune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/prune/sunburst.h"
#include "lib/query/prune/open_prune.h"
#include "lib/query/prune/prune_tables.h"
#include "lib/query/prune/tuned.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/ensemble/open_ensemble.h"
#include "lib/query/workspace/workspace.h"

enum {
	CELLS = 1440,
	CELLS_MAX = 16384,
	TOP = 40,
	TOP_MAX = 4096,
	PAGE = 100,
	PAGE_MAX = 10000,
	EXPORT_MAX = 1000000,
	BINS = 64,
	BINS_MAX = 4096,
	BEST = 10,
};

/* What most routes ask: the space, and variants by where=A,!B. */
struct question {
	struct ml_open_prune *x;
	const struct ml_combos *t;
	struct ml_selection_of of;
};

static bool read_question(struct question *k, struct ml_workspace *ws,
			  const struct ml_request *q, const char *otherwise,
			  struct ml_err *err)
{
	const char *where = ml_request_text(q, "where");

	k->x = ml_open_prune_ready(ws, q, err);
	if (!k->x)
		return false;
	k->t = &k->x->search.combos;
	return ml_prune_read_where(&k->of, k->t, where ? where : otherwise, err);
}

static bool read_number(const struct ml_request *q, const char *key, uint64_t otherwise,
			uint64_t max, uint64_t *v, struct ml_err *err)
{
	if (!ml_request_u64(q, key, otherwise, v, err))
		return false;
	return *v <= max ||
	       ml_fail(err, ML_USAGE, "%s is at most %llu", key, (unsigned long long)max);
}

bool ml_route_prune(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct question k;
	struct ml_prune_order order;
	struct ml_table pairs;

	if (!read_question(&k, ws, q, NULL, err) ||
	    !ml_prune_read_order(&order, k.t, ml_request_text(q, "order"), err))
		return false;
	ml_json_object(&a->json);
	ml_prune_summary_json(&a->json, &k.x->search, &order, &a->arena);
	ml_json_key(&a->json, "described");
	ml_json_bool(&a->json, k.x->search.described);
	ml_json_key(&a->json, "pairs");
	ml_prune_pairs_table(&pairs, k.t);
	ml_table_json(&pairs, &a->json);
	ml_table_release(&pairs);
	ml_json_end(&a->json);
	return true;
}

/* The ensemble with variants of the space, and its document; the first that has any. */
static void find_tuned(struct ml_workspace *ws, const struct ml_search *s, size_t machine,
		       struct ml_tuned *t, uint32_t *ensemble, struct ml_arena *a)
{
	struct ml_document *d;

	*t = (struct ml_tuned){ 0 };
	for (size_t i = 0; (d = ml_workspace_each(ws, i)) && !t->count; i++)
		if (!strcmp(d->kind->name, "ensemble")) {
			ml_tuned_read(t, s, &((struct ml_open_ensemble *)d)->e, machine,
				      a);
			*ensemble = d->number;
		}
}

bool ml_route_prune_sunburst(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct question k;
	struct ml_prune_order order;
	struct ml_sunburst s;
	struct ml_tuned tuned;
	uint64_t cells, machine;
	uint32_t ensemble, care = 0;

	if (!read_question(&k, ws, q, "", err) ||
	    !ml_prune_read_order(&order, k.t, ml_request_text(q, "order"), err) ||
	    !read_number(q, "cells", CELLS, CELLS_MAX, &cells, err) ||
	    !read_number(q, "machine", 0, TOP_MAX, &machine, err))
		return false;
	ml_sunburst(&s, k.t, order.at, order.named, k.of.care, k.of.want,
		    cells ? (size_t)cells : 1, &a->arena);
	find_tuned(ws, &k.x->search, (size_t)machine, &tuned, &ensemble, &a->arena);
	uint8_t *ring = ml_arena_alloc(&a->arena, s.count + 1);
	uint32_t *want = ml_arena_alloc(&a->arena, (s.count + 1) * sizeof(*want)),
		 *joined = ml_arena_alloc(&a->arena, (s.count + 1) * sizeof(*joined));
	double *v[4];
	for (size_t i = 0; i < 4; i++)
		v[i] = ml_arena_alloc(&a->arena, (s.count + 1) * sizeof(double));
	for (size_t i = 0; i < s.count; i++) {
		const struct ml_sector *x = &s.at[i];

		care = k.of.care;
		for (size_t r = 0; r <= x->ring; r++)
			care |= UINT32_C(1) << order.at[r];
		ring[i] = x->ring;
		want[i] = x->want;
		joined[i] = x->joined;
		v[0][i] = (double)x->from;
		v[1][i] = (double)x->count;
		v[2][i] = (double)x->failed;
		v[3][i] = x->joined > 1
				  ? NAN
				  : ml_tuned_best(&tuned, care, x->want | k.of.want);
	}
	ml_answer_columns(a);
	ml_answer_u64(a, "total", s.total);
	ml_answer_u64(a, "all", k.t->total);
	ml_answer_u64(a, "rings", order.named);
	ml_answer_u64(a, "survivors", ml_combos_match(k.t, ml_combos_all(k.t), 0));
	ml_answer_column(a, "ring", ML_TYPE_U8, ring, s.count);
	ml_answer_column(a, "want", ML_TYPE_U32, want, s.count);
	ml_answer_column(a, "joined", ML_TYPE_U32, joined, s.count);
	ml_answer_column(a, "from", ML_TYPE_F64, v[0], s.count);
	ml_answer_column(a, "count", ML_TYPE_F64, v[1], s.count);
	ml_answer_column(a, "failed", ML_TYPE_F64, v[2], s.count);
	ml_answer_column(a, "best", ML_TYPE_F64, v[3], s.count);
	return true;
}

static int by_count(const void *a, const void *b)
{
	const struct ml_combo *p = a, *q = b;

	if (p->count != q->count)
		return p->count < q->count ? 1 : -1;
	return (p->mask > q->mask) - (p->mask < q->mask);
}

bool ml_route_prune_combinations(struct ml_workspace *ws, const struct ml_request *q,
				 struct ml_answer *a, struct ml_err *err)
{
	struct question k;
	uint64_t top;

	if (!read_question(&k, ws, q, "", err) ||
	    !read_number(q, "top", TOP, TOP_MAX, &top, err))
		return false;
	struct ml_combo *all = ml_arena_alloc(&a->arena, (k.t->count + 1) * sizeof(*all));
	size_t n = 0;
	for (size_t i = 0; i < k.t->count; i++)
		if ((k.t->at[i].mask & k.of.care) == k.of.want)
			all[n++] = k.t->at[i];
	qsort(all, n, sizeof(*all), by_count);
	ml_json_object(&a->json);
	ml_answer_u64(a, "combinations", n);
	ml_json_key(&a->json, "rows");
	ml_json_array(&a->json);
	for (size_t i = 0; i < n && i < top; i++) {
		ml_json_object(&a->json);
		ml_answer_u64(a, "mask", all[i].mask);
		ml_answer_u64(a, "count", all[i].count);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

bool ml_route_prune_variants(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct question k;
	struct ml_variant_list l;
	uint64_t offset, count, sample, seed;

	if (!read_question(&k, ws, q, NULL, err) ||
	    !ml_search_described(&k.x->search, err) ||
	    !read_number(q, "offset", 0, UINT64_MAX, &offset, err) ||
	    !read_number(q, "count", PAGE, PAGE_MAX, &count, err) ||
	    !read_number(q, "sample", 0, 1, &sample, err) ||
	    !read_number(q, "seed", 1, UINT64_MAX, &seed, err))
		return false;
	uint64_t total = ml_combos_match(k.t, k.of.care, k.of.want);
	if (sample ? !ml_variant_list_sample(&l, &k.x->search.prune, k.of, total,
					     (size_t)count, seed, &a->arena, &q->work,
					     err)
		   : !ml_variant_list_page(&l, &k.x->search.prune, k.of, offset,
					   (size_t)count, &a->arena, &q->work, err))
		return false;
	ml_json_object(&a->json);
	ml_answer_u64(a, "total", total);
	ml_answer_u64(a, "offset", offset);
	ml_prune_rows_json(&a->json, "rows", &k.x->search, &l, NULL, &a->arena);
	ml_json_end(&a->json);
	return true;
}

bool ml_route_prune_distributions(struct ml_workspace *ws, const struct ml_request *q,
				  struct ml_answer *a, struct ml_err *err)
{
	struct ml_distribution d[ML_SPACE_PARAMS];
	struct question k;
	uint64_t bins;

	if (!read_question(&k, ws, q, NULL, err) ||
	    !ml_search_described(&k.x->search, err) ||
	    !read_number(q, "bins", BINS, BINS_MAX, &bins, err) ||
	    !ml_variant_list_distributions(d, &k.x->search.prune, k.of,
					   bins ? (size_t)bins : 1, &a->arena, &q->work,
					   err))
		return false;
	ml_json_object(&a->json);
	ml_answer_u64(a, "total", ml_combos_match(k.t, k.of.care, k.of.want));
	ml_prune_distributions_json(&a->json, "parameters", &k.x->search, d, &a->arena);
	ml_json_end(&a->json);
	return true;
}

bool ml_route_prune_nearest(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	struct question k;
	struct ml_variant_list l;
	double *distances;
	uint64_t count;

	if (!read_question(&k, ws, q, NULL, err) ||
	    !ml_search_described(&k.x->search, err) ||
	    !read_number(q, "count", 10, PAGE_MAX, &count, err) ||
	    !ml_variant_list_nearest(&l, &distances, &k.x->search.prune, k.t,
				     (size_t)count, &a->arena, &q->work, err))
		return false;
	ml_json_object(&a->json);
	ml_answer_u64(a, "fails", ml_combos_nearest(k.t));
	ml_prune_rows_json(&a->json, "rows", &k.x->search, &l, distances, &a->arena);
	ml_json_end(&a->json);
	return true;
}

bool ml_route_prune_export(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	const char *table = ml_request_text(q, "table");
	struct question k;
	struct ml_prune_order order;
	struct ml_variant_list l;
	struct ml_table rows;

	if (!read_question(&k, ws, q, NULL, err) ||
	    !ml_prune_read_order(&order, k.t, ml_request_text(q, "order"), err))
		return false;
	a->kind = ML_ANSWER_TEXT;
	if (!table || !strcmp(table, "combinations")) {
		ml_combos_csv(k.t, &a->head);
		return true;
	}
	if (!strcmp(table, "constraints"))
		ml_prune_effects_table(&rows, k.t, &order);
	else if (!strcmp(table, "pairs"))
		ml_prune_pairs_table(&rows, k.t);
	else if (!strcmp(table, "variants")) {
		if (!ml_search_described(&k.x->search, err) ||
		    !ml_variant_list_page(&l, &k.x->search.prune, k.of, 0, EXPORT_MAX,
					  &a->arena, &q->work, err))
			return false;
		ml_prune_rows_table(&rows, &k.x->search, &l, NULL, &a->arena);
	} else
		return ml_fail(err, ML_USAGE,
			       "table is combinations, constraints, pairs or variants, "
			       "not '%s'",
			       table);
	ml_table_csv(&rows, &a->head);
	ml_table_release(&rows);
	return true;
}

bool ml_route_prune_tuned(struct ml_workspace *ws, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	struct question k;
	struct ml_tuned t;
	uint32_t ensemble = 0;
	uint64_t machine, top, best;

	if (!read_question(&k, ws, q, NULL, err) ||
	    !read_number(q, "machine", 0, TOP_MAX, &machine, err) ||
	    !read_number(q, "top", PAGE, PAGE_MAX, &top, err) ||
	    !read_number(q, "best", BEST, PAGE_MAX, &best, err))
		return false;
	find_tuned(ws, &k.x->search, (size_t)machine, &t, &ensemble, &a->arena);
	ml_json_object(&a->json);
	ml_json_key(&a->json, "ensemble");
	if (t.count)
		ml_json_u64(&a->json, ensemble);
	else
		ml_json_null(&a->json);
	ml_tuned_json(&a->json, &t, &k.x->search, (size_t)top, (size_t)best, &a->arena);
	ml_json_end(&a->json);
	return true;
}

bool ml_route_prune_cancel(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_prune *x = (struct ml_open_prune *)ml_workspace_document(
		ws, "prune", q->number[0], err);

	if (!x)
		return false;
	if (x->job)
		ml_workspace_job_cancel(x->job);
	ml_json_object(&a->json);
	ml_json_end(&a->json);
	return true;
}
