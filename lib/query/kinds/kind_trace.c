/* Traces, and their simulations. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/routes/route_cells.h"
#include "lib/query/routes/route_cycles.h"
#include "lib/query/routes/route_disagreements.h"
#include "lib/query/routes/route_last.h"
#include "lib/query/routes/route_moment.h"
#include "lib/query/routes/route_refs.h"
#include "lib/query/routes/route_sim.h"
#include "lib/query/routes/route_step.h"
#include "lib/query/routes/route_trace.h"
#include "lib/query/routes/route_window.h"
#include "lib/query/workspace/open_sim.h"
#include "lib/query/workspace/open_trace.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	ml_json_key(w, "references");
	ml_json_u64(w, ((struct ml_open_trace *)d)->trace.count);
}

static const struct ml_route routes[] = {
	{ "GET", "/api/traces/#", ml_route_trace,
	  "one trace: totals, threads, phases, files", NULL },
	{ "GET", "/api/traces/#/regions", ml_route_regions, "its regions", NULL },
	{ "GET", "/api/traces/#/source", ml_route_source,
	  "the text of a source file: file=F", NULL },
	{ "GET", "/api/traces/#/counts", ml_route_counts, "references by line of code",
	  NULL },
	{ "GET", "/api/traces/#/cycles", ml_route_cycles,
	  "what recurs: window by after before every thread region func", NULL },
	{ "GET", "/api/traces/#/cycles/angles", ml_route_cycle_angles,
	  "a cycle over time: class basis from to cells sim", NULL },
	{ "GET", "/api/traces/#/cycles/map", ml_route_cycle_map,
	  "windows in the plane by classical scaling: class basis points", NULL },
	{ "POST", "/api/sims", ml_route_sim_start, "start a simulation", NULL },
	{ "GET", "/api/sims/#", ml_route_sim,
	  "a simulation: machine, levels, how far it is", NULL },
	{ "DELETE", "/api/sims/#", ml_route_sim_cancel, "cancel a simulation", NULL },
	{ "GET", "/api/sims/#/findings", ml_route_sim_findings, "what could be mended",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/profile", ml_route_sim_profile,
	  "all tables of memlamp sim: top", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/lines", ml_route_sim_lines,
	  "counts by line: file=F from to", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/timeline", ml_route_timeline,
	  "who served: from to cells SELECTION", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/temperature", ml_route_temperature, "from to cells window",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/map", ml_route_event_map, "event map: from to cells",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/refs", ml_route_refs, "references: from count",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/moves", ml_route_moves, "movements: from count",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/state", ml_route_state, "what caches hold: at",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/cells", ml_route_cells,
	  "a region in cells: region mode size first cells", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/last", ml_route_last,
	  "last results of regions up to a moment: at cells", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/plane", ml_route_plane,
	  "a region against time: region rows columns", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/space", ml_route_space, "the address space: from to rows",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/step", ml_route_step, "where a step leads: at by dir",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/at", ml_route_at, "one reference in words: time",
	  ml_open_sim_lasts },
	{ "GET", "/api/sims/#/datum", ml_route_datum,
	  "accesses to a datum: region offset size around", ml_open_sim_lasts },
	{ "GET", "/api/sims/#/select", ml_route_select, "what is selected: SELECTION",
	  ml_open_sim_lasts },
	{ "GET", "/api/compare", ml_route_compare, "two simulations compared: a b",
	  NULL },
	{ "GET", "/api/disagreements", ml_route_disagreements,
	  "when they disagree: a b from to cells match", NULL },
	{ "GET", "/api/disagreements/step", ml_route_disagreements_step,
	  "the next reference served differently: a b at dir", NULL },
	{ "GET", "/api/disagreements/moment", ml_route_disagreements_moment,
	  "what they hold at a moment: a b at other", NULL },
	{ 0 },
};

const struct ml_document_kind ml_kind_trace = {
	.name = "trace",
	.what = "a trace that memlamp recorded or imported",
	.suffixes = (const char *const[]){ ".mlt", NULL },
	.is_mine = ml_trace_is,
	.open = ml_open_trace_open,
	.close = ml_open_trace_close,
	.describe = describe,
	.routes = routes,
};
