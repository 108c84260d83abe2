/* Routes about traces alone: what is open, regions, source text, counts by line. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_open, ml_ask_trace, ml_ask_regions, ml_ask_source, ml_ask_counts;
