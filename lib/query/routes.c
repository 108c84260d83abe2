#include "lib/query/ask.h"

#include "lib/query/ask_cells.h"
#include "lib/query/ask_ensemble.h"
#include "lib/query/ask_differ.h"
#include "lib/query/ask_last.h"
#include "lib/query/ask_moment.h"
#include "lib/query/ask_refs.h"
#include "lib/query/ask_sim.h"
#include "lib/query/ask_step.h"
#include "lib/query/ask_trace.h"
#include "lib/query/ask_window.h"

const struct ml_route ml_routes[] = {
	{ "GET", "/api/open", ml_ask_open, "what is open, and machines to choose from" },
	{ "GET", "/api/traces/#", ml_ask_trace,
	  "one trace: totals, threads, phases, files" },
	{ "GET", "/api/traces/#/regions", ml_ask_regions, "its regions" },
	{ "GET", "/api/traces/#/source", ml_ask_source,
	  "the text of a source file: file=F" },
	{ "GET", "/api/traces/#/counts", ml_ask_counts, "references by line of code" },
	{ "POST", "/api/sims", ml_ask_sim_start, "start a simulation" },
	{ "GET", "/api/sims/#", ml_ask_sim,
	  "a simulation: machine, levels, how far it is" },
	{ "DELETE", "/api/sims/#", ml_ask_sim_cancel, "cancel a simulation" },
	{ "GET", "/api/sims/#/findings", ml_ask_sim_findings, "what could be mended" },
	{ "GET", "/api/sims/#/profile", ml_ask_sim_profile,
	  "all tables of memlamp sim: top" },
	{ "GET", "/api/sims/#/lines", ml_ask_sim_lines,
	  "counts by line: file=F from to" },
	{ "GET", "/api/sims/#/timeline", ml_ask_timeline,
	  "who served: from to cells SELECTION" },
	{ "GET", "/api/sims/#/temperature", ml_ask_temperature, "from to cells window" },
	{ "GET", "/api/sims/#/map", ml_ask_event_map, "event map: from to cells" },
	{ "GET", "/api/sims/#/refs", ml_ask_refs, "references: from count" },
	{ "GET", "/api/sims/#/moves", ml_ask_moves, "movements: from count" },
	{ "GET", "/api/sims/#/state", ml_ask_state, "what caches hold: at" },
	{ "GET", "/api/sims/#/cells", ml_ask_cells,
	  "a region in cells: region mode size first cells" },
	{ "GET", "/api/sims/#/last", ml_ask_last,
	  "last results of regions up to a moment: at cells" },
	{ "GET", "/api/sims/#/plane", ml_ask_plane,
	  "a region against time: region rows columns" },
	{ "GET", "/api/sims/#/space", ml_ask_space, "the address space: from to rows" },
	{ "GET", "/api/sims/#/step", ml_ask_step, "where a step leads: at by dir" },
	{ "GET", "/api/sims/#/at", ml_ask_at, "one reference in words: time" },
	{ "GET", "/api/sims/#/datum", ml_ask_datum,
	  "accesses to a datum: region offset size around" },
	{ "GET", "/api/sims/#/select", ml_ask_select, "what is selected: SELECTION" },
	{ "GET", "/api/compare", ml_ask_diff, "two simulations compared: a b" },
	{ "GET", "/api/disagreements", ml_ask_differ,
	  "when they disagree: a b from to cells match" },
	{ "GET", "/api/disagreements/step", ml_ask_differ_step,
	  "the next reference served differently: a b at dir" },
	{ "GET", "/api/disagreements/moment", ml_ask_differ_moment,
	  "what they hold at a moment: a b at other" },
	{ "GET", "/api/ensembles/#", ml_ask_ensemble,
	  "an ensemble: traces, parameters, members" },
	{ "GET", "/api/ensembles/#/matching", ml_ask_matching,
	  "milestones of its traces in common time: time match base" },
	{ "GET", "/api/ensembles/#/curves", ml_ask_curves,
	  "its members over time: measure level window members from to cells" },
	{ "GET", "/api/ensembles/#/table", ml_ask_ensemble_table,
	  "its members ranked: measure level from to" },
	{ "GET", "/api/ensembles/#/workingset", ml_ask_working_set,
	  "its working set over time: size tolerance" },
	{ "GET", "/api/ensembles/#/shared", ml_ask_second,
	  "threads that share a cache: size threads total shift" },
	{ 0 },
};
