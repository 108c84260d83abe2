/* The fast LRU simulator in plain C: a scan that shifts the keys as it goes. */
#define TARGET
#include "lib/cache/lru/fast_lru_body.h"

INLINE struct touched touch(void *set, uint64_t key, uint32_t ways, unsigned lanes,
			    bool wide)
{
	(void)lanes;
	if (wide) {
		uint64_t *way = set, before = way[0];

		if ((before ^ key) <= 1) {
			way[0] = before | key;
			return (struct touched){ true, 0 };
		}
		for (uint32_t i = 1; i < ways; i++) {
			uint64_t this = way[i];

			way[i] = before;
			if ((this ^ key) <= 1) {
				way[0] = this | key;
				return (struct touched){ true, 0 };
			}
			before = this;
		}
		way[0] = key;
		return (struct touched){ false, before };
	}
	uint32_t *way = set, before = way[0], k = (uint32_t)key;

	if ((before ^ k) <= 1) {
		way[0] = before | k;
		return (struct touched){ true, 0 };
	}
	for (uint32_t i = 1; i < ways; i++) {
		uint32_t this = way[i];

		way[i] = before;
		if ((this ^ k) <= 1) {
			way[0] = this | k;
			return (struct touched){ true, 0 };
		}
		before = this;
	}
	way[0] = k;
	return (struct touched){ false, before };
}

INLINE bool mark(void *set, uint64_t key, uint32_t ways, unsigned lanes, bool wide)
{
	(void)lanes;
	for (uint32_t i = 0; i < ways; i++)
		if (wide) {
			uint64_t *way = set;

			if ((way[i] ^ key) <= 1) {
				way[i] |= 1;
				return true;
			}
		} else {
			uint32_t *way = set;

			if ((way[i] ^ (uint32_t)key) <= 1) {
				way[i] |= 1;
				return true;
			}
		}
	return false;
}

const struct fast_lru_ops ml_fast_lru_ops_plain = { lines_plain, keep_plain, level };
