#include "lib/analyse/loops/code_function.h"

#include <string.h>

#include "lib/analyse/loops/code_graph.h"
#include "lib/trace/trace.h"

enum { OUTSIDE = UINT32_MAX };

/* A block of the function while its loops are found. */
struct member {
	uint32_t block;
	uint32_t region;     /* blocks of one region are looked at together */
	uint32_t order, low; /* of Tarjan's algorithm; order 0: not seen */
	uint32_t component;  /* 0: none yet */
	uint32_t loop;       /* innermost so far */
	bool stacked;
};

struct finder {
	struct ml_code_function *f;
	const struct ml_code_graph *g;
	struct member *at;
	size_t count, cap;
	struct ml_map number;   /* of members by block, + 1 */
	uint32_t *stack, *walk; /* members; room for all */
	uint32_t *edge;         /* of each member on the walk: the next edge */
	uint32_t regions;
};

static uint32_t member_of(const struct finder *x, uint32_t block)
{
	const uint64_t *n = ml_map_find(&x->number, block);

	return n && *n ? (uint32_t)*n - 1 : OUTSIDE;
}

static bool within(const struct ml_code_graph *g, uint32_t from, uint32_t to)
{
	uint32_t a = g->block[from].name, b = g->block[to].name;

	return a && b ? a == b : !g->block[to].called;
}

static void add_member(struct finder *x, uint32_t block)
{
	uint64_t *n = ml_map_add(&x->number, block, NULL);

	if (*n)
		return;
	x->at = ml_grow(x->at, &x->cap, x->count + 1, sizeof(*x->at));
	x->at[x->count++] = (struct member){ .block = block, .loop = ML_NO_LOOP };
	*n = x->count;
}

/* The blocks that control reaches from the entry without leaving the function. */
static void flood(struct finder *x, uint32_t entry)
{
	add_member(x, entry);
	for (size_t i = 0; i < x->count; i++) {
		uint32_t from = x->at[i].block;
		const struct ml_code_block *b = &x->g->block[from];

		for (unsigned k = 0; k < b->next_count; k++)
			if (b->next[k] == entry || within(x->g, from, b->next[k]))
				add_member(x, b->next[k]);
		if (b->end == ML_BLOCK_CALLS && b->behind != ML_NO_CODE)
			add_member(x, b->behind);
	}
}

/* The k-th block behind a member, as a member; OUTSIDE: none in its region. */
static uint32_t next_of(const struct finder *x, uint32_t m, uint32_t k, bool *end)
{
	const struct ml_code_block *b = &x->g->block[x->at[m].block];
	uint32_t to = ML_NO_CODE;

	*end = k > b->next_count;
	if (k < b->next_count)
		to = b->next[k];
	else if (k == b->next_count && b->end == ML_BLOCK_CALLS)
		to = b->behind;
	uint32_t n = to == ML_NO_CODE ? OUTSIDE : member_of(x, to);

	return n != OUTSIDE && x->at[n].region == x->at[m].region ? n : OUTSIDE;
}

/* Tarjan's algorithm from one member, without recursion. Numbers components from
 * *component on. */
static void connect(struct finder *x, uint32_t root, uint32_t *order, uint32_t *component)
{
	size_t depth = 0, stacked = 0;

	x->walk[depth] = root;
	x->edge[depth++] = 0;
	while (depth) {
		uint32_t m = x->walk[depth - 1];
		struct member *a = &x->at[m];
		bool end;

		if (!a->order) {
			a->order = a->low = ++*order;
			a->stacked = true;
			x->stack[stacked++] = m;
		}
		uint32_t n = next_of(x, m, x->edge[depth - 1]++, &end);
		if (n != OUTSIDE) {
			struct member *b = &x->at[n];

			if (!b->order) {
				x->walk[depth] = n;
				x->edge[depth++] = 0;
			} else if (b->stacked && b->order < a->low) {
				a->low = b->order;
			}
			continue;
		}
		if (!end)
			continue;
		if (a->low == a->order) {
			uint32_t out;

			++*component;
			do {
				out = x->stack[--stacked];
				x->at[out].stacked = false;
				x->at[out].component = *component;
			} while (out != m);
		}
		depth--;
		if (depth && a->low < x->at[x->walk[depth - 1]].low)
			x->at[x->walk[depth - 1]].low = a->low;
	}
}

static bool loops_to_itself(const struct finder *x, uint32_t m)
{
	const struct ml_code_block *b = &x->g->block[x->at[m].block];

	for (unsigned k = 0; k < b->next_count; k++)
		if (b->next[k] == x->at[m].block)
			return true;
	return false;
}

/* Where the components of more than one block, or with an edge to itself, are entered. */
struct cycle {
	uint32_t size, entries, header;
	bool self;
};

static void note_entry(const struct finder *x, struct cycle *c, uint32_t m)
{
	c->entries++;
	if (c->header == OUTSIDE || x->at[m].block < x->at[c->header].block)
		c->header = m;
}

/* Is the member entered from outside of its component? `outer`: the members of the region,
 * and the header of the loop around it, which is in none. */
static void find_entries(struct finder *x, struct cycle *cycle, uint32_t region)
{
	uint8_t *entered = ml_resize(NULL, x->count);

	memset(entered, 0, x->count);
	for (uint32_t m = 0; m < x->count; m++) {
		const struct ml_code_block *b = &x->g->block[x->at[m].block];

		for (unsigned k = 0; k <= b->next_count; k++) {
			uint32_t to = k < b->next_count          ? b->next[k]
				      : b->end == ML_BLOCK_CALLS ? b->behind
								 : ML_NO_CODE;
			uint32_t n = to == ML_NO_CODE ? OUTSIDE : member_of(x, to);

			if (n == OUTSIDE || x->at[n].region != region || entered[n] ||
			    (x->at[m].region == region &&
			     x->at[m].component == x->at[n].component))
				continue;
			entered[n] = 1;
			note_entry(x, &cycle[x->at[n].component], n);
		}
	}
	if (x->at[0].region == region && !entered[0])
		note_entry(x, &cycle[x->at[0].component], 0);
	ml_free(entered);
}

static uint32_t add_loop(struct finder *x, const struct cycle *c, uint32_t parent)
{
	struct ml_code_function *f = x->f;

	f->loop = ml_grow(f->loop, &f->cap, f->loops + 1, sizeof(*f->loop));
	f->loop[f->loops] = (struct ml_code_loop){
		.header = x->at[c->header].block,
		.parent = parent,
		.source = (uint32_t)f->loops,
		.depth = parent == ML_NO_LOOP ? 0 : f->loop[parent].depth + 1,
		.irreducible = c->entries > 1,
	};
	return (uint32_t)f->loops++;
}

/*
 * Finds the loops of a region: its cycles. The blocks of a cycle without its header are a
 * region of their own, whose cycles are the loops within. Each block is looked at once for
 * each loop around it. Returns how many regions there are by then.
 */
static void find_in_region(struct finder *x, uint32_t region)
{
	uint32_t order = 0, components = 0, parent = ML_NO_LOOP;

	for (uint32_t m = 0; m < x->count; m++)
		if (x->at[m].region == region) {
			x->at[m].order = x->at[m].component = 0;
			parent = x->at[m].loop;
		}
	for (uint32_t m = 0; m < x->count; m++)
		if (x->at[m].region == region && !x->at[m].order)
			connect(x, m, &order, &components);
	struct cycle *cycle = ml_resize(NULL, (components + 1) * sizeof(*cycle));
	for (uint32_t c = 0; c <= components; c++)
		cycle[c] = (struct cycle){ .header = OUTSIDE };
	for (uint32_t m = 0; m < x->count; m++)
		if (x->at[m].region == region) {
			struct cycle *c = &cycle[x->at[m].component];

			c->size++;
			c->self |= loops_to_itself(x, m);
		}
	find_entries(x, cycle, region);
	uint32_t *becomes = ml_resize(NULL, 2 * (components + 1) * sizeof(*becomes));
	for (uint32_t c = 1; c <= components; c++) {
		bool loop = (cycle[c].size > 1 || cycle[c].self) &&
			    cycle[c].header != OUTSIDE;

		becomes[2 * c] = loop ? add_loop(x, &cycle[c], parent) : ML_NO_LOOP;
		becomes[2 * c + 1] = loop && cycle[c].size > 1 ? ++x->regions : OUTSIDE;
	}
	for (uint32_t m = 0; m < x->count; m++) {
		uint32_t c = x->at[m].component;

		if (x->at[m].region != region)
			continue;
		x->at[m].region = becomes[2 * c] != ML_NO_LOOP && cycle[c].header != m
					  ? becomes[2 * c + 1]
					  : OUTSIDE;
		if (becomes[2 * c] != ML_NO_LOOP)
			x->at[m].loop = becomes[2 * c];
	}
	ml_free(becomes);
	ml_free(cycle);
}

static const struct ml_frame *frame_of(const struct ml_tables *t, uint32_t site,
				       uint32_t from_outside)
{
	const struct ml_site *s = &t->sites.at[site];

	return from_outside < s->frames
		       ? &t->frames.at[s->frame + s->frames - 1 - from_outside]
		       : NULL;
}

/* How many of the outermost frames of two sites are calls of the same functions at the
 * same places. The last of them may differ in its line. */
static uint32_t common_frames(const struct ml_tables *t, uint32_t a, uint32_t b)
{
	uint32_t n = 0;

	for (;; n++) {
		const struct ml_frame *x = frame_of(t, a, n), *y = frame_of(t, b, n);

		if (!x || !y || x->func != y->func)
			return n;
		if (x->line != y->line || x->file != y->file)
			return n + 1;
	}
}

/*
 * The place of a loop is the line of the branch back, in the function that the branch and
 * the head of the loop are both in: inlined code is part of a loop. Of several branches
 * back it is the earliest.
 */
static void place_loop(struct ml_code_loop *l, const struct ml_code_graph *g,
		       uint32_t branch_site)
{
	const struct ml_tables *t = &g->trace->tables;
	uint32_t head = g->block[l->header].site, common;

	if (!branch_site)
		branch_site = head;
	if (!branch_site)
		return;
	common = head ? common_frames(t, head, branch_site) : 0;
	const struct ml_frame *frame =
		common ? frame_of(t, branch_site, common - 1)
		       : &t->frames.at[t->sites.at[branch_site].frame];
	if (l->site && t->frames.at[l->frame].line <= frame->line)
		return;
	l->site = branch_site;
	l->frame = (uint32_t)(frame - t->frames.at);
}

/* The frame of a site in the function of another frame, or NULL. */
static const struct ml_frame *frame_in(const struct ml_tables *t, uint32_t site,
				       const struct ml_frame *in)
{
	const struct ml_site *s = &t->sites.at[site];

	for (uint32_t i = 0; i < s->frames; i++) {
		const struct ml_frame *x = &t->frames.at[s->frame + i];

		if (x->func == in->func && x->file == in->file)
			return x;
	}
	return NULL;
}

/*
 * A loop that tests at its end has its branch back in its last line. A programmer names
 * its first line. Of other loops the branch is at `for` or `while`, before the body.
 */
struct body {
	uint32_t min_site, max; /* the site with the earliest line; the latest line */
};

static void place_ends(struct finder *x)
{
	const struct ml_tables *t = &x->g->trace->tables;
	struct ml_code_function *f = x->f;
	struct body *body = ml_resize(NULL, (f->loops + 1) * sizeof(*body));

	memset(body, 0, (f->loops + 1) * sizeof(*body));
	for (uint32_t m = 0; m < x->count; m++) {
		uint32_t site = x->g->block[x->at[m].block].site;

		for (uint32_t l = x->at[m].loop; site && l != ML_NO_LOOP;
		     l = f->loop[l].parent) {
			const struct ml_frame *in = &t->frames.at[f->loop[l].frame], *old;
			const struct ml_frame *own = f->loop[l].site
							     ? frame_in(t, site, in)
							     : NULL;

			if (!own || !own->line)
				continue;
			old = body[l].min_site ? frame_in(t, body[l].min_site, in) : NULL;
			if (!old || own->line < old->line)
				body[l].min_site = site;
			body[l].max = own->line > body[l].max ? own->line : body[l].max;
		}
	}
	for (uint32_t l = 0; l < f->loops; l++) {
		const struct ml_frame *in = &t->frames.at[f->loop[l].frame];

		if (!body[l].min_site || body[l].max > in->line)
			continue;
		f->loop[l].frame =
			(uint32_t)(frame_in(t, body[l].min_site, in) - t->frames.at);
		f->loop[l].site = body[l].min_site;
	}
	ml_free(body);
}

static void place_loops(struct finder *x)
{
	for (uint32_t m = 0; m < x->count; m++) {
		const struct ml_code_block *b = &x->g->block[x->at[m].block];

		for (uint32_t l = x->at[m].loop; l != ML_NO_LOOP;
		     l = x->f->loop[l].parent)
			for (unsigned k = 0; k < b->next_count; k++)
				if (b->next[k] == x->f->loop[l].header)
					place_loop(&x->f->loop[l], x->g, b->branch_site);
	}
	place_ends(x);
}

/* Do two sites stand in the same chain of inlined calls, at the same line? */
static bool same_place(const struct ml_tables *t, const struct ml_code_loop *a,
		       const struct ml_code_loop *b)
{
	const struct ml_frame *x = &t->frames.at[a->frame], *y = &t->frames.at[b->frame];
	const struct ml_site *s = &t->sites.at[a->site], *r = &t->sites.at[b->site];

	if (!a->site || !b->site || !x->line || x->line != y->line ||
	    x->file != y->file || x->func != y->func)
		return false;
	uint32_t outer = s->frame + s->frames - a->frame;
	if (outer != r->frame + r->frames - b->frame)
		return false;
	for (uint32_t i = 1; i < outer; i++)
		if (memcmp(&x[i], &y[i], sizeof(*x)))
			return false;
	return true;
}

static void find_copies(struct ml_code_function *f, const struct ml_tables *t)
{
	for (size_t i = 0; i < f->loops; i++) {
		struct ml_code_loop *a = &f->loop[i];
		uint32_t in = a->parent == ML_NO_LOOP ? ML_NO_LOOP
						      : f->loop[a->parent].source;

		for (size_t k = 0; k < i && a->source == i; k++) {
			struct ml_code_loop *b = &f->loop[k];
			uint32_t other = b->parent == ML_NO_LOOP
						 ? ML_NO_LOOP
						 : f->loop[b->parent].source;

			if (in != other || !same_place(t, a, b))
				continue;
			a->source = b->source;
			a->copied = f->loop[b->source].copied = true;
		}
	}
}

void ml_code_function_find(struct ml_code_function *f, const struct ml_code_graph *g,
			   uint32_t entry)
{
	struct finder x = { .f = f, .g = g };

	*f = (struct ml_code_function){ .entry = entry };
	flood(&x, entry);
	for (size_t i = 0; i < x.count && !f->name; i++) {
		f->name = g->block[x.at[i].block].name;
		f->site = g->block[x.at[i].block].site;
	}
	x.stack = ml_resize(NULL, (x.count + 1) * sizeof(*x.stack));
	x.walk = ml_resize(NULL, (x.count + 1) * sizeof(*x.walk));
	x.edge = ml_resize(NULL, (x.count + 1) * sizeof(*x.edge));
	for (uint32_t region = 0; region <= x.regions; region++)
		find_in_region(&x, region);
	place_loops(&x);
	for (uint32_t m = 0; m < x.count; m++)
		*ml_map_add(&f->loop_of, x.at[m].block, NULL) = x.at[m].loop + 1u;
	find_copies(f, &g->trace->tables);
	ml_free(x.at);
	ml_free(x.stack);
	ml_free(x.walk);
	ml_free(x.edge);
	ml_map_release(&x.number);
}

void ml_code_function_release(struct ml_code_function *f)
{
	ml_map_release(&f->loop_of);
	ml_free(f->loop);
}

bool ml_code_function_has(const struct ml_code_function *f, uint32_t block,
			  uint32_t *loop)
{
	const uint64_t *l = ml_map_find(&f->loop_of, block);

	*loop = l ? (uint32_t)*l - 1 : ML_NO_LOOP;
	return l != NULL;
}

bool ml_code_function_tests(const struct ml_code_function *f,
			    const struct ml_code_graph *g, uint32_t loop, uint32_t block)
{
	const struct ml_code_loop *l = &f->loop[loop];
	const struct ml_code_block *b = &g->block[block];
	const struct ml_tables *t = &g->trace->tables;

	for (unsigned k = 0; k < b->next_count; k++)
		if (b->next[k] == l->header)
			return false; /* it tests behind an iteration */
	uint32_t site = b->branch_site ? b->branch_site : b->site;
	if (!l->site || !t->frames.at[l->frame].line)
		return block == l->header;
	const struct ml_site *s = &t->sites.at[site];
	for (uint32_t i = 0; i < s->frames; i++) {
		const struct ml_frame *x = &t->frames.at[s->frame + i];

		if (x->line == t->frames.at[l->frame].line &&
		    x->file == t->frames.at[l->frame].file)
			return true;
	}
	return false;
}
