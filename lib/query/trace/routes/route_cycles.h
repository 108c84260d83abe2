/*
 * Routes about what recurs in a trace.
 * Held by tests/query/test_route_cycles.c.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_cycles, ml_route_cycle_angles, ml_route_cycle_map;
