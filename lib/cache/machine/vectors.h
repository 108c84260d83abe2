/*
 * Instructions that work on several numbers at once, and which of them this processor
 * has. A loop is one text that is compiled for several of them; the program chooses when
 * it runs.
 */
#pragma once

#include <stdbool.h>

enum ml_vectors {
	ML_VECTORS_BEST, /* the best that the processor has */
	ML_VECTORS_PLAIN,
	ML_VECTORS_NEON,
	ML_VECTORS_AVX2,
	ML_VECTORS_AVX512,
	ML_VECTORS
};

bool ml_vectors_has(enum ml_vectors v);
/*
 * Those to use of loops that exist as listed: loops[v] is NULL if there are none for v.
 * NULL: the processor has not what is asked for, or there is no such loop.
 */
const void *ml_vectors_choose(enum ml_vectors asked, const void *const loops[ML_VECTORS]);
