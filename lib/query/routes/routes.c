#include "lib/query/workspace/request.h"

#include "lib/query/routes/route_cells.h"
#include "lib/query/routes/route_ensemble.h"
#include "lib/query/routes/route_disagreements.h"
#include "lib/query/routes/route_last.h"
#include "lib/query/routes/route_moment.h"
#include "lib/query/routes/route_refs.h"
#include "lib/query/routes/route_sim.h"
#include "lib/query/routes/route_step.h"
#include "lib/query/routes/route_trace.h"
#include "lib/query/routes/route_window.h"

const struct ml_route ml_routes[] = {
	{ "GET", "/api/open", ml_route_open,
	  "what is open, and machines to choose from" },
	{ "GET", "/api/traces/#", ml_route_trace,
	  "one trace: totals, threads, phases, files" },
	{ "GET", "/api/traces/#/regions", ml_route_regions, "its regions" },
	{ "GET", "/api/traces/#/source", ml_route_source,
	  "the text of a source file: file=F" },
	{ "GET", "/api/traces/#/counts", ml_route_counts, "references by line of code" },
	{ "POST", "/api/sims", ml_route_sim_start, "start a simulation" },
	{ "GET", "/api/sims/#", ml_route_sim,
	  "a simulation: machine, levels, how far it is" },
	{ "DELETE", "/api/sims/#", ml_route_sim_cancel, "cancel a simulation" },
	{ "GET", "/api/sims/#/findings", ml_route_sim_findings, "what could be mended" },
	{ "GET", "/api/sims/#/profile", ml_route_sim_profile,
	  "all tables of memlamp sim: top" },
	{ "GET", "/api/sims/#/lines", ml_route_sim_lines,
	  "counts by line: file=F from to" },
	{ "GET", "/api/sims/#/timeline", ml_route_timeline,
	  "who served: from to cells SELECTION" },
	{ "GET", "/api/sims/#/temperature", ml_route_temperature,
	  "from to cells window" },
	{ "GET", "/api/sims/#/map", ml_route_event_map, "event map: from to cells" },
	{ "GET", "/api/sims/#/refs", ml_route_refs, "references: from count" },
	{ "GET", "/api/sims/#/moves", ml_route_moves, "movements: from count" },
	{ "GET", "/api/sims/#/state", ml_route_state, "what caches hold: at" },
	{ "GET", "/api/sims/#/cells", ml_route_cells,
	  "a region in cells: region mode size first cells" },
	{ "GET", "/api/sims/#/last", ml_route_last,
	  "last results of regions up to a moment: at cells" },
	{ "GET", "/api/sims/#/plane", ml_route_plane,
	  "a region against time: region rows columns" },
	{ "GET", "/api/sims/#/space", ml_route_space, "the address space: from to rows" },
	{ "GET", "/api/sims/#/step", ml_route_step, "where a step leads: at by dir" },
	{ "GET", "/api/sims/#/at", ml_route_at, "one reference in words: time" },
	{ "GET", "/api/sims/#/datum", ml_route_datum,
	  "accesses to a datum: region offset size around" },
	{ "GET", "/api/sims/#/select", ml_route_select, "what is selected: SELECTION" },
	{ "GET", "/api/diff", ml_route_compare, "two simulations compared: a b" },
	{ "GET", "/api/differ", ml_route_disagreements,
	  "when they disagree: a b from to cells match" },
	{ "GET", "/api/differ/step", ml_route_disagreements_step,
	  "the next reference served differently: a b at dir" },
	{ "GET", "/api/differ/moment", ml_route_disagreements_moment,
	  "what they hold at a moment: a b at other" },
	{ "GET", "/api/ensembles/#", ml_route_ensemble,
	  "an ensemble: traces, parameters, members" },
	{ "GET", "/api/ensembles/#/matching", ml_route_matching,
	  "milestones of its traces in common time: time match base" },
	{ "GET", "/api/ensembles/#/curves", ml_route_curves,
	  "its members over time: measure level window members from to cells" },
	{ "GET", "/api/ensembles/#/table", ml_route_ensemble_table,
	  "its members ranked: measure level from to" },
	{ "GET", "/api/ensembles/#/workingset", ml_route_working_set,
	  "its working set over time: size tolerance" },
	{ "GET", "/api/ensembles/#/second", ml_route_shared,
	  "threads that share a cache: size threads total shift" },
	{ 0 },
};
