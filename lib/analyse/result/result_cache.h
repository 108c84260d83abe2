/*
 * A cache of results: files in $XDG_CACHE_HOME/memlamp (~/.cache/memlamp), each named by
 * a hash of everything that the result depends on. Any file may be deleted at any time,
 * and several programs may use the folder at once: files appear complete, by renaming,
 * and a program that has one open keeps it. MEMLAMP_CACHE_SIZE bounds the folder ("500M";
 * default 4G); 0 switches the cache off.
 *
 *	if (ml_result_cache_find(&info, &trace, &result))
 *		use it;
 *	else if ((path = ml_result_cache_path(&info, &arena, &err)))
 *		simulate, write the result to path, ml_result_cache_trim();
 *
 * simulation.h does so, for all who simulate.
 * Held by tests/analyse/test_result_cache.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_arena;
struct ml_err;
struct ml_result;
struct ml_result_info;
struct ml_trace;

/* The path of such a result; creates the folder. NULL: err says why there is none, or is
 * ML_OK where the cache is off. */
const char *ml_result_cache_path(const struct ml_result_info *info, struct ml_arena *a,
				 struct ml_err *err);
/* Opens the cached result, if there is one that matches, is complete and fits the trace.
 */
bool ml_result_cache_find(const struct ml_result_info *info, const struct ml_trace *t,
			  struct ml_result *r);
/* Deletes the least recently used results until the rest fits. */
void ml_result_cache_trim(void);

/* Parses the size of the cache in bytes; "" or an invalid text means the default. */
uint64_t ml_result_cache_limit(const char *size);
