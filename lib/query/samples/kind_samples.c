/* Samples of the hardware. */
#include <stddef.h>

#include "lib/base/json.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/samples/open_samples.h"
#include "lib/query/samples/route_samples.h"
#include "lib/samples/read_samples.h"

static void describe(struct ml_document *d, struct ml_json *w)
{
	const struct ml_samples *s =
		&ml_open_samples_table((struct ml_open_samples *)d)->s;

	ml_json_key_u64(w, "rows", s->rows);
	ml_json_key_u64(w, "columns", s->count);
	ml_json_key_string(w, "format", s->format);
}

static const struct ml_route routes[] = {
	{ "GET", "/api/samples/#", ml_route_samples,
	  "a sample table: columns, tables, bad lines", NULL },
	{ "GET", "/api/samples/#/table", ml_route_samples_table,
	  "one table: table select top by empty metric along tier windows width step "
	  "clusters depth",
	  NULL },
	{ "GET", "/api/samples/#/histogram", ml_route_samples_histogram,
	  "counts along a column: column bins log select", NULL },
	{ "GET", "/api/samples/#/pairs", ml_route_samples_pairs,
	  "counts between two columns: left right bins select", NULL },
	{ "GET", "/api/samples/#/topology", ml_route_samples_topology,
	  "the hardware with its loads and transactions: select", NULL },
	{ "GET", "/api/samples/#/select", ml_route_samples_select,
	  "how much a selection holds: select", NULL },
	{ "GET", "/api/samples/#/axes", ml_route_samples_axes,
	  "histograms of columns and counts between neighbours: columns bins log select also",
	  NULL },
	{ "GET", "/api/samples/#/loads", ml_route_samples_loads,
	  "loads of each node of the hardware: select also", NULL },
	{ "GET", "/api/samples/#/offenders", ml_route_samples_offenders,
	  "lines within functions or files, data objects, levels: select also by top",
	  NULL },
	{ "GET", "/api/samples/#/source", ml_route_samples_source,
	  "the text of a source file that samples name: file", NULL },
	{ "GET", "/api/samples/#/beside", ml_route_samples_beside,
	  "samples beside a simulation of an open trace: trace machine select top",
	  NULL },
	{ "POST", "/api/samples/#/read", ml_route_samples_read,
	  "reads the file again: columns l1", NULL },
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
};
