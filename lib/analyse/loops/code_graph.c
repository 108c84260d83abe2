#include "lib/analyse/loops/code_graph.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/trace/trace.h"

enum { NEXT_MAX = 4096 }; /* blocks that one indirect jump goes to */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint32_t ml_code_graph_at(const struct ml_code_graph *g, uint64_t at)
{
	size_t i = ml_search_last(g->block, g->blocks, sizeof(*g->block),
				  offsetof(struct ml_code_block, at), at);

	return i < g->blocks && g->block[i].at == at ? (uint32_t)i : ML_NO_CODE;
}

/* All addresses at which code is entered, each once. */
static size_t find_starts(const struct ml_control *c, uint64_t **out)
{
	size_t count = 0, cap = 0, n = 0;
	uint64_t *at = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct ml_control_superblock *s = &c->at[i];

		at = ml_grow(at, &cap, count + 1 + 2u * s->branches, sizeof(*at));
		at[count++] = s->entry;
		for (size_t k = 0; k < s->branches; k++) {
			const struct ml_control_branch *b = &s->branch[k];

			if (b->target)
				at[count++] = b->target;
			if (b->kind == ML_CONTROL_IF || b->kind == ML_CONTROL_CALL)
				at[count++] = b->at + b->length;
		}
	}
	if (count)
		qsort(at, count, sizeof(*at), by_value);
	for (size_t i = 0; i < count; i++)
		if (!n || at[n - 1] != at[i])
			at[n++] = at[i];
	*out = at;
	return n;
}

static void add_next(struct ml_code_graph *g, uint32_t from, uint32_t to)
{
	struct ml_code_block *b = &g->block[from];

	if (to == ML_NO_CODE)
		return;
	for (unsigned i = 0; i < b->next_count; i++)
		if (b->next[i] == to)
			return;
	if (b->next_count == b->next_cap) {
		uint16_t room = b->next_cap ? (uint16_t)(2 * b->next_cap) : 2;
		uint32_t *next = ml_arena_alloc(&g->arena, room * sizeof(*next));

		if (b->next_count)
			memcpy(next, b->next, b->next_count * sizeof(*next));
		b->next = next;
		b->next_cap = room;
	}
	if (b->next_count < NEXT_MAX)
		b->next[b->next_count++] = to;
}

/* Notes how a block ends: by this branch of a superblock. */
static void end_block(struct ml_code_graph *g, uint32_t number,
		      const struct ml_control_branch *b)
{
	struct ml_code_block *block = &g->block[number];
	uint32_t target = b->target ? ml_code_graph_at(g, b->target) : ML_NO_CODE;

	if (b->kind != ML_CONTROL_FALL)
		block->branch = b->at;
	switch (b->kind) {
	case ML_CONTROL_CALL:
		block->end = ML_BLOCK_CALLS;
		block->target = b->target;
		block->behind = ml_code_graph_at(g, b->at + b->length);
		if (block->behind != ML_NO_CODE && !g->block[block->behind].entered)
			block->behind = ML_NO_CODE; /* it never returned */
		if (target != ML_NO_CODE)
			g->block[target].called = true;
		break;
	case ML_CONTROL_RETURN: block->end = ML_BLOCK_RETURNS; break;
	case ML_CONTROL_JUMP:
		block->target = b->target;
		if (target == ML_NO_CODE)
			block->end = ML_BLOCK_JUMPS;
		add_next(g, number, target);
		break;
	case ML_CONTROL_IF: add_next(g, number, target); break;
	default: add_next(g, number, target); break;
	}
}

/* The visits of a superblock while they are found. */
struct visits {
	struct ml_code_visit *at;
	size_t count, cap;
};

static void visit(struct visits *v, uint32_t block, unsigned slots)
{
	v->at = ml_grow(v->at, &v->cap, v->count + 1, sizeof(*v->at));
	v->at[v->count++] = (struct ml_code_visit){ block, (uint16_t)slots };
}

/* The addresses of the instructions of a superblock's slots; count of those known. */
struct slot_ips {
	size_t count;
	const struct ml_slot *slot;
	const struct ml_site *sites;
};

/* The blocks of [from, end), of which the first `slots` slots are those behind `done`. */
static void visit_piece(struct ml_code_graph *g, struct visits *v,
			const struct slot_ips *ips, uint64_t from, uint64_t end,
			unsigned done, unsigned slots)
{
	uint32_t i = ml_code_graph_at(g, from), before = ML_NO_CODE;

	for (; i != ML_NO_CODE && i < g->blocks && g->block[i].at < end; i++) {
		uint64_t until = i + 1 < g->blocks && g->block[i + 1].at < end
					 ? g->block[i + 1].at
					 : end;
		unsigned first = done;

		while (done < slots && (done >= ips->count || until == end ||
					ips->sites[ips->slot[done].site].ip < until))
			done++;
		if (done > first)
			g->block[i].silent = false;
		if (before != ML_NO_CODE)
			add_next(g, before, i);
		before = i;
		visit(v, i, done);
	}
}

static void add_superblock(struct ml_code_graph *g, size_t number,
			   const struct slot_ips *ips, struct visits *v)
{
	const struct ml_control_superblock *s = &g->trace->control.at[number];
	uint64_t from = s->entry;
	unsigned done = 0;

	v->count = 0;
	for (size_t k = 0; k < s->branches; k++) {
		const struct ml_control_branch *b = &s->branch[k];
		const struct ml_control_branch *next = k + 1 < s->branches ? b + 1 : NULL;
		uint64_t end = b->at + b->length;
		/* the slots behind the last branch are those of its instruction */
		unsigned slots = next ? b->slots : s->slots;

		if (from < end) {
			visit_piece(g, v, ips, from, end, done, slots);
			done = slots;
		}
		if (!v->count)
			visit(v, ml_code_graph_at(g, s->entry), slots);
		uint32_t last = v->at[v->count - 1].block;
		if (last == ML_NO_CODE)
			break;
		end_block(g, last, b);
		from = ml_control_behind(b);
		if (next && b->kind == ML_CONTROL_IF && next->at != b->at)
			add_next(g, last, ml_code_graph_at(g, from));
	}
	struct ml_code_visit *own = ml_arena_alloc(&g->arena, v->count * sizeof(*own));
	memcpy(own, v->at, v->count * sizeof(*own));
	g->run[number] = (struct ml_code_run){ (uint32_t)v->count, own };
}

/* For each superblock a shape with all of its slots, + 1. */
static uint32_t *find_shapes(const struct ml_trace *t)
{
	uint32_t *of = ml_resize(NULL, (t->control.count + 1) * sizeof(*of));

	memset(of, 0, (t->control.count + 1) * sizeof(*of));
	for (uint32_t i = 0; i < t->control.shapes && i < t->shapes.count; i++) {
		uint32_t s = t->control.shape[i].superblock;

		if (s &&
		    (!of[s] || t->shapes.at[of[s] - 1].slots < t->shapes.at[i].slots))
			of[s] = i + 1;
	}
	return of;
}

static int by_ip(const void *a, const void *b)
{
	const struct ml_site *x = *(const struct ml_site *const *)a;
	const struct ml_site *y = *(const struct ml_site *const *)b;

	if (x->ip != y->ip)
		return x->ip < y->ip ? -1 : 1;
	return x->frames < y->frames ? -1 : x->frames > y->frames;
}

/* Names blocks by the sites of their instructions. The site with the fewest frames is the
 * instruction itself, not as called from somewhere. */
static void name_blocks(struct ml_code_graph *g)
{
	const struct ml_tables *t = &g->trace->tables;
	const struct ml_site **site = ml_resize(NULL,
						(t->sites.count + 1) * sizeof(*site));
	size_t count = 0, i = 0;

	for (size_t k = 1; k < t->sites.count; k++)
		if (t->sites.at[k].ip && t->sites.at[k].frames)
			site[count++] = &t->sites.at[k];
	if (count)
		qsort(site, count, sizeof(*site), by_ip);
	for (size_t k = 0; k < g->blocks; k++) {
		struct ml_code_block *b = &g->block[k];
		uint64_t end = k + 1 < g->blocks ? b[1].at : UINT64_MAX;

		while (i < count && site[i]->ip < b->at)
			i++;
		for (size_t s = i; s < count && site[s]->ip < end; s++) {
			uint32_t number = (uint32_t)(site[s] - t->sites.at);

			if (!b->branch || site[s]->ip <= b->branch)
				b->site = b->site ? b->site : number;
			if (site[s]->ip == b->branch && !b->branch_site)
				b->branch_site = number;
		}
		if (b->site) {
			const struct ml_site *x = &t->sites.at[b->site];

			b->name = t->frames.at[x->frame + x->frames - 1].func;
		}
	}
	ml_free(site);
}

void ml_code_graph_open(struct ml_code_graph *g, const struct ml_trace *t)
{
	struct visits v = { 0 };
	uint64_t *start;

	*g = (struct ml_code_graph){ .trace = t };
	g->blocks = find_starts(&t->control, &start);
	g->block = ml_arena_alloc(&g->arena, (g->blocks + 1) * sizeof(*g->block));
	g->run = ml_arena_alloc(&g->arena, (t->control.count + 1) * sizeof(*g->run));
	for (size_t i = 0; i < g->blocks; i++)
		g->block[i] = (struct ml_code_block){ .at = start[i],
						      .behind = ML_NO_CODE,
						      .silent = true };
	ml_free(start);
	for (size_t i = 0; i < t->control.count; i++)
		g->block[ml_code_graph_at(g, t->control.at[i].entry)].entered = true;
	uint32_t *shape = find_shapes(t);
	for (size_t i = 0; i < t->control.count; i++) {
		struct slot_ips ips = { .sites = t->tables.sites.at };

		if (shape[i + 1]) {
			ips.slot = t->shapes.at[shape[i + 1] - 1].slot;
			ips.count = t->shapes.at[shape[i + 1] - 1].slots;
		}
		add_superblock(g, i, &ips, &v);
	}
	ml_free(shape);
	ml_free(v.at);
	name_blocks(g);
}

void ml_code_graph_release(struct ml_code_graph *g)
{
	ml_arena_release(&g->arena);
	*g = (struct ml_code_graph){ 0 };
}

struct ml_code_run ml_code_graph_run(const struct ml_code_graph *g, uint32_t path)
{
	const struct ml_path *p = &g->trace->shapes.path[path];
	uint32_t s = ml_control_of(&g->trace->control, p->shape).superblock;
	struct ml_code_run run = s ? g->run[s - 1] : (struct ml_code_run){ 0 };
	uint32_t n = 0;

	while (n < run.visits && run.visit[n].slots < p->slots)
		n++;
	if (n < run.visits)
		run.visits = n + 1;
	return run;
}

uint32_t ml_code_graph_first(const struct ml_code_graph *g, uint32_t path)
{
	struct ml_code_run run = ml_code_graph_run(g, path);

	return run.visits ? run.visit[0].block : ML_NO_CODE;
}

uint32_t ml_code_graph_last(const struct ml_code_graph *g, uint32_t path)
{
	struct ml_code_run run = ml_code_graph_run(g, path);

	return run.visits ? run.visit[run.visits - 1].block : ML_NO_CODE;
}

/* Is a jump from one block to another one that leaves the function? */
static bool leaves(const struct ml_code_graph *g, uint32_t from, uint32_t to)
{
	uint32_t a = g->block[from].name, b = g->block[to].name;

	if (a && b)
		return a != b;
	return g->block[to].called;
}

/* The blocks that are reached from `from` without a reference, in order of distance. */
struct reach {
	uint32_t block[ML_CODE_SILENT];
	int before[ML_CODE_SILENT];
	int count;
};

static void reach_from(const struct ml_code_graph *g, uint32_t from, struct reach *r)
{
	r->block[0] = from;
	r->before[0] = -1;
	r->count = 1;
	for (int i = 0; i < r->count; i++) {
		const struct ml_code_block *b = &g->block[r->block[i]];

		for (unsigned k = 0; k < b->next_count; k++) {
			uint32_t to = b->next[k];
			int seen = 0;

			while (seen < r->count && r->block[seen] != to)
				seen++;
			if (seen < r->count || r->count == ML_CODE_SILENT ||
			    !g->block[to].silent || leaves(g, r->block[i], to))
				continue;
			r->block[r->count] = to;
			r->before[r->count++] = i;
		}
	}
}

static bool has_next(const struct ml_code_block *b, uint32_t to)
{
	for (unsigned i = 0; i < b->next_count; i++)
		if (b->next[i] == to)
			return true;
	return false;
}

void ml_code_graph_join(struct ml_code_graph *g, uint32_t from, uint32_t to)
{
	struct reach r;

	if (g->block[from].end == ML_BLOCK_CALLS ||
	    g->block[from].end == ML_BLOCK_RETURNS) {
		g->block[to].returned = true;
		return;
	}
	reach_from(g, from, &r);
	for (int i = 0; i < r.count; i++)
		if (has_next(&g->block[r.block[i]], to))
			return;
	for (int i = 0; i < r.count; i++)
		if (g->block[r.block[i]].end == ML_BLOCK_JUMPS &&
		    !leaves(g, r.block[i], to)) {
			add_next(g, r.block[i], to);
			return;
		}
	/* a jump out of the function that does not begin another one: longjmp */
	for (int i = 0; i < r.count; i++)
		if (g->block[r.block[i]].end == ML_BLOCK_JUMPS && !g->block[to].called)
			g->block[to].landed = true;
}

/* A call that never returned, in a function that longjmp comes back to, went there. */
static void land(struct ml_code_graph *g, const uint32_t *landed, size_t count)
{
	for (uint32_t i = 0; i < g->blocks; i++) {
		const struct ml_code_block *b = &g->block[i];

		if (b->end != ML_BLOCK_CALLS || b->behind != ML_NO_CODE || !b->name)
			continue;
		for (size_t k = 0; k < count; k++)
			if (g->block[landed[k]].name == b->name)
				add_next(g, i, landed[k]);
	}
}

/* Did a call return to the block? Then it ran next, or what it leads to did. */
static bool was_returned_to(const struct ml_code_graph *g, uint32_t block)
{
	struct reach r;

	if (g->block[block].returned || !g->block[block].silent)
		return g->block[block].returned;
	reach_from(g, block, &r);
	for (int i = 0; i < r.count; i++) {
		const struct ml_code_block *b = &g->block[r.block[i]];

		if (b->end == ML_BLOCK_JUMPS)
			return true;
		for (unsigned k = 0; k < b->next_count; k++)
			if (g->block[b->next[k]].returned)
				return true;
	}
	return false;
}

void ml_code_graph_settle(struct ml_code_graph *g)
{
	uint32_t *landed = NULL;
	size_t count = 0, cap = 0;

	for (uint32_t i = 0; i < g->blocks; i++) {
		struct ml_code_block *b = &g->block[i];

		if (b->behind != ML_NO_CODE && !was_returned_to(g, b->behind))
			b->behind = ML_NO_CODE;
		/* where a function begins is no such place */
		if (!b->landed || !i || !b->name || b[-1].name != b->name)
			continue;
		landed = ml_grow(landed, &cap, count + 1, sizeof(*landed));
		landed[count++] = i;
	}
	land(g, landed, count);
	ml_free(landed);
}

int ml_code_graph_silent(const struct ml_code_graph *g, uint32_t from, uint32_t to,
			 uint32_t way[ML_CODE_SILENT], bool *out)
{
	struct reach r;
	int n = 0;

	*out = false;
	reach_from(g, from, &r);
	for (int i = 0; i < r.count; i++) {
		const struct ml_code_block *b = &g->block[r.block[i]];

		if (has_next(b, to) && !leaves(g, r.block[i], to)) {
			for (int k = i; k > 0; k = r.before[k])
				n++;
			for (int k = i, at = n; k > 0; k = r.before[k])
				way[--at] = r.block[k];
			return n;
		}
		*out |= b->end == ML_BLOCK_JUMPS;
		for (unsigned k = 0; k < b->next_count; k++)
			*out |= leaves(g, r.block[i], b->next[k]);
	}
	return -1;
}
