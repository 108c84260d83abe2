/* Routes that lay two simulations over each other: where and when they disagree. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_disagreements, ml_route_disagreements_step,
	ml_route_disagreements_moment;

struct ml_open_sim;

/* The simulations that the parameters a and b name, both ready. */
bool ml_route_pair(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_open_sim **a, struct ml_open_sim **b, struct ml_err *err);
