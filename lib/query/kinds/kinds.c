#include "lib/query/kinds/kinds.h"

#include <stddef.h>

#include "lib/query/kinds/route_open.h"
#include "lib/query/workspace/request.h"

const struct ml_document_kind *const ml_kinds[] = {
	&ml_kind_trace,   &ml_kind_ensemble, &ml_kind_prune,
	&ml_kind_samples, &ml_kind_flow,     NULL,
};

const struct ml_route ml_common_routes[] = {
	{ "GET", "/api/open", ml_route_open, "what is open, and machines to choose from",
	  NULL, ML_NO_PARAMS },
	{ 0 },
};
