#include "lib/query/samples/route_samples.h"

#include <stdlib.h>
#include <string.h>

#include "lib/query/samples/open_samples.h"
#include "lib/query/samples/sample_tables.h"
#include "lib/query/workspace/answer.h"
#include "lib/samples/loads.h"

enum { BINS = 100, ROWS = 1000 };

/* What most routes ask: the table and the selection. */
struct asked {
	struct ml_open_samples *x;
	struct ml_sample_question q;
};

static bool read_asked(struct asked *k, struct ml_workspace *ws,
		       const struct ml_request *q, struct ml_answer *a,
		       struct ml_err *err)
{
	k->x = ml_open_samples(ws, q->number[0], err);
	if (!k->x)
		return false;
	ml_sample_question_init(&k->q, &k->x->s, &a->arena);
	k->q.work = &q->work;
	return ml_request_u64(q, "top", ROWS, &k->q.top, err) &&
	       ml_request_u64(q, "windows", k->q.windows, &k->q.windows, err) &&
	       ml_request_u64(q, "width", 0, &k->q.width, err) &&
	       ml_request_u64(q, "step", 0, &k->q.step, err) &&
	       ml_request_u64(q, "clusters", k->q.clusters, &k->q.clusters, err) &&
	       ml_request_u64(q, "depth", UINT64_MAX, &k->q.depth, err) &&
	       ml_sample_question_set(
		       &k->q, ml_request_text(q, "select"), ml_request_text(q, "by"),
		       ml_request_text(q, "empty"), ml_request_text(q, "metric"),
		       ml_request_text(q, "along"), ml_request_text(q, "tier"), err);
}

/* The column that a parameter names; its bins. */
static bool read_column(const struct asked *k, const struct ml_request *q,
			const char *key, size_t *column, struct ml_err *err)
{
	const char *name = ml_request_text(q, key);
	int found = name ? ml_samples_find(&k->x->s, name) : -1;

	if (!name)
		return ml_fail(err, ML_USAGE, "%s=COLUMN is missing", key);
	if (found < 0)
		return ml_fail(err, ML_USAGE, "there is no column '%s'", name);
	*column = (size_t)found;
	return true;
}

static const struct ml_bins *read_bins(const struct asked *k, const struct ml_request *q,
				       size_t column, struct ml_err *err)
{
	uint64_t bins;

	if (!ml_request_u64(q, "bins", BINS, &bins, err))
		return NULL;
	if (bins < 1 || bins > ML_BINS_MAX) {
		ml_fail(err, ML_USAGE, "bins=%llu is not 1 to %d",
			(unsigned long long)bins, ML_BINS_MAX);
		return NULL;
	}
	return ml_open_samples_bins(k->x, column, (size_t)bins, err);
}

bool ml_route_samples(struct ml_workspace *ws, const struct ml_request *q,
		      struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_samples *x = ml_open_samples(ws, q->number[0], err);
	struct ml_json *w = &a->json;

	if (!x)
		return false;
	const struct ml_samples *s = &x->s;
	ml_json_object(w);
	ml_json_key_string(w, "format", s->format);
	ml_json_key_string(w, "note", s->note);
	ml_json_key_u64(w, "rows", s->rows);
	ml_json_key_u64(w, "skipped", s->skipped);
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
	struct asked k;
	struct ml_table t;
	size_t all;

	if (!read_asked(&k, ws, q, a, err) ||
	    !ml_sample_table(&t, &all, name ? name : "lines", &k.q, err))
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

static void put_edges(struct ml_answer *a, const struct asked *k, const char *key,
		      size_t column, const struct ml_bins *b)
{
	const struct ml_samples_column *c = &k->x->s.columns[column];
	char text[ML_SAMPLES_TEXT];

	ml_json_key_array(&a->json, key);
	for (size_t i = 0; i <= b->count; i++)
		ml_json_string(&a->json, ml_samples_text(c, ml_bins_low(c, b, i), text));
	ml_json_end(&a->json);
}

bool ml_route_samples_histogram(struct ml_workspace *ws, const struct ml_request *q,
				struct ml_answer *a, struct ml_err *err)
{
	const struct ml_bins *b;
	struct asked k;
	size_t column = 0;

	if (!read_asked(&k, ws, q, a, err) ||
	    !read_column(&k, q, "column", &column, err) ||
	    !(b = read_bins(&k, q, column, err)))
		return false;
	uint64_t *counts = ml_arena_alloc(&a->arena, (b->count + 1) * sizeof(*counts));
	ml_bins_histogram(b, &k.q.selected, counts);
	ml_answer_columns(a);
	ml_answer_u64(a, "bins", b->count);
	ml_answer_u64(a, "missing", counts[b->count]);
	put_edges(a, &k, "edges", column, b);
	ml_answer_column(a, "counts", ML_TYPE_U64, counts, b->count);
	return true;
}

struct link {
	uint64_t count;
	uint16_t left, right;
};

static int by_count(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	return x->right < y->right ? -1 : x->right > y->right;
}

bool ml_route_samples_pairs(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	const struct ml_bins *x, *y;
	struct asked k;
	size_t left = 0, right = 0, n = 0;

	if (!read_asked(&k, ws, q, a, err) || !read_column(&k, q, "left", &left, err) ||
	    !read_column(&k, q, "right", &right, err) ||
	    !(x = read_bins(&k, q, left, err)) || !(y = read_bins(&k, q, right, err)))
		return false;
	size_t cells = (x->count + 1) * (y->count + 1);
	uint64_t *all = ml_arena_alloc(&a->arena, cells * sizeof(*all));
	ml_bins_pairs(x, y, &k.q.selected, all);
	for (size_t i = 0; i < cells; i++)
		n += all[i] != 0;
	struct link *links = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*links));
	uint64_t *counts = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*counts));
	uint16_t *l = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*l)),
		 *r = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*r));
	n = 0;
	for (size_t i = 0; i < cells; i++)
		if (all[i])
			links[n++] = (struct link){ all[i],
						    (uint16_t)(i / (y->count + 1)),
						    (uint16_t)(i % (y->count + 1)) };
	qsort(links, n, sizeof(*links),
	      by_count); /* the strongest last, as they are drawn */
	for (size_t i = 0; i < n; i++) {
		counts[i] = links[i].count;
		l[i] = links[i].left;
		r[i] = links[i].right;
	}
	ml_answer_columns(a);
	ml_answer_u64(a, "leftBins", x->count);
	ml_answer_u64(a, "rightBins", y->count);
	ml_answer_column(a, "counts", ML_TYPE_U64, counts, n);
	ml_answer_column(a, "left", ML_TYPE_U16, l, n);
	ml_answer_column(a, "right", ML_TYPE_U16, r, n);
	return true;
}

bool ml_route_samples_topology(struct ml_workspace *ws, const struct ml_request *q,
			       struct ml_answer *a, struct ml_err *err)
{
	struct ml_json *w = &a->json;
	struct ml_loads_map m;
	struct ml_loads l;
	struct asked k;

	if (!read_asked(&k, ws, q, a, err) ||
	    !ml_loads_map_init(&m, &k.x->s, &a->arena, err))
		return false;
	const struct ml_topology *t = &k.x->s.topology;
	ml_loads_count(&l, &m, &k.q.selected, &a->arena);
	struct ml_node_load *n = ml_loads_nodes(&l, &m, &a->arena);
	uint64_t unknown = 0;
	for (unsigned i = 0; i < ML_LEVELS; i++)
		unknown += l.cell[m.cpus * ML_LEVELS + i].samples;
	ml_json_object(w);
	ml_json_key_string(w, "name", t->name);
	ml_json_key_u64(w, "withoutCpu", unknown);
	ml_json_key_array(w, "nodes");
	for (uint32_t i = 0; i < t->count; i++) {
		ml_json_object(w);
		ml_json_key_u64(w, "parent", t->nodes[i].parent);
		ml_json_key_u64(w, "tier", t->nodes[i].tier);
		ml_json_key_string(w, "label", ml_topology_label(t, i, &a->arena));
		ml_json_key_u64(w, "size", t->nodes[i].size);
		ml_json_key_u64(w, "samples", n[i].load.samples);
		ml_json_key_u64(w, "cycles", n[i].load.cycles);
		ml_json_key_u64(w, "transactions", n[i].transactions);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
	return true;
}

bool ml_route_samples_select(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct asked k;
	struct ml_totals totals;

	if (!read_asked(&k, ws, q, a, err))
		return false;
	ml_json_object(&a->json);
	ml_json_key_u64(&a->json, "rows", k.x->s.rows);
	ml_json_key_u64(&a->json, "selected", ml_selection_count(&k.q.selected));
	if (k.x->s.role[ML_SAMPLES_LATENCY] >= 0) {
		/* the sum over any grouping is that of all */
		ml_totals_by(&totals, &k.x->s, &k.q.selected,
			     k.x->s.role[ML_SAMPLES_LATENCY], -1, ML_TOTAL_BY_CYCLES,
			     &a->arena);
		ml_json_key_u64(&a->json, "cycles", totals.all.cycles);
		ml_json_key_real(&a->json, "mean", ml_total_mean(&totals.all));
	}
	ml_json_end(&a->json);
	return true;
}
