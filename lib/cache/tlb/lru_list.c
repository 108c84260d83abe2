#include "lib/cache/tlb/lru_list.h"

struct ml_lru_list *ml_lru_list_make(uint32_t ways, struct ml_arena *a)
{
	struct ml_lru_list *l = ml_arena_alloc(a, sizeof(*l));

	l->ways = ways;
	l->lazy = ways <= ML_LRU_LIST_LAZY;
	uint64_t buckets = (l->lazy ? 16 : 4) * (uint64_t)ways; /* mostly one way each */
	for (l->shift = 63; (uint64_t)1 << (64 - l->shift) < buckets;)
		l->shift--;
	l->bucket = ml_arena_alloc(a, sizeof(*l->bucket) << (64 - l->shift));
	l->at = ml_arena_alloc(a, (ways + 1) * sizeof(*l->at));
	l->at[0].line = UINT64_MAX;
	return l;
}
