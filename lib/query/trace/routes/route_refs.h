/* Routes about single references: what they are, what moves, what caches hold. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_refs, ml_route_moves, ml_route_state;
