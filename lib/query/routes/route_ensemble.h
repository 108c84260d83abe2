/* Routes about ensembles: what they are made of, and curves. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_ensemble, ml_ask_matching, ml_ask_curves, ml_ask_ensemble_table,
	ml_ask_working_set, ml_ask_second;
