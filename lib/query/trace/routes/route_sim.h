/* Routes about simulations: starting, cancelling, how far they are, findings. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_sim_start, ml_route_sim, ml_route_sim_cancel, ml_route_sim_findings,
	ml_route_sim_lines, ml_route_sim_profile, ml_route_sim_strides, ml_route_compare;
