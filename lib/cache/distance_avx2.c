/* Stack distance where bits are counted by an instruction. */
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "lib/cache/distance_body.h"

const struct distance_ops distance_avx2 = { differ_plain, front_plain, ask };
#endif
