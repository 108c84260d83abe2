/* Samples of the hardware. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/samples/tell_samples.h"
#include "lib/query/workspace/request.h"
#include "lib/query/samples/open_samples.h"
#include "lib/query/samples/route_samples.h"
#include "lib/samples/bins.h"
#include "lib/samples/read/read_samples.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	const struct ml_samples *s =
		&ml_open_samples_table((struct ml_open_samples *)d)->s;

	ml_json_key_u64(w, "rows", s->rows);
	ml_json_key_u64(w, "columns", s->count);
	ml_json_key_string(w, "format", s->format);
}

#define BINS ML_NUMBER_IN("bins", 1, ML_BINS_MAX)
#define QUESTION \
	ML_NUMBER("top"), ML_NUMBER("windows"), ML_NUMBER("width"), ML_NUMBER("step"), \
		ML_NUMBER("clusters"), ML_NUMBER("depth"), \
		ML_TEXT("select", ML_LIST_BYTES), ML_TEXT("also", ML_LIST_BYTES), \
		ML_TEXT("log", ML_LIST_BYTES), ML_TEXT("by", ML_NAME_BYTES), \
		ML_TEXT("empty", ML_WORD_BYTES), ML_TEXT("metric", ML_NAME_BYTES), \
		ML_TEXT("along", ML_NAME_BYTES), ML_TEXT("tier", ML_NAME_BYTES)

static const struct ml_route routes[] = {
	{ "GET", "/api/samples/#", ml_route_samples,
	  "a sample table: columns, tables, bad lines", NULL, ML_NO_PARAMS },
	{ "GET", "/api/samples/#/table", ml_route_samples_table, "one table", NULL,
	  ML_PARAMS(QUESTION, ML_TEXT("table", ML_WORD_BYTES)) },
	{ "GET", "/api/samples/#/histogram", ml_route_samples_histogram,
	  "counts along a column", NULL,
	  ML_PARAMS(QUESTION, BINS, ML_TEXT("column", ML_NAME_BYTES)) },
	{ "GET", "/api/samples/#/pairs", ml_route_samples_pairs,
	  "counts between two columns", NULL,
	  ML_PARAMS(QUESTION, BINS, ML_TEXT("left", ML_NAME_BYTES),
		    ML_TEXT("right", ML_NAME_BYTES)) },
	{ "GET", "/api/samples/#/topology", ml_route_samples_topology,
	  "the hardware with its loads and transactions", NULL, ML_PARAMS(QUESTION) },
	{ "GET", "/api/samples/#/select", ml_route_samples_select,
	  "how much a selection holds", NULL, ML_PARAMS(QUESTION) },
	{ "GET", "/api/samples/#/axes", ml_route_samples_axes,
	  "histograms of columns and counts between neighbours", NULL,
	  ML_PARAMS(QUESTION, BINS, ML_TEXT("columns", ML_LIST_BYTES),
		    ML_NUMBER_IN("alone", 0, 1), ML_NUMBER("lines")) },
	{ "GET", "/api/samples/#/loads", ml_route_samples_loads,
	  "loads of each node of the hardware", NULL,
	  ML_PARAMS(QUESTION, ML_NUMBER_IN("alone", 0, 1)) },
	{ "GET", "/api/samples/#/offenders", ml_route_samples_offenders,
	  "lines within functions or files, data objects, levels", NULL,
	  ML_PARAMS(QUESTION) },
	{ "GET", "/api/samples/#/source", ml_route_samples_source,
	  "the text of a source file that samples name", NULL,
	  ML_PARAMS(ML_TEXT("file", ML_LIST_BYTES)) },
	{ "GET", "/api/samples/#/beside", ml_route_samples_beside,
	  "samples beside a simulation of an open trace", NULL,
	  ML_PARAMS(QUESTION, ML_NUMBER("trace"), ML_TEXT("machine", ML_NAME_BYTES)) },
	{ "POST", "/api/samples/#/read", ml_route_samples_read, "reads the file again",
	  NULL,
	  ML_PARAMS(ML_TEXT("columns", ML_LIST_BYTES), ML_NUMBER_IN("l1", 0, 1000000)) },
	{ 0 },
};

const struct ml_document_kind ml_kind_samples = {
	.name = "samples",
	.what = "samples of the hardware",
	.suffixes = (const char *const[]){ ".mlh", NULL },
	.is_mine = ml_samples_is,
	.open = ml_open_samples_open,
	.close = ml_open_samples_close,
	.describe = describe,
	.routes = routes,
	.info = ml_samples_info,
	.report = ml_samples_report,
	.diff = ml_samples_diff,
	.takes = (const char *const[]){ "select", "no-source", NULL },
};
