/* Search spaces and their constraints. */
#include <stddef.h>

#include "lib/query/kinds/kinds.h"
#include "lib/query/prune/tell_prune.h"
#include "lib/query/workspace/request.h"
#include "lib/query/prune/open_prune.h"
#include "lib/query/prune/route_prune.h"

#define WHERE ML_TEXT("where", ML_LIST_BYTES)
#define ORDER ML_TEXT("order", ML_LIST_BYTES)

static const struct ml_route routes[] = {
	{ "GET", "/api/prunes/#", ml_route_prune,
	  "a search space: parameters, constraints and their effects", NULL,
	  ML_PARAMS(WHERE, ORDER) },
	{ "DELETE", "/api/prunes/#", ml_route_prune_cancel,
	  "cancel the evaluation of a search space", NULL, ML_NO_PARAMS },
	{ "GET", "/api/prunes/#/sunburst", ml_route_prune_sunburst,
	  "rings of constraints", NULL,
	  ML_PARAMS(WHERE, ORDER, ML_NUMBER_IN("cells", 0, 16384),
		    ML_NUMBER("machine")) },
	{ "GET", "/api/prunes/#/combinations", ml_route_prune_combinations,
	  "the largest combinations of constraints", NULL,
	  ML_PARAMS(WHERE, ML_NUMBER("top")) },
	{ "GET", "/api/prunes/#/variants", ml_route_prune_variants, "variants", NULL,
	  ML_PARAMS(WHERE, ML_NUMBER("offset"), ML_NUMBER("count"),
		    ML_NUMBER_IN("sample", 0, 1), ML_NUMBER("seed")) },
	{ "GET", "/api/prunes/#/distributions", ml_route_prune_distributions,
	  "how often each value of a parameter occurs", NULL,
	  ML_PARAMS(WHERE, ML_NUMBER("bins")) },
	{ "GET", "/api/prunes/#/nearest", ml_route_prune_nearest,
	  "variants that fail fewest constraints", NULL,
	  ML_PARAMS(WHERE, ML_NUMBER("count")) },
	{ "GET", "/api/prunes/#/export", ml_route_prune_export, "a table as CSV", NULL,
	  ML_PARAMS(WHERE, ORDER, ML_TEXT("table", ML_WORD_BYTES)) },
	{ "GET", "/api/prunes/#/tuned", ml_route_prune_tuned,
	  "variants that were simulated, the best first", NULL,
	  ML_PARAMS(WHERE, ML_NUMBER("machine"), ML_NUMBER("top"), ML_NUMBER("best")) },
	{ 0 },
};

const struct ml_document_kind ml_kind_prune = {
	.name = "prune",
	.what = "a search space: a description, or a table of combinations",
	.suffixes = (const char *const[]){ ".csv", ".txt", NULL },
	.is_mine = ml_search_is,
	.open = ml_open_prune_open,
	.close = ml_open_prune_close,
	.describe = ml_open_prune_describe,
	.routes = routes,
	.info = ml_prune_info,
	.report = ml_prune_report,
	.diff = ml_prune_diff,
	.takes = (const char *const[]){ NULL },
};
