/* Works out what a path does in a state. */
#include <string.h>

#include "lib/analyse/loops/loop_walk_parts.h"
#include "lib/base/arena.h"
#include "lib/trace/trace.h"

struct builder {
	struct ml_loop_walk *w;
	struct ml_loop_transition *t; /* the one that is made */
	uint32_t node, block;
	enum ml_loop_behind behind;
	size_t first_op, first_sum;
	uint32_t done; /* references of the step so far */
	size_t calls;  /* calls that this transition makes and that have not returned */
};

uint32_t ml_loop_walk_state(struct ml_loop_walk *w, uint32_t node, uint32_t block,
			    enum ml_loop_behind behind)
{
	uint64_t key = ((uint64_t)node << 34) ^ ((uint64_t)block << 2) ^ behind;
	uint64_t *at = ml_map_add(&w->state_of, key, NULL);

	if (!*at) {
		w->state = ml_grow(w->state, &w->state_cap, w->states + 1,
				   sizeof(*w->state));
		w->state[w->states++] = (struct ml_loop_state){ node, block,
								(uint8_t)behind };
		*at = w->states;
	}
	return (uint32_t)*at - 1;
}

uint32_t ml_loop_walk_function_of(struct ml_loop_walk *w, uint32_t block)
{
	const struct ml_code_block *b = &w->graph.block[block];
	uint64_t *known = ml_map_add(&w->function_at, block, NULL);
	const uint64_t *entry = NULL;

	if (*known)
		return (uint32_t)*known - 1;
	/* it may be entered behind code that makes no reference */
	if (b->name && !b->called)
		entry = ml_map_find(&w->entry_of, b->name);
	if (entry && *entry && *entry - 1 != block) {
		uint32_t f = ml_loop_walk_function_of(w, (uint32_t)*entry - 1), loop;

		if (ml_code_function_has(w->function[f], block, &loop)) {
			*ml_map_add(&w->function_at, block, NULL) = f + 1u;
			return f;
		}
	}
	w->function = ml_grow(w->function, &w->function_cap, w->functions + 1,
			      sizeof(*w->function));
	w->function[w->functions] = ml_resize(NULL, sizeof(**w->function));
	ml_code_function_find(w->function[w->functions], &w->graph, block);
	*ml_map_add(&w->function_at, block, NULL) = ++w->functions;
	return (uint32_t)w->functions - 1;
}

bool ml_loop_walk_reaches(struct ml_loop_walk *w, uint32_t ret, uint32_t block)
{
	uint32_t way[ML_CODE_SILENT];
	bool out;

	if (ret == block || ret == ML_NO_CODE)
		return ret == block;
	uint64_t *known = ml_map_add(&w->reaches, (uint64_t)ret << 32 | block, NULL);
	if (!*known)
		*known = w->graph.block[ret].silent &&
					 ml_code_graph_silent(&w->graph, ret, block, way,
							      &out) >= 0
				 ? 2
				 : 1;
	return *known == 2;
}

bool ml_loop_walk_holds(const struct ml_loop_walk *w, uint32_t node, uint32_t block)
{
	uint32_t f = ml_loop_tree_function(&w->tree, node), loop;

	return f != ML_NO_NODE &&
	       ml_code_function_has(w->function[w->tree.node[f].function], block, &loop);
}

static struct ml_loop_op *last_op(struct builder *b, size_t before)
{
	struct ml_loop_walk *w = b->w;

	return w->ops - b->first_op > before ? &w->op[w->ops - 1 - before] : NULL;
}

static void add_op(struct builder *b, enum ml_loop_op_kind kind, uint32_t a, uint32_t c1,
		   uint32_t c2)
{
	struct ml_loop_walk *w = b->w;

	w->op = ml_grow(w->op, &w->op_cap, w->ops + 1, sizeof(*w->op));
	w->op[w->ops++] = (struct ml_loop_op){ kind, a, c1, c2 };
}

static struct ml_loop_sum *add_sum(struct builder *b, uint32_t node)
{
	struct ml_loop_walk *w = b->w;

	w->sum = ml_grow(w->sum, &w->sum_cap, w->sums + 1, sizeof(*w->sum));
	w->sum[w->sums++] = (struct ml_loop_sum){ .node = node };
	return &w->sum[w->sums - 1];
}

/* Lets each run note what the next references of the step touch. */
static void note_accesses(struct builder *b, uint32_t count)
{
	struct ml_loop_walk *w = b->w;
	const struct ml_shape *shape =
		&w->trace->shapes.at[w->trace->shapes.path[b->t->path].shape];

	add_op(b, ML_LOOP_REFS, count, (uint32_t)w->access_count, b->done);
	w->access = ml_grow(w->access, &w->access_cap, w->access_count + count,
			    sizeof(*w->access));
	for (uint32_t i = 0; i < count; i++) {
		const struct ml_slot *s = &shape->slot[b->done + i];

		w->access[w->access_count++] = ml_loop_accesses_of(&w->accesses, b->node,
								   s->site, s->what);
	}
}

static void refs(struct builder *b, uint32_t count)
{
	struct ml_loop_walk *w = b->w;
	struct ml_loop_sum *last = w->sums > b->first_sum ? &w->sum[w->sums - 1] : NULL;

	if (!count)
		return;
	if (w->with_accesses && !b->t->maybe)
		note_accesses(b, count);
	b->done += count;
	if (!last || last->node != b->node || last->whole || last->calls)
		last = add_sum(b, b->node);
	last->refs += count;
}

static const struct ml_code_function *function_of(const struct builder *b, uint32_t *f)
{
	uint32_t node = ml_loop_tree_function(&b->w->tree, b->node);

	if (node == ML_NO_NODE)
		return NULL;
	*f = b->w->tree.node[node].function;
	return b->w->function[*f];
}

static void open_loop(struct builder *b, uint32_t f, uint32_t loop)
{
	const struct ml_code_loop *l = &b->w->function[f]->loop[loop];

	b->node = ml_loop_tree_child(&b->w->tree, b->node, ML_LOOP_LOOP, f, l->source);
	b->w->tree.node[b->node].irreducible |= l->irreducible;
	b->w->tree.node[b->node].copied |= l->copied;
	add_op(b, ML_LOOP_OPEN, b->node, l->copied ? loop + 1 : 0, 0);
}

/* Leaves the innermost loop. counts: the iteration that is left counts as one. A loop that
 * was entered in this transition needs no work at each run. */
static void shut_loop(struct builder *b, bool counts)
{
	struct ml_loop_op *o = last_op(b, 0), *before = last_op(b, 1);
	uint32_t iterations = counts, drop = 0;

	if (o && o->kind == ML_LOOP_OPEN && !o->b)
		drop = 1;
	else if (o && o->kind == ML_LOOP_ITERATE && before &&
		 before->kind == ML_LOOP_OPEN && !before->b)
		drop = 2, iterations += o->a;
	if (drop) {
		b->w->ops -= drop;
		struct ml_loop_sum *s = add_sum(b, b->node);

		s->whole = true;
		s->iterations = iterations;
	} else {
		add_op(b, ML_LOOP_SHUT, counts, 0, 0);
	}
	b->node = b->w->tree.node[b->node].parent;
}

static void iterate(struct builder *b)
{
	struct ml_loop_op *o = last_op(b, 0);

	if (o && o->kind == ML_LOOP_ITERATE)
		o->a++;
	else
		add_op(b, ML_LOOP_ITERATE, 1, 0, 0);
}

/* Enters the loops around a block, from the outermost to the innermost, that are in
 * `from`. */
static void open_loops(struct builder *b, uint32_t f, uint32_t from, uint32_t to)
{
	const struct ml_code_function *x = b->w->function[f];

	if (to == ML_NO_LOOP || to == from)
		return;
	open_loops(b, f, from, x->loop[to].parent);
	open_loop(b, f, to);
}

static bool is_within(const struct ml_code_function *f, uint32_t loop, uint32_t in)
{
	while (loop != ML_NO_LOOP && loop != in)
		loop = f->loop[loop].parent;
	return loop == in;
}

/* Control goes from the block on to another one of its function. */
static void go(struct builder *b, uint32_t to)
{
	uint32_t f, from_loop, to_loop;
	const struct ml_code_function *x = function_of(b, &f);
	uint32_t from = b->block;

	b->block = to;
	b->behind = ML_LOOP_BEHIND;
	if (!x)
		return;
	ml_code_function_has(x, from, &from_loop);
	ml_code_function_has(x, to, &to_loop);
	bool back = to_loop != ML_NO_LOOP && x->loop[to_loop].header == to &&
		    is_within(x, from_loop, to_loop);
	while (from_loop != ML_NO_LOOP &&
	       !(back ? from_loop == to_loop : is_within(x, to_loop, from_loop))) {
		shut_loop(b, !ml_code_function_tests(x, &b->w->graph, from_loop, from));
		from_loop = x->loop[from_loop].parent;
	}
	if (back)
		iterate(b);
	else
		open_loops(b, f, from_loop, to_loop);
}

static void go_along(struct builder *b, const uint32_t *way, int count, uint32_t to)
{
	for (int i = 0; i < count; i++)
		go(b, way[i]);
	go(b, to);
}

/* Enters a function at its first block. */
static void enter(struct builder *b, uint32_t node, uint32_t block)
{
	const struct ml_loop_node *n = &b->w->tree.node[node];
	uint32_t f = n->function, loop;

	b->node = node;
	b->block = block;
	b->behind = ML_LOOP_BEHIND;
	add_sum(b, node)->calls = 1;
	ml_code_function_has(b->w->function[f], block, &loop);
	open_loops(b, f, ML_NO_LOOP, loop);
}

/* Leaves all loops of the function. */
static void shut_all(struct builder *b)
{
	while (b->w->tree.node[b->node].kind == ML_LOOP_LOOP)
		shut_loop(b, true);
}

/* From now on each call is noted at each run: transitions made so far do not do that. */
static void start_recursion(struct ml_loop_walk *w)
{
	w->recurses = true;
	ml_map_release(&w->transition_of);
	for (size_t i = 0; i < w->transitions; i++)
		w->transition[i].guess = 0;
}

/* The block that ends with a call called code that entered block `to`. */
static void call(struct builder *b, uint32_t to)
{
	struct ml_loop_walk *w = b->w;
	const struct ml_code_block *x = &w->graph.block[b->block];
	uint32_t target = x->target ? ml_code_graph_at(&w->graph, x->target) : ML_NO_CODE;
	uint32_t entry = to;

	if (to == x->behind && to != target) {
		go(b, to); /* what it called is not recorded */
		return;
	}
	if (target != ML_NO_CODE && ml_loop_walk_reaches(w, target, to))
		entry = target;
	uint32_t f = ml_loop_walk_function_of(w, entry);
	uint32_t node = ml_loop_tree_call(&w->tree, b->node, f);
	if (node <= b->node && !w->recurses)
		start_recursion(w);
	uint32_t back = ml_loop_walk_state(w, b->node, b->block, ML_LOOP_RETURNED);
	add_op(b, ML_LOOP_CALL, node, x->behind, back);
	b->calls++;
	if (!ml_loop_walk_holds(w, node, entry))
		entry = to;
	enter(b, node, entry);
	if (entry != to) {
		uint32_t way[ML_CODE_SILENT];
		bool out;
		int n = ml_code_graph_silent(&w->graph, entry, to, way, &out);

		go_along(b, way, n > 0 ? n : 0, to);
	}
}

/* Stops: the run decides where the block `to` is entered from. */
static bool stop(struct builder *b, enum ml_loop_open_end end, uint32_t to)
{
	b->t->open_end = (uint8_t)end;
	b->t->at = to;
	return false;
}

static bool arrive(struct builder *b, uint32_t to);

/* A function returns to where block `to` is entered next. */
static bool returns(struct builder *b, uint32_t to)
{
	struct ml_loop_walk *w = b->w;
	size_t depth = 0, i = w->ops;

	/* the last call of this transition that has not returned */
	while (b->calls && i-- > b->first_op) {
		depth += w->op[i].kind == ML_LOOP_POP;
		if (w->op[i].kind == ML_LOOP_CALL && !depth--)
			break;
	}
	if (!b->calls || !ml_loop_walk_reaches(w, w->op[i].b, to))
		return stop(b, ML_LOOP_RETURNS, to);
	struct ml_loop_state s = w->state[w->op[i].c];
	shut_all(b);
	b->calls--;
	if (i + 1 == w->ops && !w->recurses)
		w->ops--; /* nothing of it depends on the run */
	else
		add_op(b, ML_LOOP_POP, 0, 0, 0);
	b->node = s.node;
	b->block = s.block;
	b->behind = ML_LOOP_RETURNED;
	return arrive(b, to);
}

/* Does an active function have the block, and does not begin with it? */
static bool is_active(const struct builder *b, uint32_t block)
{
	const struct ml_loop_tree *t = &b->w->tree;

	for (uint32_t n = t->node[b->node].parent; n != ML_NO_NODE; n = t->node[n].parent)
		if (t->node[n].kind == ML_LOOP_FUNCTION &&
		    b->w->function[t->node[n].function]->entry != block &&
		    ml_loop_walk_holds(b->w, n, block))
			return true;
	return false;
}

/* No way without references leads to the block. */
static bool jump(struct builder *b, uint32_t to, bool leaves)
{
	struct ml_loop_walk *w = b->w;
	uint32_t node = ml_loop_tree_function(&w->tree, b->node);

	if (ml_loop_walk_holds(w, b->node, to)) {
		go(b, to);
		return true;
	}
	if (!leaves || node == ML_NO_NODE || b->calls || is_active(b, to))
		return stop(b, ML_LOOP_JUMPS, to);
	shut_all(b); /* a tail call: the function is left for another one */
	uint32_t f = ml_loop_walk_function_of(w, to);
	enter(b, ml_loop_tree_call(&w->tree, w->tree.node[node].parent, f), to);
	return true;
}

/* Control arrives at a block. False: how is for the run to decide. */
static bool arrive(struct builder *b, uint32_t to)
{
	struct ml_loop_walk *w = b->w;
	uint32_t way[ML_CODE_SILENT];
	bool leaves = false;
	int n;

	if (b->behind == ML_LOOP_HERE) {
		enter(b, b->node, to);
		return true;
	}
	if (b->block == ML_NO_CODE)
		return stop(b, ML_LOOP_JUMPS, to);
	if (b->behind == ML_LOOP_LANDED) {
		go(b, to);
		return true;
	}
	const struct ml_code_block *x = &w->graph.block[b->block];
	if (b->behind == ML_LOOP_BEHIND && x->end == ML_BLOCK_CALLS) {
		call(b, to);
		return true;
	}
	if (b->behind == ML_LOOP_BEHIND && x->end == ML_BLOCK_RETURNS)
		return returns(b, to);
	if (b->behind == ML_LOOP_RETURNED && x->behind != ML_NO_CODE) {
		go(b, x->behind);
		if (x->behind == to)
			return true;
	}
	n = ml_code_graph_silent(&w->graph, b->block, to, way, &leaves);
	if (n < 0)
		return jump(b, to, leaves);
	go_along(b, way, n, to);
	return true;
}

/* Of the first slots of a part, those that a shape has. */
struct kept {
	const struct ml_shape *whole, *shape;
	uint32_t slot, at; /* of the whole; of the shape */
};

static uint32_t keep(struct kept *k, uint32_t slots)
{
	uint32_t count = 0;

	for (; k->slot < slots && k->slot < k->whole->slots; k->slot++)
		if (k->at < k->shape->slots &&
		    k->shape->slot[k->at].site == k->whole->slot[k->slot].site) {
			k->at++;
			count++;
		}
	return count;
}

/* One part runs. kept: NULL if all its slots are references. */
static bool part(struct builder *b, uint32_t path, struct kept *kept)
{
	struct ml_loop_walk *w = b->w;
	struct ml_code_run run = ml_code_graph_run(&w->graph, path);
	uint32_t slots = w->trace->shapes.path[path].slots, done = 0;

	if (!run.visits || run.visit[0].block == ML_NO_CODE) {
		refs(b, kept ? keep(kept, slots) : slots);
		return true;
	}
	if (!arrive(b, run.visit[0].block))
		return false;
	for (uint32_t i = 0; i < run.visits; i++) {
		uint32_t upto = i + 1 == run.visits || run.visit[i].slots > slots
					? slots
					: run.visit[i].slots;

		if (i && w->graph.block[b->block].end == ML_BLOCK_CALLS)
			call(b, run.visit[i].block);
		else if (i)
			go(b, run.visit[i].block);
		refs(b, kept ? keep(kept, upto) : upto - done);
		done = upto;
	}
	return true;
}

uint32_t ml_loop_walk_build(struct ml_loop_walk *w, uint32_t state, uint32_t path,
			    uint32_t first)
{
	struct ml_loop_state s = w->state[state];
	const struct ml_path *p = &w->trace->shapes.path[path];
	const struct ml_shape *shape = &w->trace->shapes.at[p->shape];
	struct ml_control_shape c = ml_control_of(&w->trace->control, p->shape);
	uint32_t parts = c.parts ? path - p->first + 1 : 1, k = first;
	struct ml_loop_transition t = { .state = state,
					.path = path,
					.part = first,
					.maybe = p->maybe,
					.ops = (uint32_t)w->ops,
					.sums = (uint32_t)w->sums };
	struct builder b = { .w = w,
			     .t = &t,
			     .node = s.node,
			     .block = s.block,
			     .behind = (enum ml_loop_behind)s.behind,
			     .first_op = w->ops,
			     .first_sum = w->sums };

	for (uint32_t i = 0; i < first && i < c.parts; i++)
		b.done += w->trace->shapes.path[c.part[i]].slots;
	for (; k < parts && k < (c.parts ? c.parts : 1u); k++) {
		uint32_t one = c.parts ? c.part[k] : path;
		struct kept kept = {
			&w->trace->shapes.at[w->trace->shapes.path[one].shape], shape, 0,
			0
		};
		bool partial = c.parts == 1 && !shape->exits;

		if (!part(&b, one, partial ? &kept : NULL))
			break;
	}
	t.next_part = k;
	t.next = ml_loop_walk_state(w, b.node, b.block, b.behind);
	t.op_count = (uint32_t)w->ops - t.ops;
	t.sum_count = (uint32_t)w->sums - t.sums;
	w->transition = ml_grow(w->transition, &w->transition_cap, w->transitions + 1,
				sizeof(*w->transition));
	w->transition[w->transitions++] = t;
	return (uint32_t)w->transitions - 1;
}
