/* Control flow of .sdfg files: loops, conditionals, and the blocks of a region. */
#include <stdlib.h>
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_read_parts.h"

enum { BLOCKS = 20000 };

/* The values of names that something assigns, at any depth, are lost. */
static void forget(struct ml_sdfg_reader *r, json_t *o, unsigned depth)
{
	json_t *value, *assigned = ml_sdfg_attr(o, "assignments");
	const char *key;
	size_t i;

	if (depth > 200)
		return;
	if (json_is_object(assigned))
		json_object_foreach(assigned, key, value) ml_sdfg_assign(r, key, NULL);
	if (json_is_object(o) && !strcmp(ml_sdfg_text(o, "type"), "NestedSDFG"))
		return; /* its names are its own */
	if (json_is_object(o))
		json_object_foreach(o, key, value)
		{
			if (json_is_object(value) || json_is_array(value))
				forget(r, value, depth + 1);
		}
	json_array_foreach(o, i, value)
	{
		if (json_is_object(value) || json_is_array(value))
			forget(r, value, depth + 1);
	}
}

/* The last value of a loop variable, from its condition. */
static const struct ml_sym *end_of(struct ml_arena *a, const struct ml_sym *c,
				   uint32_t symbol, int64_t step)
{
	bool inverse = c->op == ML_SYM_NOT;
	const struct ml_sym *ge = inverse ? c->a : c;

	if (c->op == ML_SYM_AND) {
		const struct ml_sym *x = end_of(a, c->a, symbol, step),
				    *y = end_of(a, c->b, symbol, step);

		return x && y ? ml_sym_make(a, step > 0 ? ML_SYM_MIN : ML_SYM_MAX, x, y)
			      : NULL;
	}
	if (ge->op != ML_SYM_GE)
		return NULL;
	bool left = ge->a->op == ML_SYM_SYMBOL && ge->a->symbol == symbol;
	bool right = ge->b->op == ML_SYM_SYMBOL && ge->b->symbol == symbol;
	/* i >= x, not(i >= x), x >= i, not(x >= i) */
	if (left && step < 0 && !inverse)
		return ge->b;
	if (left && step > 0 && inverse)
		return ml_sym_add_const(a, ge->b, -1);
	if (right && step > 0 && !inverse)
		return ge->a;
	if (right && step < 0 && inverse)
		return ml_sym_add_const(a, ge->a, 1);
	return NULL;
}

static const char *right_side(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals ? equals + 1 : text;
}

/* A loop by the texts of its parts; returns its node. */
static uint32_t text_loop(struct ml_sdfg_reader *r, const char *label,
			  const char *variable, const char *init, const char *condition,
			  const char *update)
{
	struct ml_arena *a = &r->f->arena;
	const struct ml_sym *from = *init ? ml_sdfg_parse(r, right_side(init), true)
					  : ml_sym_unknown(a),
			    *to = NULL;
	int64_t step = 0;
	/* a symbol for the variable, to read the others with */
	uint32_t s = ml_flow_add_symbol(r->f, variable, ML_FLOW_LOOP);
	const struct ml_sym *me = ml_sym_symbol(a, s);

	ml_sdfg_assign(r, variable, me);
	if (*update) {
		const struct ml_sym *next = ml_sdfg_parse(r, right_side(update), false);
		int64_t *zeros = ml_arena_alloc(a, r->f->symbol_count * sizeof(*zeros));
		bool *known = ml_arena_alloc(a, r->f->symbol_count * sizeof(*known));
		int64_t at0, at1;

		/* i + step, whatever i is */
		known[s] = true;
		zeros[s] = 0;
		bool ok = ml_sym_eval(next, zeros, known, &at0);
		zeros[s] = 1;
		if (ok && ml_sym_eval(next, zeros, known, &at1) && at1 - at0 == 1)
			step = at0;
	}
	if (step)
		to = end_of(a, ml_sdfg_parse(r, condition, true), s, step);
	uint32_t n = ml_sdfg_loop(r, label, variable, from, to ? to : ml_sym_unknown(a),
				  step ? step : 1);
	r->f->node[n].symbol = s;
	bool exact = to && !ml_sym_has_unknown(from) && !ml_sym_has_unknown(to);
	ml_sdfg_assign(r, variable,
		       exact || (step == 1 && !ml_sym_has_unknown(from)) ? me : NULL);
	return n;
}

static void region(struct ml_sdfg_reader *r, json_t *graph);

static void loop_region(struct ml_sdfg_reader *r, json_t *o)
{
	uint32_t parent = r->parent;
	const char *variable = ml_sdfg_code(ml_sdfg_attr(o, "loop_variable"));

	forget(r, json_object_get(o, "nodes"), 0);
	forget(r, json_object_get(o, "edges"), 0);
	r->reads = ML_FLOW_NONE;
	r->parent = text_loop(r, ml_sdfg_text(o, "label"), *variable ? variable : "while",
			      ml_sdfg_code(ml_sdfg_attr(o, "init_statement")),
			      ml_sdfg_code(ml_sdfg_attr(o, "loop_condition")),
			      ml_sdfg_code(ml_sdfg_attr(o, "update_statement")));
	ml_sdfg_where(r, r->parent, o);
	r->reads = ML_FLOW_NONE;
	region(r, o);
	r->parent = parent;
	r->reads = ML_FLOW_NONE;
	forget(r, json_object_get(o, "nodes"), 0);
	forget(r, json_object_get(o, "edges"), 0);
	if (*variable)
		ml_sdfg_assign(r, variable, NULL);
}

static uint32_t guard(struct ml_sdfg_reader *r, const char *label,
		      const struct ml_sym *condition)
{
	uint32_t n = ml_flow_add_node(r->f, r->parent, ML_FLOW_IF, label);

	r->f->node[n].condition = condition;
	if (ml_sym_has_unknown(condition))
		ml_flow_add_note(r->f,
				 "the condition of '%s' depends on data; what it guards "
				 "is counted, as an upper bound",
				 label);
	return n;
}

static void conditional(struct ml_sdfg_reader *r, json_t *o)
{
	json_t *branches = json_object_get(o, "branches"), *b;
	struct ml_arena *a = &r->f->arena;
	const struct ml_sym *none = ml_sym_const(a, 1); /* no branch so far */
	uint32_t parent = r->parent;
	size_t i;

	json_array_foreach(branches, i, b)
	{
		json_t *test = json_array_get(b, 0), *body = json_array_get(b, 1);
		const char *text = ml_sdfg_code(test);

		r->reads = ML_FLOW_NONE;
		const struct ml_sym *c = *text ? ml_sdfg_parse(r, text, true)
					       : ml_sym_const(a, 1);
		r->parent = guard(r, *text ? text : "else",
				  ml_sym_make(a, ML_SYM_AND, none, c));
		none = ml_sym_make(a, ML_SYM_AND, none,
				   ml_sym_make(a, ML_SYM_NOT, c, NULL));
		r->reads = ML_FLOW_NONE;
		region(r, body);
		forget(r, body, 0);
		r->parent = parent;
		r->reads = ML_FLOW_NONE;
	}
}

/* The blocks of a region and the edges between them. */
struct blocks {
	struct ml_sdfg_reader *r;
	json_t *nodes;
	size_t count;
	struct link {
		size_t src, dst;
		json_t *data; /* an InterstateEdge */
	} * link;
	size_t link_count;
	bool *mark;
	size_t visited;
};

static void take_edge(struct blocks *b, const struct link *l)
{
	json_t *assigned = ml_sdfg_attr(l->data, "assignments"), *value;
	const char *name;

	b->r->reads = ML_FLOW_NONE;
	json_object_foreach(assigned, name, value) ml_sdfg_assign(
		b->r, name, ml_sdfg_parse(b->r, ml_sdfg_code(value), true));
	b->r->reads = ML_FLOW_NONE;
}

static const char *condition_of(const struct link *l)
{
	const char *text = ml_sdfg_code(ml_sdfg_attr(l->data, "condition"));

	return *text ? text : "1";
}

static bool reaches(struct blocks *b, size_t from, size_t to, size_t without)
{
	size_t *stack = ml_resize(NULL, (b->link_count + 2) * sizeof(*stack));
	size_t n = 0;
	bool found = false;

	memset(b->mark, 0, b->count);
	stack[n++] = from;
	while (n && !found) {
		size_t at = stack[--n];

		found = at == to;
		if (b->mark[at] || at == without)
			continue;
		b->mark[at] = true;
		for (size_t i = 0; i < b->link_count; i++)
			if (b->link[i].src == at && !b->mark[b->link[i].dst])
				stack[n++] = b->link[i].dst;
	}
	ml_free(stack);
	return found;
}

static void run_block(struct blocks *b, size_t at)
{
	json_t *o = json_array_get(b->nodes, at);
	const char *type = ml_sdfg_text(o, "type");
	struct ml_sdfg_reader *r = b->r;

	if (r->depth >= ML_SDFG_DEPTH) {
		ml_flow_add_note(r->f, "blocks are nested too deeply");
		return;
	}
	r->depth++;
	if (!strcmp(type, "SDFGState"))
		ml_sdfg_state(r, o);
	else if (!strcmp(type, "LoopRegion"))
		loop_region(r, o);
	else if (!strcmp(type, "ConditionalBlock"))
		conditional(r, o);
	else if (!strcmp(type, "ControlFlowRegion"))
		region(r, o);
	else
		ml_flow_add_note(r->f,
				 "a block of type '%s' is not understood; what it moves "
				 "is not counted",
				 type);
	r->depth--;
}

static void walk(struct blocks *b, size_t at, size_t stop);

/* The first block that all branches from `at` come to; SIZE_MAX: none. */
static size_t join(struct blocks *b, size_t at, size_t stop)
{
	for (size_t m = 0; m < b->count; m++) {
		bool all = m != at;

		for (size_t i = 0; all && i < b->link_count; i++)
			if (b->link[i].src == at) {
				/* every way to an end leads through m */
				all = reaches(b, b->link[i].dst, m, SIZE_MAX);
				for (size_t e = 0; all && e < b->count; e++) {
					bool end = e == stop;

					for (size_t k = 0; !end && k < b->link_count; k++)
						end |= b->link[k].src == e;
					if ((e == stop || !end) && e != m &&
					    b->link[i].dst != m)
						all = !reaches(b, b->link[i].dst, e, m);
				}
			}
		if (!all)
			continue;
		/* the nearest: no other candidate lies in front of it */
		bool nearest = true;
		for (size_t i = 0; nearest && i < b->link_count; i++)
			if (b->link[i].src == at)
				nearest = b->link[i].dst == m ||
					  reaches(b, b->link[i].dst, m, at);
		if (nearest)
			return m;
	}
	return SIZE_MAX;
}

/* A loop made of blocks: `at` decides, `in` leads into the body. */
static void block_loop(struct blocks *b, size_t at, const struct link *in)
{
	struct ml_sdfg_reader *r = b->r;
	uint32_t parent = r->parent;
	const char *variable = NULL, *update = "", *name;
	json_t *value;

	/* the edge back assigns the variable; the value before is the first */
	for (size_t i = 0; i < b->link_count; i++) {
		const struct link *l = &b->link[i];

		if (l->dst != at || !reaches(b, in->dst, l->src, at))
			continue;
		json_object_foreach(ml_sdfg_attr(l->data, "assignments"), name, value)
		{
			if (!variable && strstr(condition_of(in), name)) {
				variable = name;
				update = ml_sdfg_code(value);
			}
		}
	}
	const struct ml_sym *first = variable ? ml_sdfg_name(r, variable) : NULL;
	for (size_t i = 0; i < b->link_count; i++)
		if (reaches(b, in->dst, b->link[i].src, at))
			forget(r, b->link[i].data, 0);
	for (size_t i = 0; i < b->count; i++)
		if (i != at && reaches(b, in->dst, i, at))
			forget(r, json_array_get(b->nodes, i), 0);
	if (variable)
		ml_sdfg_assign(r, variable, first);
	r->parent = text_loop(r, "loop", variable ? variable : "while",
			      variable && first ? variable : "", condition_of(in),
			      update);
	walk(b, in->dst, at);
	r->parent = parent;
	for (size_t i = 0; i < b->link_count; i++)
		forget(r, b->link[i].data, 0);
}

static void walk(struct blocks *b, size_t at, size_t stop)
{
	struct ml_sdfg_reader *r = b->r;

	while (at != stop && at < b->count) {
		const struct link *out[2] = { NULL, NULL };
		size_t count = 0;

		if (b->visited++ > BLOCKS || r->depth >= ML_SDFG_DEPTH) {
			ml_flow_add_note(r->f, "the blocks have too many paths; some are "
					       "not counted");
			return;
		}
		for (size_t i = 0; i < b->link_count; i++)
			if (b->link[i].src == at && count++ < 2)
				out[count - 1] = &b->link[i];
		run_block(b, at);
		if (!count)
			return;
		if (count == 1) {
			bool back = reaches(b, out[0]->dst, at, stop);

			if (back && out[0]->dst == at) {
				ml_flow_add_note(r->f, "a block follows itself; it is "
						       "counted once");
				return;
			}
			take_edge(b, out[0]);
			at = out[0]->dst;
			continue;
		}
		/* a loop is where one way comes back and the other does not */
		bool back[2] = { reaches(b, out[0]->dst, at, stop),
				 reaches(b, out[1]->dst, at, stop) };
		if (count == 2 && back[0] != back[1]) {
			const struct link *in = out[back[1]], *exit = out[back[0]];

			r->depth++;
			block_loop(b, at, in);
			r->depth--;
			take_edge(b, exit);
			at = exit->dst;
			continue;
		}
		size_t next = join(b, at, stop);
		uint32_t parent = r->parent;
		for (size_t i = 0; i < b->link_count; i++) {
			const struct link *l = &b->link[i];

			if (l->src != at)
				continue;
			r->reads = ML_FLOW_NONE;
			r->parent = guard(r, condition_of(l),
					  ml_sdfg_parse(r, condition_of(l), true));
			take_edge(b, l);
			r->depth++;
			if (l->dst != next)
				walk(b, l->dst, next == SIZE_MAX ? stop : next);
			r->depth--;
			r->parent = parent;
			forget(r, l->data, 0);
		}
		if (next == SIZE_MAX)
			return;
		at = next;
	}
}

static void region(struct ml_sdfg_reader *r, json_t *graph)
{
	struct blocks b = { .r = r, .nodes = json_object_get(graph, "nodes") };
	json_t *edges = json_object_get(graph, "edges"), *e;
	struct ml_arena a = { 0 };
	size_t i, start = SIZE_MAX;

	b.count = json_array_size(b.nodes);
	b.link = ml_arena_alloc(&a, (json_array_size(edges) + 1) * sizeof(*b.link));
	b.mark = ml_arena_alloc(&a, b.count + 1);
	json_array_foreach(edges, i, e)
	{
		struct link *l = &b.link[b.link_count];

		/* ids are positions */
		l->src = (size_t)strtoull(ml_sdfg_text(e, "src"), NULL, 10);
		l->dst = (size_t)strtoull(ml_sdfg_text(e, "dst"), NULL, 10);
		l->data = ml_sdfg_attr(e, "data");
		b.link_count += l->src < b.count && l->dst < b.count;
	}
	/* the start that the file names may be wrong; a block without predecessors is
	 * right where there is just one */
	size_t candidates = 0;
	for (i = 0; i < b.count; i++) {
		bool entered = false;

		for (size_t j = 0; j < b.link_count; j++)
			entered |= b.link[j].dst == i;
		if (!entered && candidates++ == 0)
			start = i;
	}
	if (candidates != 1) {
		json_t *named = json_object_get(graph, "start_block");

		if (!json_is_integer(named))
			named = json_object_get(graph, "start_state");
		if (json_is_integer(named))
			start = (size_t)json_integer_value(named);
	}
	if (start >= b.count)
		start = 0;
	if (b.count)
		walk(&b, start, SIZE_MAX);
	ml_arena_release(&a);
}

void ml_sdfg_graph(struct ml_sdfg_reader *r, json_t *sdfg)
{
	ml_sdfg_arrays(r, sdfg);
	region(r, sdfg);
}
