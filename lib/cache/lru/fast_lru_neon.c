/*
 * The fast LRU simulator with NEON: a search compares four or two ways at a time. The
 * ways before the hit are moved one by one, as masks and shuffles across a set cost more
 * here.
 */
#if defined(__aarch64__)
#include <arm_neon.h>

#define TARGET
#include "lib/cache/lru/fast_lru_body.h"

/* The way that holds a line, or -1. Lanes behind the ways hold 0. */
INLINE int32_t lane_of(const void *set, uint64_t key, uint32_t ways, bool wide)
{
	if (wide) {
		const uint64_t *way = set;
		uint64x2_t one = vdupq_n_u64(1), want = vdupq_n_u64(key | 1);

		for (uint32_t i = 0; i < ways; i += 2) {
			uint64x2_t same = vceqq_u64(vorrq_u64(vld1q_u64(way + i), one),
						    want);
			/* 32 bits of each lane in one word */
			uint64_t found =
				vget_lane_u64(vreinterpret_u64_u32(vmovn_u64(same)), 0);

			if (found)
				return (int32_t)i + __builtin_ctzll(found) / 32;
		}
		return -1;
	}
	const uint32_t *way = set;
	uint32x4_t one = vdupq_n_u32(1), want = vdupq_n_u32((uint32_t)key | 1);

	for (uint32_t i = 0; i < ways; i += 4) {
		uint32x4_t same = vceqq_u32(vorrq_u32(vld1q_u32(way + i), one), want);
		uint64_t found = vget_lane_u64(vreinterpret_u64_u16(vmovn_u32(same)), 0);

		if (found)
			return (int32_t)i + __builtin_ctzll(found) / 16;
	}
	return -1;
}

INLINE struct touched touch(void *set, uint64_t key, uint32_t ways, unsigned lanes,
			    bool wide)
{
	(void)lanes;
	return touch_lane(set, key, ways, lane_of(set, key, ways, wide), wide);
}

INLINE bool mark(void *set, uint64_t key, uint32_t ways, unsigned lanes, bool wide)
{
	(void)lanes;
	return mark_lane(set, lane_of(set, key, ways, wide), wide);
}

const struct fast_lru_ops ml_fast_lru_ops_neon = { lines_plain, keep_plain, level };
#endif
