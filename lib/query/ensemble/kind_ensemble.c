/* Ensembles of simulations. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/ensemble/tell_ensemble.h"
#include "lib/query/workspace/request.h"
#include "lib/query/ensemble/route_ensemble.h"
#include "lib/query/ensemble/open_ensemble.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	ml_json_key(w, "members");
	ml_json_u64(w, ((struct ml_open_ensemble *)d)->e.member_count);
}

static bool traces(struct ml_workspace *ws, const struct ml_request *q, uint64_t *count,
		   struct ml_err *err)
{
	const struct ml_open_ensemble *x = ml_open_ensemble(ws, q->number[0], err);

	*count = x ? x->e.trace_count : 0;
	return x;
}

static bool members(struct ml_workspace *ws, const struct ml_request *q, uint64_t *count,
		    struct ml_err *err)
{
	const struct ml_open_ensemble *x = ml_open_ensemble(ws, q->number[0], err);

	*count = x ? x->e.member_count : 0;
	return x;
}

#define NAME(key) ML_TEXT(key, ML_NAME_BYTES)
#define QUESTION \
	ML_TEXT("time", ML_WORD_BYTES), ML_TEXT("match", ML_LIST_BYTES), \
		ML_NUMBER_OF("base", traces), ML_TEXT("measure", ML_WORD_BYTES), \
		ML_TEXT("weights", ML_NAME_BYTES), \
		ML_NUMBER_IN("level", 1, ML_SERVED - 1), ML_NUMBER_IN("volume", 0, 1), \
		ML_NUMBER_OF("against", members), ML_REAL("window"), \
		ML_TEXT("members", ML_LIST_BYTES), ML_REAL("from"), ML_REAL("to"), \
		ML_NUMBER_IN("cells", 2, 65536)

static const struct ml_route routes[] = {
	{ "GET", "/api/ensembles/#", ml_route_ensemble,
	  "an ensemble: traces, parameters, members", NULL, ML_NO_PARAMS },
	{ "GET", "/api/ensembles/#/matching", ml_route_matching,
	  "milestones of its traces in common time", NULL, ML_PARAMS(QUESTION) },
	{ "GET", "/api/ensembles/#/table", ml_route_ensemble_table, "its members ranked",
	  NULL, ML_PARAMS(QUESTION) },
	{ "GET", "/api/ensembles/#/figure", ml_route_figure,
	  "a plot of its members as axes, marks and numbers", NULL,
	  ML_PARAMS(QUESTION, ML_TEXT("plot", ML_WORD_BYTES),
		    ML_TEXT("envelope", ML_WORD_BYTES), NAME("x"), NAME("y"),
		    NAME("colour"), NAME("facet"), NAME("size"), ML_REAL("tolerance"),
		    ML_REAL("total"), ML_REAL("shift"), ML_NUMBER_IN("threads", 1, 1000),
		    ML_NUMBER_IN("peaks", 0, 1), ML_NUMBER_OF("real", members),
		    ML_NUMBER_IN("width", 1, 10000), ML_NUMBER_IN("height", 1, 10000)) },
	{ 0 },
};

const struct ml_document_kind ml_kind_ensemble = {
	.name = "ensemble",
	.what = "an ensemble of simulations",
	.suffixes = (const char *const[]){ ".mle", NULL },
	.is_mine = ml_ensemble_is,
	.open = ml_open_ensemble_open,
	.close = ml_open_ensemble_close,
	.describe = describe,
	.routes = routes,
	.info = ml_ensemble_info,
	.report = ml_ensemble_report,
	.diff = ml_ensemble_diff,
	.takes = (const char *const[]){ NULL },
};
