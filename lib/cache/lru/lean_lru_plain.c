/* The LRU simulator that does not explain, in plain C. */
#define TARGET
#include "lib/cache/lru/lean_lru_body.h"

INLINE int find_key(const uint64_t *row, unsigned lanes, uint64_t key)
{
	for (unsigned i = 0; i < lanes; i++)
		if ((row[i] & ~LEAN_FLAGS) == key)
			return (int)i;
	return LEAN_NOWHERE;
}

INLINE void make_way(uint64_t *row, unsigned count)
{
	for (unsigned i = count; i > 0; i--)
		row[i] = row[i - 1];
}

const struct lean_lru_ops ml_lean_lru_ops_plain = { run };
