/* Routes about traces alone: regions, source text, counts by line. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_trace, ml_route_regions, ml_route_source, ml_route_counts;
