/* Where a step leads: to the next moment of some kind, or back. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_step;
