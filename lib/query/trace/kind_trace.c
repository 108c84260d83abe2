/* Traces, and their simulations. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/trace/routes/route_cells.h"
#include "lib/query/trace/routes/route_cycles.h"
#include "lib/query/trace/routes/route_disagreements.h"
#include "lib/query/trace/routes/route_last.h"
#include "lib/query/trace/routes/route_moment.h"
#include "lib/query/trace/routes/route_refs.h"
#include "lib/query/trace/routes/route_sim.h"
#include "lib/query/trace/routes/route_step.h"
#include "lib/query/trace/routes/route_trace.h"
#include "lib/query/trace/routes/route_window.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/open_trace.h"
#include "lib/query/report/report.h"
#include "lib/query/trace/text/tell_trace.h"
#include "lib/query/workspace/request.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	ml_json_key(w, "references");
	ml_json_u64(w, ((struct ml_open_trace *)d)->trace.count);
}

/* ---- what requests may ask ---- */

static bool files_of_trace(struct ml_workspace *ws, const struct ml_request *q,
			   uint64_t *count, struct ml_err *err)
{
	const struct ml_open_trace *t = ml_open_trace(ws, q->number[0], err);

	*count = t ? t->file_count : 0;
	return t;
}

static bool files_of_sim(struct ml_workspace *ws, const struct ml_request *q,
			 uint64_t *count, struct ml_err *err)
{
	const struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);

	*count = s ? s->trace->file_count : 0;
	return s;
}

static bool regions_of_sim(struct ml_workspace *ws, const struct ml_request *q,
			   uint64_t *count, struct ml_err *err)
{
	const struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);

	*count = s ? ml_open_trace_regions(s->trace) : 0;
	return s;
}

#define ML_TIME(key) ML_NUMBER(key)
#define WINDOW       ML_TIME("from"), ML_TIME("to")
#define CELLS        ML_NUMBER_IN("cells", 1, 65536)
#define STRETCH      ML_TIME("from"), ML_NUMBER_IN("count", 0, 65536)
#define HURRY        ML_NUMBER("hurry")
#define REGION       ML_NUMBER_OF("region", regions_of_sim)
#define PAIR         ML_NUMBER("a"), ML_NUMBER("b")
#define SCORES \
	ML_NUMBER_IN("window", 1, 1 << 20), ML_TEXT("hit", ML_NAME_BYTES), \
		ML_TEXT("miss", ML_NAME_BYTES)
#define SELECTION \
	REGION, ML_NUMBER_IN("thread", 0, UINT16_MAX), \
		ML_NUMBER_IN("level", 0, ML_SERVED), ML_TEXT("line", ML_WORD_BYTES), \
		ML_TEXT("func", ML_LIST_BYTES), ML_TEXT("kind", ML_WORD_BYTES), \
		ML_TEXT("cause", ML_WORD_BYTES), ML_TEXT("offset", ML_WORD_BYTES)
#define CYCLES \
	ML_NUMBER_IN("window", 1, 1 << 16), ML_TEXT("by", ML_WORD_BYTES), \
		ML_TIME("after"), ML_TIME("before"), \
		ML_NUMBER_IN("every", 1, ML_PARAM_MAX), \
		ML_NUMBER_IN("thread", 0, UINT16_MAX), ML_TEXT("region", ML_LIST_BYTES), \
		ML_TEXT("func", ML_LIST_BYTES)

static const struct ml_route routes[] = {
	{ "GET", "/api/traces/#", ml_route_trace,
	  "one trace: totals, threads, phases, files", NULL,
	  ML_PARAMS(ML_NUMBER("soon")) },
	{ "GET", "/api/traces/#/regions", ml_route_regions, "its regions", NULL,
	  ML_NO_PARAMS },
	{ "GET", "/api/traces/#/source", ml_route_source, "the text of a source file",
	  NULL, ML_PARAMS(ML_NUMBER_OF("file", files_of_trace)) },
	{ "GET", "/api/traces/#/counts", ml_route_counts, "references by line of code",
	  NULL, ML_NO_PARAMS },
	{ "GET", "/api/traces/#/cycles", ml_route_cycles, "what recurs", NULL,
	  ML_PARAMS(CYCLES) },
	{ "GET", "/api/traces/#/cycles/angles", ml_route_cycle_angles,
	  "a cycle over time", NULL,
	  ML_PARAMS(CYCLES, ML_NUMBER("class"), ML_TEXT("basis", ML_WORD_BYTES), WINDOW,
		    CELLS, ML_NUMBER("sim")) },
	{ "GET", "/api/traces/#/cycles/map", ml_route_cycle_map,
	  "windows in the plane by classical scaling", NULL,
	  ML_PARAMS(CYCLES, ML_NUMBER("class"), ML_TEXT("basis", ML_WORD_BYTES), WINDOW,
		    ML_NUMBER_IN("points", 2, 65536), ML_NUMBER_IN("near", 1, 65536)) },
	{ "POST", "/api/sims", ml_route_sim_start, "start a simulation", NULL,
	  ML_PARAMS(ML_NUMBER("trace"), ML_TEXT("machine", ML_NAME_BYTES),
		    ML_TIME("interleave")) },
	{ "GET", "/api/sims/#", ml_route_sim,
	  "a simulation: machine, levels, how far it is", NULL, ML_NO_PARAMS },
	{ "DELETE", "/api/sims/#", ml_route_sim_cancel, "cancel a simulation", NULL,
	  ML_NO_PARAMS },
	{ "GET", "/api/sims/#/findings", ml_route_sim_findings, "what could be mended",
	  ml_open_sim_lasts, ML_NO_PARAMS },
	{ "GET", "/api/sims/#/profile", ml_route_sim_profile, "all tables of memlamp sim",
	  ml_open_sim_lasts, ML_PARAMS(ML_NUMBER("top")) },
	{ "GET", "/api/sims/#/strides", ml_route_sim_strides,
	  "distances between references to a region", ml_open_sim_lasts,
	  ML_PARAMS(REGION) },
	{ "GET", "/api/sims/#/lines", ml_route_sim_lines, "counts by line",
	  ml_open_sim_lasts, ML_PARAMS(ML_NUMBER_OF("file", files_of_sim), WINDOW) },
	{ "GET", "/api/sims/#/timeline", ml_route_timeline, "which levels served",
	  ml_open_sim_lasts, ML_PARAMS(WINDOW, CELLS, SELECTION) },
	{ "GET", "/api/sims/#/temperature", ml_route_temperature,
	  "temperature of the levels over time", ml_open_sim_lasts,
	  ML_PARAMS(WINDOW, CELLS, SCORES) },
	{ "GET", "/api/sims/#/map", ml_route_event_map, "event map", ml_open_sim_lasts,
	  ML_PARAMS(WINDOW, CELLS) },
	{ "GET", "/api/sims/#/refs", ml_route_refs, "references", ml_open_sim_lasts,
	  ML_PARAMS(STRETCH) },
	{ "GET", "/api/sims/#/moves", ml_route_moves, "movements", ml_open_sim_lasts,
	  ML_PARAMS(STRETCH) },
	{ "GET", "/api/sims/#/state", ml_route_state, "what caches hold",
	  ml_open_sim_lasts,
	  ML_PARAMS(ML_TIME("at"), SCORES, ML_NUMBER("slots"),
		    ML_NUMBER_IN("groups", 1, 65536)) },
	{ "GET", "/api/sims/#/cells", ml_route_cells, "a region in cells",
	  ml_open_sim_lasts,
	  ML_PARAMS(WINDOW, SELECTION, ML_TEXT("mode", ML_WORD_BYTES),
		    ML_NUMBER_IN("size", 1, ML_PARAM_MAX), ML_NUMBER("first"), CELLS,
		    ML_NUMBER("pitch"), ML_NUMBER_IN("rows", 1, ML_PARAM_MAX), HURRY,
		    ML_NUMBER("of"), ML_TEXT("grids", ML_LIST_BYTES)) },
	{ "GET", "/api/sims/#/last", ml_route_last,
	  "last results of regions up to a moment", ml_open_sim_lasts,
	  ML_PARAMS(ML_TIME("at"), ML_TEXT("cells", ML_LIST_BYTES)) },
	{ "GET", "/api/sims/#/plane", ml_route_plane, "a region against time",
	  ml_open_sim_lasts,
	  ML_PARAMS(WINDOW, SELECTION, ML_NUMBER("first"), ML_NUMBER("bytes"),
		    ML_NUMBER_IN("rows", 1, 2048), ML_NUMBER_IN("columns", 1, 2048),
		    HURRY) },
	{ "GET", "/api/sims/#/space", ml_route_space, "the address space",
	  ml_open_sim_lasts, ML_PARAMS(WINDOW, ML_NUMBER_IN("rows", 1, 65536), HURRY) },
	{ "GET", "/api/sims/#/step", ml_route_step, "where a step leads",
	  ml_open_sim_lasts,
	  ML_PARAMS(ML_TIME("at"), ML_TEXT("by", ML_WORD_BYTES),
		    ML_TEXT("dir", ML_WORD_BYTES), SELECTION) },
	{ "GET", "/api/sims/#/at", ml_route_at, "one reference in words",
	  ml_open_sim_lasts, ML_PARAMS(ML_TIME("time")) },
	{ "GET", "/api/sims/#/datum", ml_route_datum, "accesses to a datum",
	  ml_open_sim_lasts,
	  ML_PARAMS(REGION, ML_NUMBER("offset"), ML_NUMBER_IN("size", 1, UINT32_MAX),
		    ML_TIME("around"), ML_NUMBER_IN("count", 1, 1000)) },
	{ "GET", "/api/sims/#/select", ml_route_select, "what is selected",
	  ml_open_sim_lasts, ML_PARAMS(WINDOW, CELLS, SELECTION) },
	{ "GET", "/api/compare", ml_route_compare, "two simulations compared", NULL,
	  ML_PARAMS(PAIR, ML_NUMBER("top")) },
	{ "GET", "/api/disagreements", ml_route_disagreements, "when they disagree", NULL,
	  ML_PARAMS(PAIR, WINDOW, CELLS, ML_TEXT("match", ML_LIST_BYTES)) },
	{ "GET", "/api/disagreements/step", ml_route_disagreements_step,
	  "the next reference served differently", NULL,
	  ML_PARAMS(PAIR, ML_TIME("at"), ML_TEXT("dir", ML_WORD_BYTES)) },
	{ "GET", "/api/disagreements/moment", ml_route_disagreements_moment,
	  "what they hold at a moment", NULL,
	  ML_PARAMS(PAIR, ML_TIME("at"), ML_TIME("other"), ML_NUMBER_IN("most", 0, 65536),
		    ML_NUMBER_IN("tail", 0, 65536), ML_TEXT("group_a", ML_NAME_BYTES),
		    ML_TEXT("group_b", ML_NAME_BYTES)) },
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
	.info = ml_trace_info,
	.report = ml_trace_report,
	.diff = ml_trace_diff,
	.takes = (const char *const[]){ "machine", "no-prefetch", "no-tlb", "from", "to",
					"phase", "mode", "no-source", "fail-if",
					"interleave", "window", "promised", NULL },
};
