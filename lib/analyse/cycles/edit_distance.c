#include "lib/analyse/cycles/edit_distance.h"

#include <string.h>

#include "lib/base/arena.h"

enum { LANES = 32, MAX_WIDTH = 64 };

uint32_t ml_edit_distance(const uint32_t *a, const uint32_t *b, uint32_t width)
{
	uint32_t row[MAX_WIDTH + 1];

	for (uint32_t j = 0; j <= width; j++)
		row[j] = j;
	for (uint32_t i = 1; i <= width; i++) {
		uint32_t corner = row[0];

		row[0] = i;
		for (uint32_t j = 1; j <= width; j++) {
			uint32_t best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			row[j] = best;
		}
	}
	return row[width];
}

void ml_edit_pattern_init(struct ml_edit_pattern *p, uint32_t width, size_t symbol_count)
{
	size_t bytes = (symbol_count + 1) * sizeof(*p->places);

	*p = (struct ml_edit_pattern){ .width = width, .symbol_count = symbol_count };
	p->places = ml_resize(NULL, bytes);
	memset(p->places, 0, bytes);
}

void ml_edit_pattern_set(struct ml_edit_pattern *p, const uint32_t *symbols)
{
	for (uint32_t i = 0; p->symbols && i < p->width; i++)
		p->places[p->symbols[i]] = 0;
	p->symbols = symbols;
	for (uint32_t i = 0; i < p->width; i++)
		p->places[symbols[i]] |= (uint64_t)1 << i;
}

void ml_edit_pattern_release(struct ml_edit_pattern *p)
{
	ml_free(p->places);
	*p = (struct ml_edit_pattern){ 0 };
}

/*
 * LANES pairs at a time, each in a lane of its own; `places` has the bits of each symbol
 * of each lane. The compiler makes vectors of the lanes.
 */
#define DISTANCES(type, target) \
	target static void distances_##type(uint32_t width, type places[][LANES], \
					    uint8_t *distance) \
	{ \
		type up[LANES], down[LANES], score[LANES]; \
		const type all = (type)((type) ~(type)0 >> (8 * sizeof(type) - width)); \
		const unsigned top = width - 1; \
\
		for (int l = 0; l < LANES; l++) { \
			up[l] = all; \
			down[l] = 0; \
			score[l] = (type)width; \
		} \
		for (uint32_t j = 0; j < width; j++) \
			for (int l = 0; l < LANES; l++) { \
				type same = places[j][l], vp = up[l], vn = down[l]; \
				type d = (type)((type)(((type)(same & vp) + vp) ^ vp) | \
						same | vn); \
				type hp = (type)(vn | (type) ~(type)(d | vp)); \
				type hn = (type)(d & vp); \
\
				score[l] = (type)(score[l] + (hp >> top & 1) - \
						  (hn >> top & 1)); \
				hp = (type)((type)(hp << 1) | 1); \
				hn = (type)(hn << 1); \
				up[l] = (type)(hn | (type) ~(type)(d | hp)); \
				down[l] = (type)(hp & d); \
			} \
		for (int l = 0; l < LANES; l++) \
			distance[l] = (uint8_t)score[l]; \
	}

#if defined(__x86_64__)
#define WITH_AVX2 __attribute__((target("avx2")))
#else
#define WITH_AVX2
#endif

typedef uint16_t narrow_avx2, narrow;
typedef uint64_t wide_avx2, wide;

DISTANCES(narrow, )
DISTANCES(wide, )
DISTANCES(narrow_avx2, WITH_AVX2)
DISTANCES(wide_avx2, WITH_AVX2)

static bool avx2(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

void ml_edit_pattern_distances(const struct ml_edit_pattern *p, const uint32_t *sequences,
			       const uint32_t *index, size_t count, uint8_t *distance)
{
	const uint32_t width = p->width;
	const bool fast = avx2(), small = width <= 16;
	union {
		uint16_t narrow[16][LANES];
		uint64_t wide[MAX_WIDTH][LANES];
	} places;
	uint8_t found[LANES];

	for (size_t i = 0; i < count; i += LANES) {
		size_t lanes = count - i < LANES ? count - i : LANES;

		for (size_t l = 0; l < LANES; l++) {
			const uint32_t *s = sequences +
					    (size_t)index[l < lanes ? i + l : i] * width;

			if (small)
				for (uint32_t j = 0; j < width; j++)
					places.narrow[j][l] = (uint16_t)p->places[s[j]];
			else
				for (uint32_t j = 0; j < width; j++)
					places.wide[j][l] = p->places[s[j]];
		}
		if (small)
			(fast ? distances_narrow_avx2
			      : distances_narrow)(width, places.narrow, found);
		else
			(fast ? distances_wide_avx2 : distances_wide)(width, places.wide,
								      found);
		memcpy(distance + i, found, lanes);
	}
}
