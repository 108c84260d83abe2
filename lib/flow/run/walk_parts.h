/* What placing (walk_place.c) and running (walk.c) a walk share. */
#pragma once

#include "lib/flow/flow.h"
#include "lib/flow/run/walk.h"

struct ml_walk_values {
	struct ml_flow_walk *w;
	int64_t *value, *min, *max; /* of symbols; the interval of a loop's variable */
	bool *known;
	struct ml_err *err;
};

void ml_walk_begin(struct ml_walk_values *k, struct ml_flow_walk *w, struct ml_err *err);
/* A sentence where e, a part of node n, has no value. */
bool ml_walk_evaluate(const struct ml_walk_values *k, const struct ml_flow_node *n,
		      const struct ml_sym *e, int64_t *v);
/* Room for count things and one more, from the arena of the walk. */
void *ml_walk_column(struct ml_flow_walk *w, size_t count, size_t size);
