/*
 * Second-order ensembles (section 7.4.5): k members whose cache sizes add up to a total
 * stand for k threads that share a cache of that size. Their references are pooled as
 * if of one run; the envelope bounds what happens when they are shifted against each
 * other in time. A thread is starved when it has the least size there is. It is a model,
 * not a simulation: real threads on shared caches are simulated beside it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"

enum { ML_SHARED_CACHE_THREADS = 8, ML_SHARED_CACHE_MAX = 10000 };

struct ml_shared_cache_member {
	uint32_t
		member[ML_SHARED_CACHE_THREADS]; /* of the ensemble, by size, ascending */
	unsigned starved;
};

struct ml_shared_cache {
	unsigned threads;
	const char *param; /* the size that is shared: "L1 size" */
	double total;
	struct ml_shared_cache_member *at; /* all ways to share out the total */
	size_t count, cap;
};

/* The ways in which `threads` members of the same trace, which differ by nothing but
 * param, add up to total. Fails when there is none, saying which sizes there are. */
bool ml_shared_cache_make(struct ml_shared_cache *s, const struct ml_ensemble *e,
			  const char *param, unsigned threads, double total,
			  struct ml_arena *a, struct ml_err *err);
/* The same among members of a family that is known (ml_curve_family). */
bool ml_shared_cache_among(struct ml_shared_cache *s, const struct ml_ensemble *e,
			   const char *param, const uint32_t *family, size_t size,
			   unsigned threads, double total, struct ml_arena *a,
			   struct ml_err *err);
/* As ml_curve, of the pooled references; low and high bound it when threads are shifted
 * by up to `shift` of common time against each other: each by half of it either way. */
void ml_shared_cache_curve(const struct ml_curves *c, const struct ml_shared_cache *s,
			   size_t which, const struct ml_curve_options *o, double shift,
			   double from, double to, size_t cells, double *mean,
			   double *low, double *high);
/* All of them: mean, low and high are [count][cells]. Each first-order member is
 * looked at once, however many ways it takes part in. */
void ml_shared_cache_curves(const struct ml_curves *c, const struct ml_shared_cache *s,
			    const struct ml_curve_options *o, double shift, double from,
			    double to, size_t cells, double *mean, double *low,
			    double *high);
double ml_shared_cache_total(const struct ml_curves *c, const struct ml_shared_cache *s,
			     size_t which, const struct ml_curve_options *o);
