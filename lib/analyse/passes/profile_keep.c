/*
 * The end of the pass that fills a profile: what was counted becomes columns.
 */
#include "lib/analyse/passes/profile_parts.h"

#include <string.h>

#include "lib/cache/machine/link_bytes.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"

void ml_profile_take(struct ml_profiler *x, size_t cell, struct ml_profile_sum *sum)
{
	for (size_t k = 0; k < ML_PROFILE_PLANES; k++) {
		uint64_t held = x->plane[k] ? x->plane[k][cell] : 0;
		uint64_t count = held / ML_PROFILE_ONE;

		if (!held)
			continue;
		x->plane[k][cell] = 0;
		sum->served[k >> 2] += count;
		if (k == 4 * 1 + ML_FETCH)
			sum->fetched += count;
		sum->kind[k & 3] += count;
		/* all references of a plane have the same kind in `what` */
		sum->bytes += held % ML_PROFILE_ONE -
			      count * ml_what((enum ml_kind)(k & 3), 0);
	}
}

static void keep_work(struct ml_profile_cell *c, const struct ml_profile_work *w)
{
	c->steps = c->kind[0] + c->kind[1] + c->kind[2] - w->firsts;
	memcpy(c->cause, w->cause, sizeof(c->cause));
	for (uint32_t k = 0; k < w->strides; k++)
		if (w->stride[k].count > w->over[k])
			c->stride[c->strides++] = (struct ml_profile_stride){
				w->stride[k].bytes, w->stride[k].count - w->over[k]
			};
}

static void keep_cell(struct ml_profiler *x, const struct ml_cell *from, size_t cell)
{
	struct ml_profile *p = x->p;
	struct ml_profile_sum sum = { 0 };
	struct ml_profile_cell *c = &p->cells[p->cell_count];

	if (cell < x->sum_cap)
		sum = x->sums[cell];
	ml_profile_take(x, cell, &sum);
	for (size_t k = 0; k < 4; k++)         /* an unknown kind counts as a read, */
		c->kind[k % 3] += sum.kind[k]; /* as in the simulators */
	if (!c->kind[0] && !c->kind[1] && !c->kind[2])
		return; /* the region lookup met the cell outside the window */
	for (size_t k = 0; k < 3; k++)
		p->kind[k] += c->kind[k];
	if (cell < x->surcharge_cap)
		c->surcharge = x->surcharges[cell];
	c->surcharge.fetches = c->kind[ML_FETCH];
	c->surcharge.fetched = sum.fetched;
	ml_surcharge_add(&p->surcharge, &c->surcharge);
	c->site = from->site;
	c->caller = from->caller;
	c->region = from->region;
	c->bytes = sum.bytes;
	memcpy(c->served, sum.served, sizeof(c->served));
	if (x->full) {
		x->work[cell].stride[0].count = x->steps[cell].stride.count;
		keep_work(c, &x->work[cell]);
	}
	p->cell_count++;
}

static void keep_cells(struct ml_profiler *x, const struct ml_region_lookup *s)
{
	x->p->cells = ml_resize(NULL, (x->cells + 1) * sizeof(*x->p->cells));
	x->p->cell_cap = x->cells + 1;
	memset(x->p->cells, 0, x->p->cell_cap * sizeof(*x->p->cells));
	for (size_t i = 0; i < x->cells; i++)
		keep_cell(x, ml_region_lookup_cell(s, (uint32_t)i), i);
	for (size_t k = 0; k < ML_PROFILE_PLANES; k++)
		ml_free(x->plane[k]);
	ml_free(x->sums);
	ml_free(x->surcharges);
	ml_free(x->steps);
	ml_free(x->work);
}

static void keep_counts(struct ml_profile *p, const struct ml_replay *r)
{
	const struct ml_machine *m = &p->machine;
	const struct ml_level_counts *counts[ML_LEVELS + 1];

	for (unsigned k = 0; k <= m->levels; k++) {
		counts[k] = &p->level[k].counts;
		if (k || m->split)
			ml_replay_counts(r, k, &p->level[k].counts);
	}
	for (unsigned k = m->split ? 0 : 1; k <= m->levels; k++) {
		struct ml_link_bytes link = ml_link_bytes(m, counts, k);

		p->level[k].bytes_in = link.in;
		p->level[k].bytes_out = link.out;
	}
	for (unsigned k = 0; k < m->tlbs; k++)
		ml_replay_tlb_counts(r, k, &p->tlb[k]);
}

/* Notes gaps between two references of the window, and at the ends of the trace. */
static void keep_gaps(struct ml_profile *p, const struct ml_trace *trace)
{
	const struct ml_tables *t = &trace->tables;

	for (size_t i = 0; i < t->gaps.count; i++) {
		const struct ml_gap *g = &t->gaps.at[i];

		if ((g->time <= p->from && p->from) ||
		    (g->time >= p->to && p->to < trace->count))
			continue;
		p->gaps++;
		p->missing += g->count;
	}
}

/* Copies the regions that the region lookup made up, and their names. */
static void keep_regions(struct ml_profile *p, const struct ml_region_lookup *s,
			 const struct ml_tables *t)
{
	uint32_t first = (uint32_t)t->regions.count;

	for (uint32_t i = first; i < ml_region_lookup_regions(s); i++) {
		const struct ml_region *r = ml_region_lookup_region(s, i);
		const char *name = ml_region_lookup_name(s, i);
		size_t size = strlen(name) + 1;

		p->regions = ml_grow(p->regions, &p->region_cap, p->region_count + 1,
				     sizeof(*p->regions));
		p->regions[p->region_count++] = (struct ml_profile_region){
			.kind = r->kind,
			.func = r->func,
			.thread = r->thread,
			.name = (uint32_t)p->names_size,
		};
		p->names = ml_grow(p->names, &p->names_cap, p->names_size + size, 1);
		memcpy(p->names + p->names_size, name, size);
		p->names_size += size;
	}
}

void ml_profiler_close(struct ml_profiler *x, const struct ml_replay *r)
{
	struct ml_profile *p = x->p;
	const struct ml_tables *t = &ml_replay_trace(r)->tables;

	ml_profile_start(x, r); /* in case there was no reference */
	keep_cells(x, ml_replay_lookup(r));
	for (size_t i = 0; i < p->thread_count; i++)
		for (size_t k = 0; k < ML_SERVED; k++)
			p->threads[i].refs += p->threads[i].served[k];
	keep_counts(p, r);
	keep_gaps(p, ml_replay_trace(r));
	keep_regions(p, ml_replay_lookup(r), t);
	p->cycles = ml_profile_average(p);
	ml_profile_lines_end(x);
	ml_arena_release(&x->arena);
	ml_free(x);
}
