/* Files, arrays and control flow of .sdfg files. */
#include "lib/flow/sdfg_read.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base/buf.h"
#include "lib/flow/sdfg_read_parts.h"

enum { UNPACKED = 1 << 30, BLOCKS = 20000 };

const char *ml_sdfg_text(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

json_t *ml_sdfg_attr(json_t *o, const char *key)
{
	return json_object_get(json_object_get(o, "attributes"), key);
}

static const struct ml_sym *value_of_name(void *arg, const char *name)
{
	struct ml_sdfg_reader *r = arg;

	for (size_t i = r->name_count; i-- > r->name_base;)
		if (!strcmp(r->name[i].name, name))
			return r->name[i].value;
	/* a scalar is data, unless it is an integer that the caller passes */
	struct ml_sdfg_array *a = ml_sdfg_find(r, name);
	const struct ml_flow_container *c = a ? &r->f->container[a->container] : NULL;
	if (a && (!c->scalar || c->transient || strncmp(c->type, "int", 3) != 0))
		return NULL;
	/* a free symbol is a parameter of the program, whatever graph uses it */
	uint32_t s = ml_flow_find_symbol(r->f, name);
	if (s == UINT32_MAX)
		s = ml_flow_add_symbol(r->f, name, ML_FLOW_PARAMETER);
	return ml_sym_symbol(&r->f->arena, s);
}

/* An expression between states reads an element. */
static void read_element(void *arg, const char *name, const struct ml_sym *const *index,
			 size_t count)
{
	struct ml_sdfg_reader *r = arg;
	struct ml_sdfg_array *a = ml_sdfg_find(r, name);
	struct ml_sdfg_subset s = { .dims = (uint32_t)count, .single = true };

	if (!a)
		return;
	for (size_t d = 0; d < count; d++)
		s.range[d] = (struct ml_flow_range){ index[d], index[d],
						     ml_sym_const(&r->f->arena, 1) };
	if (r->reads == ML_FLOW_NONE)
		r->reads = ml_flow_add_node(r->f, r->parent, ML_FLOW_WORK,
					    "between states");
	ml_sdfg_access(r, r->reads, a, &s, false, false);
}

static const struct ml_sym *parse(struct ml_sdfg_reader *r, const char *text, bool reads)
{
	struct ml_py p = { .arena = &r->f->arena,
			   .name = value_of_name,
			   .element = reads ? read_element : NULL,
			   .arg = r };

	return ml_py_value(&p, text);
}

const struct ml_sym *ml_sdfg_value(struct ml_sdfg_reader *r, json_t *text)
{
	/* {"main": ..., "approx": ...} stands for a bound with an estimate */
	if (json_is_object(text))
		text = json_object_get(text, "main");
	if (json_is_integer(text))
		return ml_sym_const(&r->f->arena, json_integer_value(text));
	if (!json_is_string(text))
		return ml_sym_unknown(&r->f->arena);
	return parse(r, json_string_value(text), false);
}

void ml_sdfg_bind(struct ml_sdfg_reader *r, const char *name, const struct ml_sym *value)
{
	if (value && ml_sym_has_unknown(value))
		value = NULL;
	r->name = ml_grow(r->name, &r->name_cap, r->name_count + 1, sizeof(*r->name));
	r->name[r->name_count++] = (struct ml_sdfg_name){ name, value };
}

/* Gives a name of this graph another value. */
static void assign(struct ml_sdfg_reader *r, const char *name, const struct ml_sym *value)
{
	if (value && ml_sym_has_unknown(value))
		value = NULL;
	for (size_t i = r->name_count; i-- > r->name_base;)
		if (!strcmp(r->name[i].name, name)) {
			r->name[i].value = value;
			return;
		}
	ml_sdfg_bind(r, name, value);
}

struct ml_sdfg_array *ml_sdfg_find(struct ml_sdfg_reader *r, const char *name)
{
	for (size_t i = r->array_count; i-- > r->array_base;)
		if (!strcmp(r->array[i].name, name))
			return &r->array[i];
	return NULL;
}

void ml_sdfg_subset(struct ml_sdfg_reader *r, json_t *subset, struct ml_sdfg_subset *out)
{
	json_t *ranges = json_object_get(subset, "ranges"),
	       *indices = json_object_get(subset, "indices");
	size_t n = json_array_size(ranges ? ranges : indices);

	*out = (struct ml_sdfg_subset){ .single = true };
	if (!n || n > ML_FLOW_DIMS) {
		/* a union of subsets, or nothing */
		out->bad = true;
		return;
	}
	out->dims = (uint32_t)n;
	for (size_t d = 0; d < n; d++) {
		struct ml_flow_range *x = &out->range[d];
		json_t *g = json_array_get(ranges ? ranges : indices, d);

		x->from = ml_sdfg_value(r, ranges ? json_object_get(g, "start") : g);
		x->to = ranges ? ml_sdfg_value(r, json_object_get(g, "end")) : x->from;
		json_t *step = ranges ? json_object_get(g, "step") : NULL;
		x->step = step ? ml_sdfg_value(r, step) : ml_sym_const(&r->f->arena, 1);
		json_t *tile = ranges ? json_object_get(g, "tile") : NULL;
		if (tile && !ml_sym_is(ml_sdfg_value(r, tile), 1))
			out->bad = true;
		out->single &= ml_sym_equal(x->from, x->to);
		out->bad |= ml_sym_has_unknown(x->from) || ml_sym_has_unknown(x->to) ||
			    ml_sym_has_unknown(x->step);
	}
}

void ml_sdfg_access(struct ml_sdfg_reader *r, uint32_t work,
		    const struct ml_sdfg_array *a, const struct ml_sdfg_subset *s,
		    bool write, bool bounded)
{
	struct ml_arena *arena = &r->f->arena;
	const struct ml_flow_container *c = &r->f->container[a->container];
	struct ml_flow_access *x = ml_flow_add_access(r->f, work, a->container, write);

	x->line = r->f->node[work].line;
	x->bounded = bounded || r->bounded;
	if (s->bad || a->lost || s->dims != a->dims) {
		if (!c->scalar)
			ml_flow_add_note(
				r->f,
				"a place in '%s' depends on data, or its form is "
				"not understood; the access is counted once, but "
				"not placed",
				c->name);
		x->bounded = true;
		return;
	}
	x->single = s->single;
	if (!a->mapped) {
		x->linear = a->base;
		for (uint32_t d = 0; d < s->dims; d++)
			x->linear = ml_sym_make(arena, ML_SYM_ADD, x->linear,
						ml_sym_make(arena, ML_SYM_MUL,
							    s->range[d].from,
							    a->stride[d]));
		if (!s->single) {
			ml_flow_add_note(r->f,
					 "a range of '%s' is accessed through another "
					 "layout; it is counted once, but not placed",
					 c->name);
			x->linear = NULL;
			x->single = x->bounded = true;
		}
		return;
	}
	x->dims = c->dims;
	for (uint32_t d = 0; d < c->dims; d++)
		x->range[d] = (struct ml_flow_range){ a->first[d], a->first[d],
						      ml_sym_const(arena, 1) };
	for (uint32_t d = 0; d < s->dims; d++) {
		if (a->to[d] < 0)
			continue;
		struct ml_flow_range *g = &x->range[a->to[d]];

		g->to = ml_sym_make(arena, ML_SYM_ADD, g->from, s->range[d].to);
		g->from = ml_sym_make(arena, ML_SYM_ADD, g->from, s->range[d].from);
		g->step = s->range[d].step;
	}
}

void ml_sdfg_where(struct ml_sdfg_reader *r, uint32_t node, json_t *o)
{
	json_t *info = ml_sdfg_attr(o, "debuginfo");
	json_int_t line = json_integer_value(json_object_get(info, "start_line"));
	const char *file = ml_sdfg_text(info, "filename");

	if (line > 0 && line < UINT32_MAX)
		r->f->node[node].line = (uint32_t)line;
	if (*file)
		r->f->node[node].file = ml_arena_strdup(&r->f->arena, file);
}

uint32_t ml_sdfg_loop(struct ml_sdfg_reader *r, const char *label, const char *variable,
		      const struct ml_sym *from, const struct ml_sym *to, int64_t step)
{
	struct ml_flow *f = r->f;
	struct ml_arena *a = &f->arena;
	uint32_t n = ml_flow_add_node(f, r->parent, ML_FLOW_FOR, label);

	if (ml_sym_has_unknown(from) || ml_sym_has_unknown(to)) {
		char *name = ml_arena_printf(a, "trips_%s", variable);

		if (ml_flow_find_symbol(f, name) != UINT32_MAX)
			name = ml_arena_printf(a, "trips_%s_%u", variable, n);
		uint32_t trips = ml_flow_add_symbol(f, name, ML_FLOW_TRIPS);
		ml_flow_add_note(f,
				 "how often the loop over '%s' runs depends on data; %s "
				 "is its number of iterations",
				 variable, name);
		if (ml_sym_has_unknown(from))
			from = ml_sym_const(a, 0);
		to = ml_sym_add_const(
			a, ml_sym_make(a, ML_SYM_ADD, from, ml_sym_symbol(a, trips)), -1);
		step = 1;
	}
	f->node[n].symbol = ml_flow_add_symbol(f, variable, ML_FLOW_LOOP);
	f->node[n].from = from;
	f->node[n].to = to;
	f->node[n].step = step;
	return n;
}

static uint32_t bytes_of(struct ml_sdfg_reader *r, json_t *dtype)
{
	const char *text = json_string_value(dtype);
	uint32_t bits = 0;

	if (text && !strcmp(text, "bool"))
		return 1;
	for (const char *at = text; at && *at; at++)
		if (*at >= '1' && *at <= '9') {
			bits = (uint32_t)strtoul(at, NULL, 10);
			break;
		}
	if (bits >= 8 && bits <= 512)
		return bits / 8;
	ml_flow_add_note(r->f,
			 "the size of type '%s' is not known; it is taken as 8 bytes",
			 text ? text : "?");
	return 8;
}

bool ml_sdfg_layout(struct ml_sdfg_reader *r, json_t *desc, struct ml_flow_container *c)
{
	json_t *shape = ml_sdfg_attr(desc, "shape"),
	       *strides = ml_sdfg_attr(desc, "strides"),
	       *offset = ml_sdfg_attr(desc, "offset"),
	       *dtype = ml_sdfg_attr(desc, "dtype");
	struct ml_arena *a = &r->f->arena;
	size_t n = json_array_size(shape);

	c->scalar = !strcmp(ml_sdfg_text(desc, "type"), "Scalar");
	if (n > ML_FLOW_DIMS)
		return false;
	c->element = bytes_of(r, dtype);
	c->type = ml_arena_strdup(a,
				  json_is_string(dtype) ? json_string_value(dtype) : "?");
	c->dims = n ? (uint32_t)n : 1;
	if (!n)
		c->shape[0] = ml_sym_const(a, 1);
	for (size_t d = 0; d < n; d++)
		c->shape[d] = ml_sdfg_value(r, json_array_get(shape, d));
	ml_flow_row_major(r->f, c);
	for (size_t d = 0; d < n && d < json_array_size(strides); d++)
		c->stride[d] = ml_sdfg_value(r, json_array_get(strides, d));
	/* offset shifts indices; start_offset elements stand in front */
	c->offset = ml_sym_const(a, 0);
	for (size_t d = 0; d < n && d < json_array_size(offset); d++)
		c->offset = ml_sym_make(
			a, ML_SYM_ADD, c->offset,
			ml_sym_make(a, ML_SYM_MUL,
				    ml_sdfg_value(r, json_array_get(offset, d)),
				    c->stride[d]));
	json_t *start = ml_sdfg_attr(desc, "start_offset");
	if (start)
		c->offset = ml_sym_make(a, ML_SYM_ADD, c->offset,
					ml_sdfg_value(r, start));
	json_int_t align = json_integer_value(ml_sdfg_attr(desc, "alignment"));
	c->alignment = align > 0 && align <= 1 << 20 ? (uint64_t)align : 0;
	c->transient = json_is_true(ml_sdfg_attr(desc, "transient"));
	return true;
}

void ml_sdfg_arrays(struct ml_sdfg_reader *r, json_t *sdfg)
{
	json_t *arrays = ml_sdfg_attr(sdfg, "_arrays"), *desc;
	struct ml_arena *arena = &r->f->arena;
	const char *name;

	json_object_foreach(arrays, name, desc)
	{
		struct ml_flow_container c = { 0 };
		struct ml_sdfg_array a = { .mapped = true };

		if (!json_is_object(desc) || ml_sdfg_find(r, name))
			continue;
		if (!ml_sdfg_layout(r, desc, &c)) {
			ml_flow_add_note(r->f, "array '%s' has too many dimensions",
					 name);
			continue;
		}
		c.name = ml_arena_strdup(arena, name);
		for (int i = 2; ml_flow_find_container(r->f, c.name) != UINT32_MAX; i++)
			c.name = ml_arena_printf(arena, "%s.%d", name, i);
		if (!strcmp(ml_sdfg_text(desc, "type"), "View"))
			ml_flow_add_note(r->f,
					 "'%s' is a view; it is taken as an array of its "
					 "own",
					 name);
		a.name = ml_arena_strdup(arena, name);
		a.container = ml_flow_add_container(r->f, &c);
		a.dims = c.dims;
		memcpy(a.shape, c.shape, sizeof(a.shape));
		memcpy(a.stride, c.stride, sizeof(a.stride));
		for (uint32_t d = 0; d < c.dims; d++) {
			a.to[d] = (int)d;
			a.first[d] = ml_sym_const(arena, 0);
		}
		r->array = ml_grow(r->array, &r->array_cap, r->array_count + 1,
				   sizeof(*r->array));
		r->array[r->array_count++] = a;
	}
}

/* The values of names that something assigns, at any depth, are lost. */
static void forget(struct ml_sdfg_reader *r, json_t *o, unsigned depth)
{
	json_t *value, *assigned = ml_sdfg_attr(o, "assignments");
	const char *key;
	size_t i;

	if (depth > 200)
		return;
	if (json_is_object(assigned))
		json_object_foreach(assigned, key, value) assign(r, key, NULL);
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

static const char *code_of(json_t *o)
{
	return json_is_string(o) ? json_string_value(o) : ml_sdfg_text(o, "string_data");
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
	const struct ml_sym *from = *init ? parse(r, right_side(init), true)
					  : ml_sym_unknown(a),
			    *to = NULL;
	int64_t step = 0;
	/* a symbol for the variable, to read the others with */
	uint32_t s = ml_flow_add_symbol(r->f, variable, ML_FLOW_LOOP);
	const struct ml_sym *me = ml_sym_symbol(a, s);

	assign(r, variable, me);
	if (*update) {
		const struct ml_sym *next = parse(r, right_side(update), false);
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
		to = end_of(a, parse(r, condition, true), s, step);
	uint32_t n = ml_sdfg_loop(r, label, variable, from, to ? to : ml_sym_unknown(a),
				  step ? step : 1);
	r->f->node[n].symbol = s;
	bool exact = to && !ml_sym_has_unknown(from) && !ml_sym_has_unknown(to);
	assign(r, variable,
	       exact || (step == 1 && !ml_sym_has_unknown(from)) ? me : NULL);
	return n;
}

static void region(struct ml_sdfg_reader *r, json_t *graph);

static void loop_region(struct ml_sdfg_reader *r, json_t *o)
{
	uint32_t parent = r->parent;
	const char *variable = code_of(ml_sdfg_attr(o, "loop_variable"));

	forget(r, json_object_get(o, "nodes"), 0);
	forget(r, json_object_get(o, "edges"), 0);
	r->reads = ML_FLOW_NONE;
	r->parent = text_loop(r, ml_sdfg_text(o, "label"), *variable ? variable : "while",
			      code_of(ml_sdfg_attr(o, "init_statement")),
			      code_of(ml_sdfg_attr(o, "loop_condition")),
			      code_of(ml_sdfg_attr(o, "update_statement")));
	ml_sdfg_where(r, r->parent, o);
	r->reads = ML_FLOW_NONE;
	region(r, o);
	r->parent = parent;
	r->reads = ML_FLOW_NONE;
	forget(r, json_object_get(o, "nodes"), 0);
	forget(r, json_object_get(o, "edges"), 0);
	if (*variable)
		assign(r, variable, NULL);
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
		const char *text = code_of(test);

		r->reads = ML_FLOW_NONE;
		const struct ml_sym *c = *text ? parse(r, text, true)
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
	json_object_foreach(assigned, name, value)
		assign(b->r, name, parse(b->r, code_of(value), true));
	b->r->reads = ML_FLOW_NONE;
}

static const char *condition_of(const struct link *l)
{
	const char *text = code_of(ml_sdfg_attr(l->data, "condition"));

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
				update = code_of(value);
			}
		}
	}
	const struct ml_sym *first = variable ? value_of_name(r, variable) : NULL;
	for (size_t i = 0; i < b->link_count; i++)
		if (reaches(b, in->dst, b->link[i].src, at))
			forget(r, b->link[i].data, 0);
	for (size_t i = 0; i < b->count; i++)
		if (i != at && reaches(b, in->dst, i, at))
			forget(r, json_array_get(b->nodes, i), 0);
	if (variable)
		assign(r, variable, first);
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
	struct ml_arena *a = &r->f->arena;

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
					  parse(r, condition_of(l), true));
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
	(void)a;
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

/* gzip, as .sdfgz files are. */
static bool unpack(const char *path, const char *text, size_t size, struct ml_buf *out,
		   struct ml_err *err)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size };
	int code = inflateInit2(&z, 15 + 16);

	while (code == Z_OK && out->size < UNPACKED) {
		ml_buf_reserve(out, 1 << 16);
		z.next_out = out->data + out->size;
		z.avail_out = 1 << 16;
		code = inflate(&z, Z_NO_FLUSH);
		out->size += (1 << 16) - z.avail_out;
		if (code == Z_BUF_ERROR)
			break;
	}
	inflateEnd(&z);
	return code == Z_STREAM_END ||
	       ml_fail(err, ML_FORMAT,
		       "%s: the compressed data is damaged, cut off or "
		       "larger than 1 GiB",
		       path);
}

static bool read_json(struct ml_flow *f, const char *text, size_t size,
		      struct ml_err *err)
{
	struct ml_sdfg_reader r = { .f = f, .reads = ML_FLOW_NONE };
	json_error_t where;
	json_t *root = json_loadb(text, size, 0, &where);

	if (!root)
		return ml_fail(err, ML_FORMAT, "%s, line %d, column %d: %s", f->path,
			       where.line, where.column, where.text);
	if (strcmp(ml_sdfg_text(root, "type"), "SDFG") != 0 ||
	    !json_is_array(json_object_get(root, "nodes"))) {
		json_decref(root);
		return ml_fail(
			err, ML_FORMAT,
			"%s: this is JSON, but no SDFG (its type is not \"SDFG\", or "
			"it has no nodes)",
			f->path);
	}
	const char *version = ml_sdfg_text(root, "dace_version");
	if (!*version)
		version = code_of(ml_sdfg_attr(root, "dace_version"));
	f->dialect = ml_arena_printf(&f->arena, "DaCe %s", *version ? version : "?");
	json_t *name = ml_sdfg_attr(root, "name");
	f->function = ml_arena_strdup(
		&f->arena, json_is_string(name) ? json_string_value(name) : "graph");
	r.parent = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, f->function);
	ml_sdfg_where(&r, r.parent, root);
	ml_sdfg_graph(&r, root);
	ml_free(r.array);
	ml_free(r.name);
	json_decref(root);
	return true;
}

bool ml_sdfg_read(struct ml_flow *f, const char *text, size_t size, struct ml_err *err)
{
	struct ml_buf unpacked = { 0 };
	bool ok = true;

	if (size > 1 && !memcmp(text, "\x1f\x8b", 2)) {
		ok = unpack(f->path, text, size, &unpacked, err);
		text = (const char *)unpacked.data;
		size = unpacked.size;
	}
	ok = ok && read_json(f, text, size, err);
	ml_buf_release(&unpacked);
	return ok;
}
