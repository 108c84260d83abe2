/*
 * Routes about ensembles: what they are made of, figures, ranking.
 * Held by tests/query/test_route_ensemble.c.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_ensemble, ml_route_matching, ml_route_ensemble_table,
	ml_route_figure;
