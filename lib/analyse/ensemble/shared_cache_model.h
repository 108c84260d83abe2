/*
 * Second-order ensembles (Choudhury, section 7.4.5): a model of threads that share a
 * cache. k members whose cache sizes add up to a total stand for k threads that share a
 * cache of that size. Their references are pooled as if they were of one run; the
 * envelope bounds the effect of shifting them against each other in time. A thread is
 * starved if it has the smallest size there is. This is a model; `memlamp sim` simulates
 * real threads on shared caches.
 * Held by tests/analyse/test_shared_cache_model.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"

enum { ML_SHARED_CACHE_THREADS = 8, ML_SHARED_CACHE_MAX = 10000 };

struct ml_shared_cache_member {
	uint32_t member[ML_SHARED_CACHE_THREADS]; /* members of the ensemble, by size,
						     ascending */
	unsigned starved;
};

struct ml_shared_cache {
	unsigned threads;
	const char *param; /* the size that is shared: "L1 size" */
	double total;
	struct ml_shared_cache_member *at; /* all ways to divide the total */
	size_t count, cap;
};

/*
 * Finds the ways in which `threads` members of the same trace, which differ only by
 * param, add up to total. Fails if there is none; the error lists the sizes.
 */
bool ml_shared_cache_make(struct ml_shared_cache *s, const struct ml_ensemble *e,
			  const char *param, unsigned threads, double total,
			  struct ml_arena *a, struct ml_err *err);
/* The same among the members of a known family (ml_curve_family). */
bool ml_shared_cache_among(struct ml_shared_cache *s, const struct ml_ensemble *e,
			   const char *param, const uint32_t *family, size_t size,
			   unsigned threads, double total, struct ml_arena *a,
			   struct ml_err *err);
/*
 * All ways: mean, low and high are [count][cells]. Each first-order member is evaluated
 * once, for all ways that it takes part in.
 */
void ml_shared_cache_curves(const struct ml_curves *c, const struct ml_shared_cache *s,
			    const struct ml_curve_options *o, double shift, double from,
			    double to, size_t cells, double *mean, double *low,
			    double *high);
double ml_shared_cache_total(const struct ml_curves *c, const struct ml_shared_cache *s,
			     size_t which, const struct ml_curve_options *o);
