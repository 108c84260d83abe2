/* Routes about one reference in words, one datum, and what is selected. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_at, ml_route_datum, ml_route_select;
