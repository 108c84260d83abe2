/* Samples beside a simulation of the same program (beside.h). */
#include "lib/cache/machine/machine.h"
#include "lib/query/samples/beside.h"
#include "lib/query/samples/route_samples.h"
#include "lib/query/samples/sample_request.h"
#include "lib/query/trace/tables/profile_rows.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"

static void put_share(struct ml_json *w, const char *key, uint64_t part, uint64_t whole)
{
	ml_json_key(w, key);
	if (whole)
		ml_json_real(w, (double)part / (double)whole);
	else
		ml_json_null(w);
}

static void put_rows(struct ml_json *w, const char *key, const struct ml_beside *b,
		     uint64_t top)
{
	ml_json_key_array(w, key);
	for (size_t i = 0; i < b->count && i < top; i++) {
		const struct ml_beside_row *r = &b->list[i];

		ml_json_object(w);
		ml_json_key_string(w, "name", r->name);
		if (r->line) {
			ml_json_key_string(w, "file", r->file);
			ml_json_key_u64(w, "line", r->line);
		}
		ml_json_key_u64(w, "samples", r->samples);
		ml_json_key_u64(w, "cycles", r->cycles);
		ml_json_key(w, "mean");
		if (r->timed)
			ml_json_real(w, (double)r->cycles / (double)r->timed);
		else
			ml_json_null(w);
		/* the few samples of a known level do not speak for the others */
		put_share(w, "beyondL1", r->beyond,
			  2 * r->known >= r->samples ? r->known : 0);
		ml_json_key_u64(w, "references", r->references);
		ml_json_key_real(w, "simCycles", r->sim_cycles);
		ml_json_key(w, "simMean");
		if (r->references)
			ml_json_real(w, r->sim_cycles / (double)r->references);
		else
			ml_json_null(w);
		put_share(w, "simBeyondL1", r->missed, r->references);
		ml_json_key_real(w, "share", r->share);
		ml_json_key_real(w, "simShare", r->sim_share);
		ml_json_end(w);
	}
	ml_json_end(w);
}

/* Simulates the trace, unless that is done already, and waits for the result. */
static struct ml_open_sim *simulated(struct ml_workspace *ws, const struct ml_request *q,
				     struct ml_err *err)
{
	const char *text = ml_request_text(q, "machine");
	struct ml_machine machine = ws->machine;
	uint64_t trace;
	uint32_t sim;

	if (!ml_request_u64(q, "trace", 0, &trace, err) ||
	    (text && *text && !ml_machine_parse(&machine, text, err)) ||
	    !ml_open_sim_start(ws, trace, &machine, ML_INTERLEAVE_AUTO, &sim, err) ||
	    !ml_open_sim_finish(ws, sim, err))
		return NULL;
	return ml_open_sim_ready(ws, sim, err);
}

bool ml_route_samples_beside(struct ml_workspace *ws, const struct ml_request *q,
			     struct ml_answer *a, struct ml_err *err)
{
	struct ml_sample_request r;
	struct ml_profile_rows rows;
	struct ml_beside lines, objects;
	struct ml_open_sim *sim;

	if (!ml_sample_request_read(&r, ws, q, a, err) || !(sim = simulated(ws, q, err)))
		return false;
	ml_profile_rows_make(&rows, &sim->trace->trace, sim->simulation.profile);
	ml_beside_lines(&lines, r.s, &r.q.selected, &rows, &a->arena);
	ml_beside_objects(&objects, r.s, &r.q.selected, &rows, &a->arena);
	ml_json_object(&a->json);
	ml_json_key_u64(&a->json, "trace", sim->trace->document.number);
	ml_json_key_string(&a->json, "machine", sim->text);
	ml_json_key_bool(&a->json, "byCycles", lines.by_cycles || objects.by_cycles);
	put_rows(&a->json, "lines", &lines, r.q.top);
	put_rows(&a->json, "objects", &objects, r.q.top);
	ml_json_end(&a->json);
	ml_profile_rows_release(&rows);
	return true;
}
