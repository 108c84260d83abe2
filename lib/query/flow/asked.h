/*
 * A request about a simulation, from the routes of the local view.
 *
 *	bool ok = ml_flow_ask(&k, ws, q, err);
 *	if (ok)
 *		... k.s
 *	ml_flow_asked(&k);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_open_function;
struct ml_request;
struct ml_simulated;
struct ml_workspace;

struct ml_flow_asked {
	struct ml_open_function *x;
	struct ml_simulated *s;
	uint64_t threshold; /* lines */
};

bool ml_flow_ask(struct ml_flow_asked *k, struct ml_workspace *ws,
		 const struct ml_request *q, struct ml_err *err);
void ml_flow_asked(struct ml_flow_asked *k);
