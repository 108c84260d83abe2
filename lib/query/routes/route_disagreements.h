/* Routes that lay two simulations over each other: where and when they disagree. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_differ, ml_ask_differ_step, ml_ask_differ_moment;

struct ml_desk_sim;

/* The simulations that the parameters a and b name, both ready. */
bool ml_ask_pair(struct ml_desk *d, const struct ml_ask *q, struct ml_desk_sim **a,
		 struct ml_desk_sim **b, struct ml_err *err);
