/* The LRU simulator that explains, in plain C. */
#define TARGET
#include "lib/cache/lru/explain_lru_body.h"

INLINE uint32_t find_line(const uint64_t *row, unsigned lanes, uint64_t line)
{
	uint32_t m = 0;

	for (unsigned first = 0; first < lanes; first += 8)
		for (unsigned i = 0; i < 8; i++)
			m |= (uint32_t)(row[first + i] == line) << (first + i);
	return m;
}

INLINE uint32_t find_number(const uint32_t *row, unsigned lanes, uint32_t number)
{
	uint32_t m = 0;

	for (unsigned first = 0; first < lanes; first += 8)
		for (unsigned i = 0; i < 8; i++)
			m |= (uint32_t)(row[first + i] == number) << (first + i);
	return m;
}

INLINE unsigned oldest(const uint32_t *times, unsigned lanes)
{
	unsigned lane = 0;

	for (unsigned i = 1; i < lanes; i++)
		lane = times[i] < times[lane] ? i : lane;
	return lane;
}

/* The lanes of eight numbers that are lower than a bound. */
INLINE uint32_t find_below(const uint32_t *row, uint32_t bound)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < 8; i++)
		m |= (uint32_t)(row[i] < bound) << i;
	return m;
}

#include "lib/cache/lru/chain_lru_body.h"

const struct chain_lru_ops ml_chain_lru_ops_plain = { chain_front, chain_explain,
						      chain_level };
const struct explain_lru_ops ml_explain_lru_ops_plain = { &ml_chain_lru_ops_plain, front,
							  back };
