/* Routes about ensembles: what they are made of, and curves. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_ensemble, ml_route_matching, ml_route_curves,
	ml_route_ensemble_table, ml_route_working_set, ml_route_shared, ml_route_figure;
