/*
 * Two scores of a set of samples on one tier of the hardware (MemAxes, section 7.1). With
 * c cycles and s samples of each resource i of the tier:
 *
 *	L = mean over i of c_i / s_i               average access latency
 *	I = max over i of |s_i - mean| / deviation  load imbalance
 *
 * The deviation is that of the whole population. I is 0 if all resources have the same
 * number of samples. c_i / s_i has no value for a resource without samples; how such
 * resources count is a choice. Only samples with a latency enter L.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_err;
struct ml_load;
struct ml_loads;
struct ml_loads_map;
struct ml_selection;
struct ml_work;

enum ml_empty {
	ML_EMPTY_NATURAL, /* left out of L; 0 samples in I */
	ML_EMPTY_SKIP,    /* left out of both */
	ML_EMPTY_ZERO     /* latency 0 in L; 0 samples in I */
};
/* "natural", "skip", "zero"; false: the text is none of them. */
bool ml_empty_of(const char *text, enum ml_empty *e, struct ml_err *err);

struct ml_metrics {
	size_t resources, used; /* of the tier; those with samples */
	uint64_t samples, cycles;
	double latency, imbalance; /* L and I */
	double mean, deviation;    /* of the samples of a resource, as in I */
};

struct ml_metrics ml_metrics_of(const struct ml_load *resources, size_t count,
				enum ml_empty empty);
/* The same for a tier of the topology. */
struct ml_metrics ml_metrics_tier(const struct ml_loads *l, const struct ml_loads_map *m,
				  size_t tier, enum ml_empty empty, struct ml_arena *a);

/* A range of an attribute with the scores of its samples. */
struct ml_window {
	uint64_t low, high; /* values, as bits */
	uint64_t first,
		end; /* positions among the selected rows in the attribute's order */
	struct ml_metrics m;
};

/* Cuts the range of a column into `count` windows of equal width; returns how many there
 * are (one a value if there are fewer values). */
size_t ml_metrics_windows(struct ml_window **list, const struct ml_loads_map *m,
			  const struct ml_selection *sel, size_t column, size_t tier,
			  size_t count, enum ml_empty empty, struct ml_arena *a);

enum ml_metric { ML_METRIC_LATENCY, ML_METRIC_IMBALANCE };
bool ml_metric_of(const char *text, enum ml_metric *m, struct ml_err *err);

struct ml_cluster {
	struct ml_window window;
	uint32_t left, right; /* children; UINT32_MAX: a leaf */
	uint32_t depth;       /* from the root, which has 0 */
	double distance;      /* between the children, when they were joined */
};

/*
 * The tree of clusters (section 7.3): windows of `width` samples along an attribute, each
 * `step` behind the last, are leaves; the two neighbours whose scores differ least are
 * joined until one cluster is left. The score of a cluster is that of all its samples,
 * each counted once. Nodes 0 to leaves - 1 are the leaves; the last is the root. Costs n
 * log n for n leaves, besides n times the number of resources.
 */
struct ml_clusters {
	struct ml_cluster *list;
	size_t count, leaves;
};

enum { ML_CLUSTER_CELLS_MAX = 1 << 26 }; /* leaves times resources */

bool ml_clusters_make(struct ml_clusters *c, const struct ml_loads_map *m,
		      const struct ml_selection *sel, size_t column, size_t tier,
		      enum ml_metric metric, uint64_t width, uint64_t step,
		      enum ml_empty empty, const struct ml_work *work, struct ml_arena *a,
		      struct ml_err *err);
/* The clusters that are left when `count` are (1: the root), or those at a depth, in the
 * order of the attribute; returns their number. */
size_t ml_clusters_cut(const struct ml_clusters *c, size_t count, uint32_t *list);
size_t ml_clusters_at_depth(const struct ml_clusters *c, uint32_t depth, uint32_t *list);
