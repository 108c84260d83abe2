#include "lib/query/flow_check/recorded_loops.h"

#include <string.h>

#include "lib/base/work.h"
#include "lib/cache/engine.h"
#include "lib/flow/flow.h"
#include "lib/trace/ref.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

enum { UNSEEN = 0, NOT_OURS = 1, OURS = 2 }; /* and above: OURS + cell */

struct line_loop {
	uint32_t line, loop;
};

struct pass {
	struct ml_recorded_loops *r;
	const struct ml_flow *f;
	const struct ml_tables *tables;
	struct ml_engine *engine;
	unsigned levels;
	struct line_loop *lines;
	size_t line_count, line_cap;
	const char *base;    /* name of the source without its folder */
	uint64_t *by_number; /* by cell number of the lookup: UNSEEN, NOT_OURS... */
	size_t number_cap;
	uint64_t total;
	const struct ml_work *work;
	uint64_t addr[ML_BATCH];
	uint16_t what[ML_BATCH], outcome[ML_BATCH];
	uint32_t cell[ML_BATCH], own[ML_BATCH];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t innermost_loop(const struct ml_flow *f, uint32_t node)
{
	while (node != ML_FLOW_NONE && f->node[node].kind != ML_FLOW_FOR)
		node = f->node[node].parent;
	return node;
}

static void add_line(struct pass *p, uint32_t line, uint32_t loop)
{
	for (size_t i = 0; i < p->line_count; i++)
		if (p->lines[i].line == line)
			return;
	p->lines = ml_grow(p->lines, &p->line_cap, p->line_count + 1, sizeof(*p->lines));
	p->lines[p->line_count++] = (struct line_loop){ line, loop };
}

static uint32_t line_of(const struct ml_flow *f, uint32_t node, size_t access)
{
	uint32_t line = f->node[node].access[access].line;

	return line ? line : f->node[node].line;
}

uint32_t ml_recorded_loops_of(const struct ml_flow *f, uint32_t node, size_t access)
{
	uint32_t line = line_of(f, node, access);

	for (uint32_t i = 0; i < node; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			if (line_of(f, i, j) == line)
				return innermost_loop(f, i);
	return innermost_loop(f, node);
}

/* Lines of accesses first: a loop may share its line with what it repeats. */
static void find_lines(struct pass *p)
{
	const struct ml_flow *f = p->f;

	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			add_line(p, line_of(f, i, j), innermost_loop(f, i));
	for (uint32_t i = 0; i < f->node_count; i++)
		if (f->node[i].kind == ML_FLOW_FOR)
			add_line(p, f->node[i].line, i);
}

/* The loop of a line of the function: that of the last known line up to it. False: the
 * line is none of them. */
static bool loop_of(const struct pass *p, uint32_t line, uint32_t *loop)
{
	uint32_t nearest = 0, last = 0;

	for (size_t i = 0; i < p->line_count; i++) {
		last = p->lines[i].line > last ? p->lines[i].line : last;
		if (p->lines[i].line <= line && p->lines[i].line >= nearest) {
			nearest = p->lines[i].line;
			*loop = p->lines[i].loop;
		}
	}
	return nearest && line <= last;
}

static bool site_loop(const struct pass *p, uint32_t site, uint32_t *loop)
{
	const struct ml_site *s = &p->tables->sites.at[site];

	for (uint32_t i = 0; i < s->frames; i++) {
		const struct ml_frame *frame = &p->tables->frames.at[s->frame + i];
		const char *file = ml_tables_text(p->tables, frame->file);
		const char *func = ml_tables_text(p->tables, frame->func);

		if (strcmp(base_name(file), p->base))
			continue;
		if (!strcmp(func, p->f->function) && loop_of(p, frame->line, loop))
			return true;
		/* a function that the flow inlined, and the compiler did not */
		for (size_t j = 0; j < p->line_count; j++)
			if (p->lines[j].line == frame->line) {
				*loop = p->lines[j].loop;
				return true;
			}
	}
	return false;
}

static uint64_t classify(struct pass *p, uint32_t number)
{
	const struct ml_cell *c = ml_region_lookup_cell(p->r->lookup, number);
	struct ml_recorded_loops *r = p->r;
	uint32_t loop = ML_FLOW_NONE;
	size_t i;

	if (!site_loop(p, c->site, &loop))
		return NOT_OURS;
	for (i = 0; i < r->count; i++)
		if (r->cell[i].loop == loop && r->cell[i].region == c->region)
			return OURS + i;
	r->cell = ml_grow(r->cell, &r->cap, r->count + 1, sizeof(*r->cell));
	r->cell[r->count++] = (struct ml_recorded_cell){ .loop = loop,
							 .region = c->region };
	return OURS + i;
}

static bool take(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct pass *p = arg;
	size_t n = 0;

	ml_region_lookup_cells(p->r->lookup, b, p->cell);
	p->by_number = ml_grow(p->by_number, &p->number_cap,
			       ml_region_lookup_cell_count(p->r->lookup),
			       sizeof(*p->by_number));
	for (size_t i = 0; i < b->count; i++) {
		uint64_t *class = &p->by_number[p->cell[i]];

		if (ml_what_kind(b->what[i]) == ML_FETCH)
			continue;
		if (*class == UNSEEN)
			*class = classify(p, p->cell[i]);
		if (*class == NOT_OURS)
			continue;
		p->addr[n] = b->addr[i];
		p->what[n] = b->what[i];
		p->own[n++] = (uint32_t)(*class - OURS);
	}
	struct ml_accesses a = {
		.count = n, .addr = p->addr, .what = p->what, .site = p->own
	};
	if (n && !ml_engine_run(p->engine, &a, p->outcome, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct ml_flow_check_side *c = &p->r->cell[p->own[i]].count;

		c->reads += ml_what_kind(p->what[i]) == ML_READ;
		c->writes += ml_what_kind(p->what[i]) == ML_WRITE;
		c->bytes += ml_what_size(p->what[i]);
		for (unsigned l = 1; l < ml_outcome_served(p->outcome[i]); l++)
			c->missed[l - 1]++;
	}
	ml_work_progress(p->work, "comparing", b->time + b->count, p->total);
	return ml_work_goes_on(p->work, err);
}

bool ml_recorded_loops_run(struct ml_recorded_loops *r, const struct ml_flow *f,
			   const struct ml_machine *m, struct ml_trace *t,
			   const struct ml_work *work, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct pass *p = ml_arena_alloc(&a, sizeof(*p));

	*r = (struct ml_recorded_loops){ 0 };
	p->r = r;
	p->f = f;
	p->tables = &t->tables;
	p->base = base_name(f->path);
	p->total = t->count;
	p->work = work;
	find_lines(p);
	r->lookup = ml_region_lookup_open(t, err);
	struct ml_engine_job job = { .threads = 1 };
	p->engine = r->lookup ? ml_engine_open(m, &job, err) : NULL;
	bool ok = p->engine && ml_trace_each(t, 0, t->count, 1, take, p, err);
	ml_engine_close(p->engine);
	ml_free(p->lines);
	ml_free(p->by_number);
	ml_arena_release(&a);
	return ok;
}

void ml_recorded_loops_release(struct ml_recorded_loops *r)
{
	if (r->lookup)
		ml_region_lookup_close(r->lookup);
	ml_free(r->cell);
	*r = (struct ml_recorded_loops){ 0 };
}
