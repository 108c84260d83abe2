#include "lib/cache/machine/vectors.h"

#include <stddef.h>

bool ml_vectors_has(enum ml_vectors v)
{
	switch (v) {
	case ML_VECTORS_BEST:
	case ML_VECTORS_PLAIN: return true;
#if defined(__x86_64__)
	case ML_VECTORS_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
	case ML_VECTORS_AVX512:
		return __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("bmi2");
#elif defined(__aarch64__)
	case ML_VECTORS_NEON: return true;
#endif
	default: return false;
	}
}

const void *ml_vectors_choose(enum ml_vectors asked, const void *const loops[ML_VECTORS])
{
	if (asked)
		return ml_vectors_has(asked) ? loops[asked] : NULL;
	for (unsigned v = ML_VECTORS - 1; v > 0; v--)
		if (loops[v] && ml_vectors_has((enum ml_vectors)v))
			return loops[v];
	return NULL;
}
