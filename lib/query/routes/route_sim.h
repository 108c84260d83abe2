/* Routes about simulations: starting, cancelling, how far they are, findings. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_sim_start, ml_ask_sim, ml_ask_sim_cancel, ml_ask_sim_findings,
	ml_ask_sim_lines, ml_ask_sim_profile, ml_ask_diff;
