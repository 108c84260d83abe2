/* Ensembles of simulations. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/ensemble/route_ensemble.h"
#include "lib/query/ensemble/open_ensemble.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	ml_json_key(w, "members");
	ml_json_u64(w, ((struct ml_open_ensemble *)d)->e.member_count);
}

static const struct ml_route routes[] = {
	{ "GET", "/api/ensembles/#", ml_route_ensemble,
	  "an ensemble: traces, parameters, members", NULL },
	{ "GET", "/api/ensembles/#/matching", ml_route_matching,
	  "milestones of its traces in common time: time match base", NULL },
	{ "GET", "/api/ensembles/#/table", ml_route_ensemble_table,
	  "its members ranked: measure level from to", NULL },
	{ "GET", "/api/ensembles/#/figure", ml_route_figure,
	  "a plot of its members as axes, marks and numbers: plot measure level window "
	  "members from to cells width height",
	  NULL },
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
};
