/*
 * The sizes of a request: values of a flow's parameters, "set=n=9,m=10" and "others=8"
 * for all that `set` does not name; with those of atoms.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_arena;
struct ml_flow;
struct ml_request;

struct ml_flow_sizes {
	int64_t *value; /* by symbol */
	bool *known;    /* which parameters are set */
	bool all;       /* all of them are */
};

bool ml_flow_sizes_read(struct ml_flow_sizes *z, const struct ml_flow *f,
			const struct ml_request *q, struct ml_arena *a,
			struct ml_err *err);
/* Call it after a value was changed. */
void ml_flow_sizes_changed(struct ml_flow_sizes *z, const struct ml_flow *f);
