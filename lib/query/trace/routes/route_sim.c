#include "lib/query/trace/routes/route_sim.h"

#include <string.h>

#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/user_lines.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/compare_tables.h"
#include "lib/query/trace/routes/route_served.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/counts.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/query/trace/tables/analysed_trace.h"

bool ml_route_sim_start(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	const char *text = ml_request_text(q, "machine");
	struct ml_machine machine = ws->machine;
	uint64_t trace, interleave;
	uint32_t sim;

	if (!ml_request_u64(q, "trace", 0, &trace, err) ||
	    !ml_request_u64(q, "interleave", ML_INTERLEAVE_AUTO, &interleave, err) ||
	    (text && !ml_machine_parse(&machine, text, err)) ||
	    !ml_open_sim_start(ws, trace, &machine, interleave, &sim, err))
		return false;
	ml_workspace_job_json(ws, sim, &a->head);
	return true;
}

bool ml_route_sim(struct ml_workspace *ws, const struct ml_request *q,
		  struct ml_answer *a, struct ml_err *err)
{
	if (!ml_open_sim(ws, q->number[0], err))
		return false;
	ml_workspace_job_json(ws, q->number[0], &a->head);
	return true;
}

bool ml_route_sim_cancel(struct ml_workspace *ws, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim(ws, q->number[0], err);

	if (!s)
		return false;
	ml_workspace_job_cancel(&s->job);
	return ml_route_sim(ws, q, a, err);
}

bool ml_route_sim_findings(struct ml_workspace *ws, const struct ml_request *q,
			   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	const struct ml_findings *f = s ? ml_open_sim_findings(s, err) : NULL;

	if (!f)
		return false;
	ml_json_object(&a->json);
	ml_json_key(&a->json, "waiting");
	ml_json_real(&a->json, f->waiting);
	ml_json_key(&a->json, "findings");
	ml_findings_json(f, &a->json, true);
	ml_json_end(&a->json);
	return true;
}

enum { ROWS = 100 };

bool ml_route_sim_profile(struct ml_workspace *ws, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct ml_profile_view v = { 0 };
	uint64_t top;

	if (!s || !ml_request_u64(q, "top", ROWS, &top, err))
		return false;
	v.trace = &s->trace->trace;
	v.profile = s->simulation.profile;
	ml_profile_rows_make(&v.rows, v.trace, v.profile);
	ml_profile_json(&v, top, &a->head);
	ml_profile_rows_release(&v.rows);
	return true;
}

enum {
	DISTINCT = 64
}; /* strides of a region that are told apart; rarer ones are left out */

/* The strides of one region, over all lines of code that refer to it. */
bool ml_route_sim_strides(struct ml_workspace *ws, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct ml_profile_stride sum[DISTINCT];
	size_t count = 0;
	uint64_t region;

	if (!s || !ml_request_u64(q, "region", 0, &region, err))
		return false;
	for (size_t i = 0; i < s->simulation.profile->cell_count; i++) {
		const struct ml_profile_cell *c = &s->simulation.profile->cells[i];

		for (uint32_t k = 0; c->region == region && k < c->strides; k++) {
			size_t at = 0;

			while (at < count && sum[at].bytes != c->stride[k].bytes)
				at++;
			if (at < count)
				sum[at].count += c->stride[k].count;
			else if (count < DISTINCT)
				sum[count++] = c->stride[k];
		}
	}
	ml_json_object(&a->json);
	ml_json_key(&a->json, "strides");
	ml_json_array(&a->json);
	for (size_t i = 0; i < count; i++) {
		ml_json_object(&a->json);
		ml_json_key(&a->json, "bytes");
		ml_json_i64(&a->json, sum[i].bytes);
		ml_json_key(&a->json, "count");
		ml_json_u64(&a->json, sum[i].count);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_json_end(&a->json);
	return true;
}

/* A simulation of the workspace as what comparisons are made of. Nothing is copied. */
static bool study(struct ml_workspace *ws, const struct ml_request *q, const char *key,
		  struct ml_analysed_trace *out, struct ml_err *err)
{
	uint64_t number;

	if (!ml_request_u64(q, key, UINT64_MAX, &number, err))
		return false;
	struct ml_open_sim *s = ml_open_sim_ready(ws, number, err);
	const struct ml_findings *f = s ? ml_open_sim_findings(s, err) : NULL;
	if (!f)
		return false;
	*out = (struct ml_analysed_trace){ .trace = s->trace->trace,
					   .simulation.profile = s->simulation.profile,
					   .findings = *f };
	ml_profile_rows_make(&out->rows, &s->trace->trace, out->simulation.profile);
	return true;
}

bool ml_route_compare(struct ml_workspace *ws, const struct ml_request *q,
		      struct ml_answer *a, struct ml_err *err)
{
	struct ml_analysed_trace one, other;
	struct ml_compare c;
	uint64_t top;

	if (!ml_request_u64(q, "top", ROWS, &top, err) || !study(ws, q, "a", &one, err))
		return false;
	bool ok = study(ws, q, "b", &other, err);
	if (ok) {
		ml_compare_make(&c, &one, &other);
		ml_compare_json(&c, top, &a->head);
		ml_compare_release(&c);
		ml_profile_rows_release(&other.rows);
	}
	ml_profile_rows_release(&one.rows);
	return ok;
}

/* Counts of the lines of one file, gathered cell by cell or reference by reference. */
struct lines {
	struct ml_user_lines places;
	uint32_t file; /* name */
	struct line_count {
		uint64_t reads, writes, refs, served[ML_SERVED];
		double beyond;
	} * at; /* by place */
	size_t cap;
};

static struct line_count *line_at(struct lines *l, uint32_t site, uint32_t caller)
{
	bool is_new;
	uint64_t place = ml_user_lines_line(&l->places, site, caller, &is_new);

	l->at = ml_grow(l->at, &l->cap, place + 1, sizeof(*l->at));
	return &l->at[place];
}

static void count_lines(void *arg, uint64_t position, const struct ml_result_row *row)
{
	struct line_count *c = line_at(arg, row->site, 0);

	(void)position;
	c->refs += row->count;
	c->reads += row->kind == ML_READ ? row->count : 0;
	c->writes += row->kind == ML_WRITE ? row->count : 0;
	c->served[ml_outcome_served(row->outcome)] += row->count;
	c->beyond += (double)row->beyond;
}

/* The whole trace: the cells of the profile have it. */
static void sum_lines(struct lines *l, const struct ml_profile *p)
{
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *cell = &p->cells[i];
		struct line_count *c = line_at(l, cell->site, cell->caller);
		uint64_t refs = cell->kind[0] + cell->kind[1] + cell->kind[2];

		c->refs += refs;
		c->beyond += ml_surcharge_cycles(&cell->surcharge, &p->machine, refs);
		c->reads += cell->kind[ML_READ];
		c->writes += cell->kind[ML_WRITE];
		for (unsigned k = 0; k < ML_SERVED; k++)
			c->served[k] += cell->served[k];
	}
}

static void put_lines(struct ml_answer *a, const struct lines *l,
		      const struct ml_machine *m)
{
	struct ml_json *w = &a->json;

	ml_json_object(w);
	ml_json_key(w, "lines");
	ml_json_array(w);
	for (size_t i = 0; i < l->places.count && i < l->cap; i++) {
		const struct ml_user_line *p = &l->places.lines[i];
		const struct line_count *c = &l->at[i];

		if (!p->own || !p->line || p->file != l->file || !c->refs)
			continue;
		ml_json_object(w);
		ml_answer_u64(a, "line", p->line);
		ml_answer_string(a, "func", ml_tables_text(l->places.tables, p->func));
		ml_answer_u64(a, "references", c->refs);
		ml_answer_u64(a, "reads", c->reads);
		ml_answer_u64(a, "writes", c->writes);
		ml_route_served(a, m, c->served, c->beyond);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

bool ml_route_sim_lines(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct lines l = { 0 };
	uint64_t file, from, to;
	bool ok = true;

	if (!s || !ml_request_u64(q, "file", UINT64_MAX, &file, err) ||
	    !ml_request_window(q, s->simulation.result.refs, &from, &to, err))
		return false;
	if (file >= s->trace->file_count)
		return ml_fail(err, ML_USAGE, "the trace has no file %llu",
			       (unsigned long long)file);
	ml_user_lines_init(&l.places, &s->trace->trace.tables);
	l.file = s->trace->files[file].path;
	if (from == 0 && to == s->simulation.result.refs)
		sum_lines(&l, s->simulation.profile);
	else
		ok = ml_counts(s, &q->work, from, to, count_lines, &l, err);
	if (ok)
		put_lines(a, &l, &s->machine);
	ml_user_lines_release(&l.places);
	ml_free(l.at);
	return ok;
}
