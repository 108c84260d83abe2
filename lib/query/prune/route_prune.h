/*
 * Routes about search spaces.
 * Held by tests/query/test_route_prune.c.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_prune, ml_route_prune_sunburst, ml_route_prune_combinations,
	ml_route_prune_variants, ml_route_prune_distributions, ml_route_prune_nearest,
	ml_route_prune_export, ml_route_prune_tuned, ml_route_prune_cancel;
