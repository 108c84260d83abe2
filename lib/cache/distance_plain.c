/* Stack distance in plain C. */
#define TARGET
#include "lib/cache/distance_body.h"

const struct distance_ops distance_plain = { differ_plain, front_plain, ask };
