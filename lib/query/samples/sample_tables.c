#include "lib/query/samples/sample_tables.h"

#include <string.h>

#include "lib/base/err.h"
#include "lib/query/samples/resource_text.h"
#include "lib/samples/information.h"
#include "lib/samples/loads.h"

enum { WINDOWS = 20, CLUSTERS = 5, LEAVES = 500 };

void ml_sample_question_init(struct ml_sample_question *q, const struct ml_samples *s,
			     struct ml_arena *a)
{
	*q = (struct ml_sample_question){
		.s = s,
		.selected = ml_selection_all(s->rows, a),
		.along = s->role[ML_SAMPLES_TIME],
		.tier = ml_topology_tier(&s->topology, "CPU"),
		.windows = WINDOWS,
		.clusters = CLUSTERS,
		.depth = UINT64_MAX,
		.top = UINT64_MAX,
		.arena = a,
	};
}

static bool set_order(struct ml_sample_question *q, const char *text, struct ml_err *err)
{
	static const char *const orders[] = { "cycles", "samples", "mean" };

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(text, orders[i])) {
			q->order = (enum ml_total_order)i;
			return true;
		}
	return ml_fail(err, ML_USAGE,
		       "rows are ordered by cycles, samples or mean, not by '%s'", text);
}

bool ml_sample_question_set(struct ml_sample_question *q, const char *select,
			    const char *order, const char *empty, const char *metric,
			    const char *along, const char *tier, struct ml_err *err)
{
	if (select) {
		select = ml_resource_expand(select, q->s, q->arena, err);
		if (!select ||
		    !ml_selection_parse(&q->selected, q->s, select, q->arena, err))
			return false;
	}
	if ((order && !set_order(q, order, err)) ||
	    (empty && !ml_empty_of(empty, &q->empty, err)) ||
	    (metric && !ml_metric_of(metric, &q->metric, err)))
		return false;
	if (along) {
		enum ml_samples_role role = ml_samples_role_of(along, strlen(along));

		q->along = ml_samples_find(q->s, along);
		if (q->along < 0 && role != ML_SAMPLES_ROLES)
			q->along = q->s->role[role];
		if (q->along < 0)
			return ml_fail(err, ML_USAGE, "%s: there is no column '%s'",
				       q->s->path, along);
	}
	if (tier) {
		q->tier = ml_topology_tier(&q->s->topology, tier);
		if (q->tier < 0)
			return ml_fail(err, ML_USAGE,
				       "%s: the hardware has no resources '%s'",
				       q->s->path, tier);
	}
	return true;
}

static const char *text_of(const struct ml_sample_question *q,
			   const struct ml_samples_column *c, uint64_t bits)
{
	char text[ML_SAMPLES_TEXT];

	return ml_arena_strdup(q->arena, ml_samples_text(c, bits, text));
}

static bool columns_table(struct ml_table *t, size_t *all,
			  const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "column", ML_COLUMN_TEXT, NULL, 0 },
		{ "type", ML_COLUMN_TEXT, NULL, 0 },
		{ "role", ML_COLUMN_TEXT, NULL, 0 },
		{ "min", ML_COLUMN_TEXT, NULL, 0 },
		{ "max", ML_COLUMN_TEXT, NULL, 0 },
		{ "names", ML_COLUMN_COUNT, NULL, 0 },
		{ "missing", ML_COLUMN_COUNT, NULL, 0 },
		{ "bytes", ML_COLUMN_COUNT, NULL, 0 },
	};
	const struct ml_samples *s = q->s;

	(void)err;
	*t = (struct ml_table){ .columns = heads, .width = 8 };
	*all = s->count;
	for (size_t i = 0; i < s->count && i < q->top; i++) {
		const struct ml_samples_column *c = &s->columns[i];
		bool names = c->kind == ML_SAMPLES_NAMES;

		ml_table_text(t, c->name);
		ml_table_text(t, ml_samples_kind_name(c));
		ml_table_text(t, c->role ? ml_samples_role_name(c->role) : NULL);
		ml_table_text(t, names ? NULL : text_of(q, c, c->min));
		ml_table_text(t, names ? NULL : text_of(q, c, c->max));
		if (names)
			ml_table_count(t, c->name_count);
		else
			ml_table_no_value(t);
		ml_table_count(t, c->missing_count);
		ml_table_count(t, c->width);
	}
	return true;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Tables of totals: what they group by. */
static const struct by {
	const char *name, *key;
	enum ml_samples_role first, second;
} bys[] = {
	{ "lines", "line", ML_SAMPLES_FILE, ML_SAMPLES_LINE },
	{ "functions", "function", ML_SAMPLES_FUNCTION, ML_SAMPLES_NO_ROLE },
	{ "variables", "variable", ML_SAMPLES_VARIABLE, ML_SAMPLES_NO_ROLE },
	{ "levels", "level", ML_SAMPLES_LEVEL, ML_SAMPLES_NO_ROLE },
	{ "cpus", "cpu", ML_SAMPLES_CPU, ML_SAMPLES_NO_ROLE },
	{ "threads", "thread", ML_SAMPLES_THREAD, ML_SAMPLES_NO_ROLE },
};

static const struct by *find_by(const char *name)
{
	for (size_t i = 0; i < sizeof(bys) / sizeof(*bys); i++)
		if (!strcmp(bys[i].name, name))
			return &bys[i];
	return NULL;
}

static const char *value_text(const struct ml_sample_question *q, int column,
			      const struct ml_total *x, size_t i)
{
	return x->missing[i] ? "??" : text_of(q, &q->s->columns[column], x->value[i]);
}

static bool totals_table(struct ml_table *t, size_t *all, const struct by *by,
			 const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "samples", ML_COLUMN_COUNT, NULL, 0 },
		{ "cycles", ML_COLUMN_COUNT, NULL, 0 },
		{ "share", ML_COLUMN_PERCENT, NULL, 1 },
		{ "mean", ML_COLUMN_REAL, NULL, 1 },
		{ "error", ML_COLUMN_REAL, NULL, 1 }, /* of the mean */
		{ "name", ML_COLUMN_TEXT, NULL, 0 },
	};
	const struct ml_samples *s = q->s;
	int first = s->role[by->first], second = by->second ? s->role[by->second] : -1;
	struct ml_totals totals;
	uint64_t cycles = 0;

	if (first < 0)
		return ml_fail(err, ML_USAGE, "%s: no column tells the %s of a sample",
			       s->path, ml_samples_role_name(by->first));
	*t = (struct ml_table){ .columns = heads, .width = 6 };
	ml_totals_by(&totals, s, &q->selected, first, second, q->order, q->arena);
	*all = totals.count;
	for (size_t i = 0; i < totals.count; i++) /* sums below 0 count 0 */
		cycles += totals.list[i].cycles;
	for (size_t i = 0; i < totals.count && i < q->top; i++) {
		const struct ml_total *x = &totals.list[i];
		const char *name = value_text(q, first, x, 0);

		if (second >= 0)
			name = ml_arena_printf(q->arena, "%s:%s", name,
					       value_text(q, second, x, 1));
		ml_table_count(t, x->samples);
		ml_table_count(t, x->cycles);
		ml_table_real(t, cycles ? share(x->cycles, cycles)
					: share(x->samples, totals.all.samples));
		if (x->timed)
			ml_table_real(t, ml_total_mean(x));
		else
			ml_table_no_value(t);
		if (x->timed > 1)
			ml_table_real(t, ml_total_error(x));
		else
			ml_table_no_value(t);
		ml_table_text(t, name);
	}
	return true;
}

/* Loads of the selected samples on the hardware. */
static bool count_loads(const struct ml_sample_question *q, struct ml_loads_map *m,
			struct ml_loads *l, struct ml_err *err)
{
	if (!ml_loads_map_init(m, q->s, q->arena, err))
		return false;
	ml_loads_count(l, m, &q->selected, q->arena);
	return true;
}

static bool hardware_table(struct ml_table *t, size_t *all,
			   const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "node", ML_COLUMN_COUNT, NULL, 0 },
		{ "parent", ML_COLUMN_COUNT, NULL, 0 },
		{ "samples", ML_COLUMN_COUNT, NULL, 0 },
		{ "cycles", ML_COLUMN_COUNT, NULL, 0 },
		{ "mean", ML_COLUMN_REAL, NULL, 1 },
		{ "transactions", ML_COLUMN_COUNT, NULL, 0 },
		{ "size", ML_COLUMN_BYTES, NULL, 0 },
		{ "resource", ML_COLUMN_TEXT, NULL, 0 },
	};
	const struct ml_topology *topology = &q->s->topology;
	struct ml_loads_map m;
	struct ml_loads l;

	if (!count_loads(q, &m, &l, err))
		return false;
	struct ml_node_load *n = ml_loads_nodes(&l, &m, q->arena);
	*t = (struct ml_table){ .columns = heads, .width = 8 };
	*all = topology->count;
	for (uint32_t i = 0; i < topology->count && i < q->top; i++) {
		ml_table_count(t, i);
		ml_table_count(t, topology->nodes[i].parent);
		ml_table_count(t, n[i].load.samples);
		ml_table_count(t, n[i].load.cycles);
		if (n[i].load.timed)
			ml_table_real(t,
				      (double)n[i].load.cycles / (double)n[i].load.timed);
		else
			ml_table_no_value(t);
		ml_table_count(t, n[i].transactions);
		if (topology->nodes[i].size)
			ml_table_count(t, topology->nodes[i].size);
		else
			ml_table_no_value(t);
		ml_table_text(t, ml_topology_label(topology, i, q->arena));
	}
	return true;
}

static void put_metrics(struct ml_table *t, const struct ml_metrics *m)
{
	ml_table_count(t, m->used);
	ml_table_count(t, m->samples);
	ml_table_count(t, m->cycles);
	if (m->samples) {
		ml_table_real(t, m->latency);
		ml_table_real(t, m->imbalance);
	} else {
		ml_table_no_value(t);
		ml_table_no_value(t);
	}
}

#define METRICS \
	{ "used", ML_COLUMN_COUNT, NULL, 0 }, { "samples", ML_COLUMN_COUNT, NULL, 0 }, \
		{ "cycles", ML_COLUMN_COUNT, NULL, 0 }, \
		{ "latency", ML_COLUMN_REAL, NULL, 2 }, \
	{ \
		"imbalance", ML_COLUMN_REAL, NULL, 3 \
	}

static bool metrics_table(struct ml_table *t, size_t *all,
			  const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "depth", ML_COLUMN_COUNT, NULL, 0 },
		{ "tier", ML_COLUMN_TEXT, NULL, 0 },
		{ "resources", ML_COLUMN_COUNT, NULL, 0 },
		METRICS,
	};
	struct ml_loads_map m;
	struct ml_loads l;

	if (!count_loads(q, &m, &l, err))
		return false;
	*t = (struct ml_table){ .columns = heads, .width = 8 };
	*all = q->s->topology.tier_count;
	for (size_t i = 0; i < *all; i++) {
		struct ml_metrics x = ml_metrics_tier(&l, &m, i, q->empty, q->arena);

		ml_table_count(t, i);
		ml_table_text(t, q->s->topology.tiers[i].name);
		ml_table_count(t, x.resources);
		put_metrics(t, &x);
	}
	return true;
}

static bool check_along(const struct ml_sample_question *q, struct ml_err *err)
{
	if (q->along < 0)
		return ml_fail(err, ML_USAGE,
			       "%s: no column tells the time; say along which column",
			       q->s->path);
	if (q->tier < 0)
		return ml_fail(err, ML_USAGE, "%s: the hardware has no CPUs", q->s->path);
	return true;
}

static bool windows_table(struct ml_table *t, size_t *all,
			  const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "from", ML_COLUMN_TEXT, NULL, 0 },
		{ "to", ML_COLUMN_TEXT, NULL, 0 },
		METRICS,
	};
	struct ml_loads_map m;
	struct ml_window *list;

	if (!ml_loads_map_init(&m, q->s, q->arena, err) || !check_along(q, err))
		return false;
	if (q->windows < 1 || q->windows > 1000)
		return ml_fail(err, ML_USAGE, "there are 1 to 1000 windows, not %llu",
			       (unsigned long long)q->windows);
	const struct ml_samples_column *c = &q->s->columns[q->along];
	*t = (struct ml_table){ .columns = heads, .width = 7 };
	*all = ml_metrics_windows(&list, &m, &q->selected, (size_t)q->along,
				  (size_t)q->tier, (size_t)q->windows, q->empty,
				  q->arena);
	for (size_t i = 0; i < *all && i < q->top; i++) {
		ml_table_text(t, text_of(q, c, list[i].low));
		ml_table_text(t, text_of(q, c, list[i].high));
		put_metrics(t, &list[i].m);
	}
	return true;
}

static bool clusters_table(struct ml_table *t, size_t *all,
			   const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "cluster", ML_COLUMN_COUNT, NULL, 0 },
		{ "depth", ML_COLUMN_COUNT, NULL, 0 },
		{ "from", ML_COLUMN_TEXT, NULL, 0 },
		{ "to", ML_COLUMN_TEXT, NULL, 0 },
		METRICS,
	};
	uint64_t rows = ml_selection_count(&q->selected);
	uint64_t step = q->step    ? q->step
			: q->width ? (q->width + 1) / 2
				   : rows / LEAVES + 1;
	uint64_t width = q->width ? q->width : 2 * step;
	struct ml_loads_map m;
	struct ml_clusters c;

	if (!ml_loads_map_init(&m, q->s, q->arena, err) || !check_along(q, err) ||
	    !ml_clusters_make(&c, &m, &q->selected, (size_t)q->along, (size_t)q->tier,
			      q->metric, width, step, q->empty, q->work, q->arena, err))
		return false;
	uint32_t *cut = ml_arena_alloc(q->arena, (c.leaves + 1) * sizeof(*cut));
	size_t n = q->depth == UINT64_MAX
			   ? ml_clusters_cut(&c, (size_t)q->clusters, cut)
			   : ml_clusters_at_depth(&c,
						  q->depth < UINT32_MAX
							  ? (uint32_t)q->depth
							  : UINT32_MAX,
						  cut);
	*t = (struct ml_table){ .columns = heads, .width = 9 };
	*all = n;
	for (size_t i = 0; i < n && i < q->top; i++) {
		const struct ml_cluster *x = &c.list[cut[i]];

		ml_table_count(t, cut[i]);
		ml_table_count(t, x->depth);
		ml_table_text(t, text_of(q, &q->s->columns[q->along], x->window.low));
		ml_table_text(t, text_of(q, &q->s->columns[q->along], x->window.high));
		put_metrics(t, &x->window.m);
	}
	return true;
}

static bool related_table(struct ml_table *t, size_t *all,
			  const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "share", ML_COLUMN_PERCENT, NULL, 1 },
		{ "bits", ML_COLUMN_REAL, NULL, 3 },
		{ "column", ML_COLUMN_TEXT, NULL, 0 },
		{ "with", ML_COLUMN_TEXT, NULL, 0 },
	};
	struct ml_dependence *list;

	(void)err;
	*t = (struct ml_table){ .columns = heads, .width = 4 };
	*all = ml_information_pairs(&list, q->s, &q->selected, q->arena);
	for (size_t i = 0; i < *all && i < q->top; i++) {
		ml_table_real(t, list[i].share);
		ml_table_real(t, list[i].bits);
		ml_table_text(t, q->s->columns[list[i].a].name);
		ml_table_text(t, q->s->columns[list[i].b].name);
	}
	return true;
}

static bool special_table(struct ml_table *t, size_t *all,
			  const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct ml_column heads[] = {
		{ "divergence", ML_COLUMN_REAL, NULL, 3 },
		{ "selected", ML_COLUMN_PERCENT, NULL, 1 },
		{ "others", ML_COLUMN_PERCENT, NULL, 1 },
		{ "column", ML_COLUMN_TEXT, NULL, 0 },
		{ "values", ML_COLUMN_TEXT, NULL, 0 },
	};
	struct ml_special *list;

	*t = (struct ml_table){ .columns = heads, .width = 5 };
	*all = ml_information_special(&list, q->s, &q->selected, q->arena);
	if (!*all && q->s->rows)
		return ml_fail(
			err, ML_USAGE,
			"what is special needs a selection of some of the samples, not of "
			"all or none");
	for (size_t i = 0; i < *all && i < q->top; i++) {
		const struct ml_samples_column *c = &q->s->columns[list[i].column];
		const char *low = list[i].rest ? "the rest" : text_of(q, c, list[i].low);

		ml_table_real(t, list[i].divergence);
		ml_table_real(t, list[i].inside);
		ml_table_real(t, list[i].outside);
		ml_table_text(t, c->name);
		ml_table_text(t, list[i].rest || list[i].low == list[i].high
					 ? low
					 : ml_arena_printf(q->arena, "%s..%s", low,
							   text_of(q, c, list[i].high)));
	}
	return true;
}

const char *const ml_sample_table_names[] = {
	"columns",  "levels",  "lines",   "functions", "variables", "cpus",    "threads",
	"hardware", "metrics", "windows", "clusters",  "related",   "special", NULL,
};

bool ml_sample_table_has(const char *name, const struct ml_samples *s)
{
	const struct by *by = find_by(name);

	if (by)
		return s->role[by->first] >= 0;
	if (!strcmp(name, "hardware") || !strcmp(name, "metrics"))
		return ml_loads_possible(s);
	if (!strcmp(name, "windows") || !strcmp(name, "clusters"))
		return ml_loads_possible(s) && s->role[ML_SAMPLES_TIME] >= 0;
	return true;
}

bool ml_sample_table(struct ml_table *t, size_t *all, const char *name,
		     const struct ml_sample_question *q, struct ml_err *err)
{
	static const struct {
		const char *name;
		bool (*make)(struct ml_table *, size_t *,
			     const struct ml_sample_question *, struct ml_err *);
	} others[] = {
		{ "columns", columns_table },   { "hardware", hardware_table },
		{ "metrics", metrics_table },   { "windows", windows_table },
		{ "clusters", clusters_table }, { "related", related_table },
		{ "special", special_table },
	};
	const struct by *by = find_by(name);
	const char *names = "";

	*t = (struct ml_table){ 0 };
	if (by)
		return totals_table(t, all, by, q, err);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i].name, name))
			return others[i].make(t, all, q, err);
	for (size_t i = 0; ml_sample_table_names[i]; i++)
		names = ml_arena_printf(q->arena, "%s%s%s", names, i ? ", " : "",
					ml_sample_table_names[i]);
	return ml_fail(err, ML_USAGE, "there is no table '%s'; tables are %s", name,
		       names);
}
