/* Stack distance in plain C. */
#define TARGET
#include "lib/cache/distance/distance_body.h"

const struct distance_ops distance_plain = { differ_plain, trace_plain, window_plain,
					     push_plain, ask };
