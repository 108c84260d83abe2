/*
 * Results that are kept: files in $XDG_CACHE_HOME/memlamp (~/.cache/memlamp), whose
 * names are a hash of all that a result depends on. Any of them may be deleted at any
 * time, and several programs may use the folder at once: files appear whole, by being
 * renamed, and who has one open keeps it. MEMLAMP_CACHE_SIZE bounds the folder
 * ("500M"; 4G if not given); 0 switches keeping off.
 *
 *	if (ml_result_cache_find(&info, &result))
 *		use it;
 *	else if ((path = ml_result_cache_path(&info, &arena)))
 *		simulate, write the result to path, ml_result_cache_trim();
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_arena;
struct ml_result;
struct ml_result_info;

/* Where such a result belongs; the folder is made. NULL: nothing can be kept. */
const char *ml_result_cache_path(const struct ml_result_info *info, struct ml_arena *a);
/* Opens the kept result, if there is one that fits and is whole. */
bool ml_result_cache_find(const struct ml_result_info *info, struct ml_result *r);
/* Deletes the results that were not used for longest until the rest fits. */
void ml_result_cache_trim(void);

/* Bytes that results may take; "" or nonsense is the default. */
uint64_t ml_result_cache_limit(const char *size);
