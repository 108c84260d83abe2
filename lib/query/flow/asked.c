#include "lib/query/flow/asked.h"

#include <stddef.h>

#include "lib/query/flow/open_flow.h"
#include "lib/query/workspace/request.h"

bool ml_flow_ask(struct ml_flow_asked *k, struct ml_workspace *ws,
		 const struct ml_request *q, struct ml_err *err)
{
	k->s = NULL;
	k->x = ml_open_function(ws, q, err);
	if (!k->x || !ml_request_u64(q, "threshold", 10, &k->threshold, err))
		return false;
	k->s = ml_simulated_get(&k->x->simulations, k->x->flow, q, err);
	return k->s != NULL;
}

void ml_flow_asked(struct ml_flow_asked *k)
{
	if (k->s)
		ml_simulated_put(&k->x->simulations, k->s);
}
