#include "lib/trace/chunk/residuals.h"

#include <stdbool.h>
#include <string.h>

#include "lib/trace/chunk/columns.h"

static void put(struct ml_residuals *r, const int64_t *residual, size_t count)
{
	for (size_t i = 0; i < count; i += 4) {
		unsigned codes = 0;

		for (unsigned k = 0; k < 4; k++) {
			int64_t x = residual[i + k];
			unsigned code = (unsigned)(x != 0) + (x != (int8_t)x) +
					(x != (int16_t)x);
			int32_t d4 = x == (int32_t)x ? (int32_t)x : INT32_MIN;

			*r->d1 = (uint8_t)x;
			memcpy(r->d2, &x, 2);
			memcpy(r->d4, &d4, 4);
			memcpy(r->d8, &x, 8);
			r->d1 += code == ML_CODE_D1;
			r->d2 += 2 * (code == ML_CODE_D2);
			r->d4 += 4 * (code == ML_CODE_D4);
			r->d8 += 8 * (code == ML_CODE_D4 && d4 == INT32_MIN);
			codes |= code << 2 * k;
		}
		*r->codes++ = (uint8_t)codes;
	}
}

static void get(struct ml_residuals *r, int64_t *residual, size_t count)
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
			bool far = code == ML_CODE_D4 && d4 == INT32_MIN;
			residual[i + k] = code == ML_CODE_NOT  ? 0
					  : code == ML_CODE_D1 ? (int8_t)*r->d1
					  : code == ML_CODE_D2 ? d2
					  : far                ? d8
							       : d4;
			r->d1 += code == ML_CODE_D1;
			r->d2 += 2 * (code == ML_CODE_D2);
			r->d4 += 4 * (code == ML_CODE_D4);
			r->d8 += 8 * far;
		}
	}
}

const struct ml_residuals_ops ml_residuals_plain = { put, get };

const struct ml_residuals_ops *ml_residuals_ops(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
		return &ml_residuals_avx512;
#endif
	return &ml_residuals_plain;
}
