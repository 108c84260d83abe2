#include "lib/trace/rest.h"

#include <string.h>

#include "lib/trace/columns.h"

static void put(struct ml_rest *r, const int64_t *rest, size_t count)
{
	for (size_t i = 0; i < count; i += 4) {
		unsigned codes = 0;

		for (unsigned k = 0; k < 4; k++) {
			int64_t x = rest[i + k];
			unsigned wide = x != (int16_t)x, wider = x != (int32_t)x;
			unsigned code = (x != 0) + wide + wider;

			memcpy(r->d2, &x, 2);
			memcpy(r->d4, &x, 4);
			memcpy(r->d8, &x, 8);
			r->d2 += 2 * (code == ML_CODE_D2);
			r->d4 += 4 * (code == ML_CODE_D4);
			r->d8 += 8 * (code == ML_CODE_D8);
			codes |= code << 2 * k;
		}
		*r->codes++ = (uint8_t)codes;
	}
}

static void get(struct ml_rest *r, int64_t *rest, size_t count)
{
	for (size_t i = 0; i < count; i += 4) {
		unsigned codes = *r->codes++;

		for (unsigned k = 0; k < 4; k++, codes >>= 2) {
			unsigned code = codes & 3;
			int16_t d2;
			int32_t d4;
			int64_t d8;

			memcpy(&d2, r->d2, 2);
			memcpy(&d4, r->d4, 4);
			memcpy(&d8, r->d8, 8);
			rest[i + k] = code == ML_CODE_NOT  ? 0
				      : code == ML_CODE_D2 ? d2
				      : code == ML_CODE_D4 ? d4
							   : d8;
			r->d2 += 2 * (code == ML_CODE_D2);
			r->d4 += 4 * (code == ML_CODE_D4);
			r->d8 += 8 * (code == ML_CODE_D8);
		}
	}
}

const struct ml_rest_ops ml_rest_plain = { put, get };

bool ml_rest_has_avx512(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
#else
	return false;
#endif
}

const struct ml_rest_ops *ml_rest_ops(void)
{
#if defined(__x86_64__)
	if (ml_rest_has_avx512())
		return &ml_rest_avx512;
#endif
	return &ml_rest_plain;
}
