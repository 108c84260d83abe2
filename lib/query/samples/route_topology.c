/* The hardware as a tree, the loads of samples on it, and how each resource is selected.
 */
#include "lib/query/samples/route_samples.h"
#include "lib/query/samples/sample_request.h"
#include "lib/samples/loads.h"

static bool read_request(struct ml_sample_request *r, struct ml_workspace *ws,
			 const struct ml_request *q, struct ml_answer *a,
			 struct ml_err *err)
{
	if (!ml_sample_request_read(r, ws, q, a, err))
		return false;
	if (!r->table->loads) {
		*err = r->table->no_loads;
		return false;
	}
	return true;
}

bool ml_route_samples_topology(struct ml_workspace *ws, const struct ml_request *q,
			       struct ml_answer *a, struct ml_err *err)
{
	struct ml_json *w = &a->json;
	struct ml_sample_request r;
	struct ml_loads l;

	if (!read_request(&r, ws, q, a, err))
		return false;
	const struct ml_topology *t = &r.s->topology;
	ml_loads_count(&l, r.table->loads, &r.q.selected, &a->arena);
	struct ml_node_load *n = ml_loads_nodes(&l, r.table->loads, &a->arena);
	uint64_t unknown = 0;
	for (unsigned i = 0; i < ML_LEVELS; i++)
		unknown += l.cell[r.table->loads->cpus * ML_LEVELS + i].samples;
	ml_json_object(w);
	ml_json_key_string(w, "name", t->name);
	ml_json_key_u64(w, "withoutCpu", unknown);
	ml_json_key_array(w, "nodes");
	for (uint32_t i = 0; i < t->count; i++) {
		ml_json_object(w);
		ml_json_key_u64(w, "parent", t->nodes[i].parent);
		ml_json_key_u64(w, "tier", t->nodes[i].tier);
		ml_json_key_string(w, "label", ml_topology_label(t, i, &a->arena));
		ml_json_key_u64(w, "size", t->nodes[i].size);
		ml_json_key_u64(w, "samples", n[i].load.samples);
		ml_json_key_u64(w, "cycles", n[i].load.cycles);
		ml_json_key_u64(w, "transactions", n[i].transactions);
		ml_json_key_string(w, "select",
				   ml_arena_printf(&a->arena, "resource = \"%s\"",
						   ml_topology_label(t, i, &a->arena)));
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
	return true;
}

static void put_loads(struct ml_answer *a, const char *const names[4],
		      const struct ml_sample_request *r, const struct ml_selection *sel)
{
	size_t count = r->s->topology.count;
	struct ml_loads l;

	ml_loads_count(&l, r->table->loads, sel, &a->arena);
	struct ml_node_load *n = ml_loads_nodes(&l, r->table->loads, &a->arena);
	double *x[4];
	for (size_t k = 0; k < 4; k++)
		x[k] = ml_arena_alloc(&a->arena, (count + 1) * sizeof(**x));
	for (size_t i = 0; i < count; i++) {
		x[0][i] = (double)n[i].load.samples;
		x[1][i] = (double)n[i].load.timed;
		x[2][i] = (double)n[i].load.cycles;
		x[3][i] = (double)n[i].transactions;
	}
	for (size_t k = 0; k < 4; k++)
		ml_answer_column(a, names[k], ML_TYPE_F64, x[k], count);
}

bool ml_route_samples_loads(struct ml_workspace *ws, const struct ml_request *q,
			    struct ml_answer *a, struct ml_err *err)
{
	static const char *const names[] = { "samples", "timed", "cycles",
					     "transactions" },
				 *const also[] = { "alsoSamples", "alsoTimed",
						   "alsoCycles", "alsoTransactions" };
	struct ml_sample_request r;
	uint64_t alone;

	if (!read_request(&r, ws, q, a, err) ||
	    !ml_request_u64(q, "alone", 0, &alone, err))
		return false;
	if (alone && !r.has_also)
		return ml_fail(err, ML_USAGE, "alone=1 needs also=SELECTION");
	ml_answer_columns(a);
	if (r.has_also)
		ml_answer_u64(a, "also", ml_selection_count(&r.also));
	if (!alone)
		put_loads(a, names, &r, &r.q.selected);
	if (r.has_also)
		put_loads(a, also, &r, &r.also);
	return true;
}
