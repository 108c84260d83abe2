/* The dataflow of one state of an .sdfg. */
#include <stdlib.h>
#include <string.h>

#include "lib/flow/poly.h"
#include "lib/flow/sdfg_read_parts.h"

struct edge {
	size_t src, dst;
	const char *from, *to; /* connectors */
	json_t *memlet;        /* attributes; NULL: empty */
	const char *data;
};

struct state {
	struct ml_sdfg_reader *r;
	json_t *nodes;
	size_t node_count;
	size_t *scope; /* the entry around a node; SIZE_MAX: none */
	struct edge *edge;
	size_t edge_count;
	size_t *order;  /* topological */
	unsigned steps; /* along paths, against cycles */
};

static const char *type_of(struct state *s, size_t node)
{
	return ml_sdfg_text(json_array_get(s->nodes, node), "type");
}

static json_t *attr(struct state *s, size_t node, const char *key)
{
	return ml_sdfg_attr(json_array_get(s->nodes, node), key);
}

static bool is(struct state *s, size_t node, const char *type)
{
	return !strcmp(type_of(s, node), type);
}

static size_t id_of(json_t *o, size_t count)
{
	size_t id = SIZE_MAX;

	if (json_is_string(o))
		id = (size_t)strtoull(json_string_value(o), NULL, 10);
	else if (json_is_integer(o))
		id = (size_t)json_integer_value(o);
	return id < count ? id : SIZE_MAX;
}

static void load(struct state *s, json_t *state, struct ml_arena *a)
{
	json_t *edges = json_object_get(state, "edges"), *e;
	size_t i, n = json_array_size(s->nodes);

	s->node_count = n;
	s->scope = ml_arena_alloc(a, (n + 1) * sizeof(*s->scope));
	s->order = ml_arena_alloc(a, (n + 1) * sizeof(*s->order));
	s->edge = ml_arena_alloc(a, (json_array_size(edges) + 1) * sizeof(*s->edge));
	for (i = 0; i < n; i++)
		s->scope[i] = id_of(
			json_object_get(json_array_get(s->nodes, i), "scope_entry"), n);
	json_array_foreach(edges, i, e)
	{
		struct edge *x = &s->edge[s->edge_count];
		json_t *memlet = ml_sdfg_attr(e, "data");

		x->src = id_of(json_object_get(e, "src"), n);
		x->dst = id_of(json_object_get(e, "dst"), n);
		x->from = ml_sdfg_text(e, "src_connector");
		x->to = ml_sdfg_text(e, "dst_connector");
		x->memlet = json_object_get(memlet, "attributes");
		x->data = ml_sdfg_text(x->memlet, "data");
		if (!*x->data)
			x->memlet = NULL;
		s->edge_count += x->src != SIZE_MAX && x->dst != SIZE_MAX;
	}
}

/* Kahn's algorithm, taking the lowest number that is ready. */
static void sort(struct state *s, struct ml_arena *a)
{
	size_t *missing = ml_arena_alloc(a, (s->node_count + 1) * sizeof(*missing));
	bool *done = ml_arena_alloc(a, s->node_count + 1);
	size_t n = 0, lowest = 0;

	for (size_t i = 0; i < s->edge_count; i++)
		missing[s->edge[i].dst]++;
	while (n < s->node_count) {
		size_t next = lowest;

		while (next < s->node_count && (done[next] || missing[next]))
			next++;
		if (next == s->node_count) /* a cycle: as it comes */
			for (next = 0; done[next];)
				next++;
		done[next] = true;
		s->order[n++] = next;
		lowest = next + 1;
		for (size_t i = 0; i < s->edge_count; i++)
			if (s->edge[i].src == next && missing[s->edge[i].dst]) {
				size_t to = s->edge[i].dst;

				if (!--missing[to] && to < lowest)
					lowest = to;
			}
		/* what was passed over may be ready by now */
		if (lowest > 0) {
			size_t back = 0;

			while (back < lowest && (done[back] || missing[back]))
				back++;
			lowest = back;
		}
	}
}

/* The edge that goes on behind a map's connector: IN_x and OUT_x belong together. */
static const struct edge *outer(struct state *s, const struct edge *e, bool back)
{
	const char *connector = back ? e->from : e->to;
	const char *name = strchr(connector, '_');
	size_t node = back ? e->src : e->dst;

	if (!name || s->steps++ > 1000)
		return NULL;
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge *x = &s->edge[i];
		const char *other = back ? x->to : x->from;
		const char *its = strchr(other, '_');

		if ((back ? x->dst : x->src) == node && its && !strcmp(its, name) &&
		    strncmp(other, back ? "IN" : "OUT", back ? 2 : 3) == 0)
			return x;
	}
	return NULL;
}

/* The node where the path of an edge begins (back) or ends. */
static size_t path_end(struct state *s, const struct edge *e, bool back)
{
	s->steps = 0;
	for (;;) {
		size_t node = back ? e->src : e->dst;
		bool map = strstr(type_of(s, node), back ? "Entry" : "Exit") != NULL;
		const struct edge *next = map ? outer(s, e, back) : NULL;

		if (!next)
			return node;
		e = next;
	}
}

static const char *data_of(struct state *s, size_t node)
{
	json_t *d = attr(s, node, "data");

	return json_is_string(d) ? json_string_value(d) : "";
}

/* A memlet whose volume says that not all of its subset moves. */
static bool partial(struct state *s, const struct edge *e, struct ml_sdfg_subset *subset)
{
	bool dynamic = json_is_true(json_object_get(e->memlet, "dynamic"));
	json_t *v = json_object_get(e->memlet, "volume");

	if (!v)
		v = json_object_get(e->memlet, "num_accesses");
	const struct ml_sym *volume = v ? ml_sdfg_value(s->r, v) : NULL;
	/* one element, but which one depends on data */
	if (!subset->single && (dynamic || (volume && ml_sym_is(volume, 1)))) {
		subset->bad = true;
		ml_flow_add_note(
			s->r->f,
			"an access of '%s' takes some elements of a range; which "
			"ones depends on data: it is counted once, and not placed",
			e->data);
	}
	return dynamic;
}

static void move(struct state *s, uint32_t work, const struct edge *e, bool write)
{
	struct ml_sdfg_array *a = ml_sdfg_find(s->r, e->data);
	struct ml_sdfg_subset subset;

	if (!a) {
		ml_flow_add_note(s->r->f, "a memlet names '%s', which is no array",
				 e->data);
		return;
	}
	ml_sdfg_subset(s->r, json_object_get(e->memlet, "subset"), &subset);
	bool bounded = partial(s, e, &subset);
	json_t *wcr = json_object_get(e->memlet, "wcr");
	if (write && wcr && !json_is_null(wcr)) {
		ml_sdfg_access(s->r, work, a, &subset, false, bounded);
		s->r->f->node[work].ops[ML_FLOW_ADD]++;
	}
	ml_sdfg_access(s->r, work, a, &subset, write, bounded);
}

static const struct ml_sym *value_in_code(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return NULL;
}

/* Where code first names a connector; those that it never names come last. */
static size_t mentioned(const char *code, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = code; n && (at = strstr(at, name)); at++) {
		bool begins = at == code ||
			      !(strchr("_", at[-1]) || (at[-1] >= '0' && at[-1] <= '9') ||
				(at[-1] >= 'A' && at[-1] <= 'z'));
		bool ends = !(at[n] == '_' || (at[n] >= '0' && at[n] <= '9') ||
			      (at[n] >= 'a' && at[n] <= 'z') ||
			      (at[n] >= 'A' && at[n] <= 'Z'));

		if (begins && ends)
			return (size_t)(at - code);
	}
	return SIZE_MAX;
}

static uint32_t add_work(struct state *s, size_t node)
{
	json_t *o = json_array_get(s->nodes, node);
	uint32_t work = ml_flow_add_node(s->r->f, s->r->parent, ML_FLOW_WORK,
					 ml_sdfg_text(o, "label"));

	ml_sdfg_where(s->r, work, o);
	return work;
}

static void tasklet(struct state *s, size_t node)
{
	struct ml_flow *f = s->r->f;
	uint32_t work = add_work(s, node);
	json_t *code = attr(s, node, "code");
	const char *text = json_is_string(code) ? json_string_value(code)
						: ml_sdfg_text(code, "string_data");
	struct ml_py p = { .arena = &f->arena, .name = value_in_code };
	/* the assignment's left side names outputs: reads are named behind it */
	const char *right = strchr(text, '=');

	ml_py_code(&p, text);
	for (int i = 0; i < ML_FLOW_OPS; i++)
		f->node[work].ops[i] += p.ops[i];
	if (p.bad)
		ml_flow_add_note(f,
				 "the code of tasklet '%s' is not understood; its "
				 "operations may be miscounted",
				 f->node[work].label);
	size_t last = 0, from = SIZE_MAX;
	/* reads in the order of their names; a selection sort over few connectors */
	for (size_t pass = 0; pass < s->edge_count; pass++) {
		size_t best = SIZE_MAX, where = SIZE_MAX;

		for (size_t i = 0; i < s->edge_count; i++) {
			const struct edge *e = &s->edge[i];

			if (e->dst != node || !e->memlet || is(s, e->src, "Tasklet"))
				continue;
			size_t at = mentioned(right ? right : text, e->to);
			bool after = from == SIZE_MAX || at > last ||
				     (at == last && i > from);
			if (after && (best == SIZE_MAX || at < where)) {
				best = i;
				where = at;
			}
		}
		if (best == SIZE_MAX)
			break;
		move(s, work, &s->edge[best], false);
		last = where;
		from = best;
	}
	for (size_t i = 0; i < s->edge_count; i++)
		if (s->edge[i].src == node && s->edge[i].memlet &&
		    !is(s, s->edge[i].dst, "Tasklet"))
			move(s, work, &s->edge[i], true);
}

/* Loops over the elements of a subset; index[d] is the place in dimension d. */
static void copy_loops(struct state *s, struct ml_sdfg_subset *x,
		       const struct ml_sym **shift)
{
	struct ml_arena *a = &s->r->f->arena;

	for (uint32_t d = 0; d < x->dims; d++) {
		const struct ml_sym *n = ml_sym_sub(a, x->range[d].to, x->range[d].from);

		if (!ml_sym_is(x->range[d].step, 1))
			n = ml_sym_make(a, ML_SYM_FLOOR, n, x->range[d].step);
		if (ml_sym_is(n, 0)) {
			shift[d] = ml_sym_const(a, 0);
			continue;
		}
		uint32_t loop = ml_sdfg_loop(s->r, "copy", "copy", ml_sym_const(a, 0), n,
					     1);
		s->r->f->node[loop].parallel = true;
		s->r->parent = loop;
		shift[d] = ml_sym_symbol(a, s->r->f->node[loop].symbol);
	}
}

/* One element of a subset, shifted: dimensions of size 1 take no shift. */
static void shifted(struct ml_arena *a, struct ml_sdfg_subset *x,
		    const struct ml_sym *const *shift, uint32_t dims)
{
	uint32_t at = 0;

	for (uint32_t d = 0; d < x->dims; d++) {
		struct ml_flow_range *g = &x->range[d];
		bool one = ml_sym_equal(g->from, g->to);

		if (!one) {
			while (at < dims && ml_sym_is(shift[at], 0))
				at++;
			if (at == dims) {
				x->bad = true;
				return;
			}
			g->from = ml_sym_make(
				a, ML_SYM_ADD, g->from,
				ml_sym_make(a, ML_SYM_MUL, shift[at++], g->step));
		}
		g->to = g->from;
	}
	x->single = true;
}

static void whole(struct ml_arena *a, const struct ml_sdfg_array *of,
		  struct ml_sdfg_subset *out)
{
	*out = (struct ml_sdfg_subset){ .dims = of->dims };
	for (uint32_t d = 0; d < of->dims; d++)
		out->range[d] =
			(struct ml_flow_range){ ml_sym_const(a, 0),
						ml_sym_add_const(a, of->shape[d], -1),
						ml_sym_const(a, 1) };
}

static void copy(struct state *s, const struct edge *e)
{
	const char *from = data_of(s, path_end(s, e, true)),
		   *to = data_of(s, path_end(s, e, false));
	struct ml_sdfg_array *src = ml_sdfg_find(s->r, from),
			     *dst = ml_sdfg_find(s->r, to);
	struct ml_arena *a = &s->r->f->arena;
	struct ml_sdfg_subset read, written;
	const struct ml_sym *shift[ML_FLOW_DIMS];
	uint32_t parent = s->r->parent;

	if (!src || !dst || !e->memlet)
		return;
	bool names_src = !strcmp(e->data, from);
	json_t *sub = json_object_get(e->memlet, "subset"),
	       *other = json_object_get(e->memlet, "other_subset");
	struct ml_sdfg_subset *mine = names_src ? &read : &written,
			      *its = names_src ? &written : &read;
	ml_sdfg_subset(s->r, sub, mine);
	if (other && !json_is_null(other))
		ml_sdfg_subset(s->r, other, its);
	else
		whole(a, names_src ? dst : src, its);
	bool dynamic = json_is_true(json_object_get(e->memlet, "dynamic"));
	copy_loops(s, mine, shift);
	uint32_t dims = mine->dims;
	shifted(a, its, shift, dims);
	shifted(a, mine, shift, dims);
	uint32_t work = ml_flow_add_node(s->r->f, s->r->parent, ML_FLOW_WORK,
					 ml_arena_printf(a, "copy %s to %s", from, to));
	ml_sdfg_access(s->r, work, src, &read, false, dynamic);
	ml_sdfg_access(s->r, work, dst, &written, true, dynamic);
	s->r->parent = parent;
}

static const struct ml_sym *volume(struct ml_arena *a, const struct ml_sdfg_subset *x)
{
	const struct ml_sym *v = ml_sym_const(a, 1);

	for (uint32_t d = 0; d < x->dims; d++)
		v = ml_sym_make(
			a, ML_SYM_MUL, v,
			ml_sym_add_const(
				a, ml_sym_sub(a, x->range[d].to, x->range[d].from), 1));
	return v;
}

/* Extent of dimension d from the end: 1 is the last. */
static const struct ml_sym *extent(struct ml_arena *a, const struct ml_sdfg_subset *x,
				   uint32_t d)
{
	if (x->dims < d)
		return ml_sym_const(a, 1);
	const struct ml_flow_range *g = &x->range[x->dims - d];

	return ml_sym_add_const(a, ml_sym_sub(a, g->to, g->from), 1);
}

static void library(struct state *s, size_t node)
{
	struct ml_flow *f = s->r->f;
	json_t *o = json_array_get(s->nodes, node);
	const char *path = ml_sdfg_text(o, "classpath");
	const char *dot = strrchr(path, '.');
	const char *name = dot ? dot + 1 : path;
	struct ml_sdfg_subset first = { 0 }, last = { 0 };
	uint32_t work = add_work(s, node);
	bool matmul = strstr("MatMul Gemm BatchedMatMul Gemv Dot", name) && *name;

	f->node[work].assumed = true;
	for (int write = 0; write < 2; write++)
		for (size_t i = 0; i < s->edge_count; i++) {
			const struct edge *e = &s->edge[i];

			if ((write ? e->src : e->dst) != node || !e->memlet)
				continue;
			struct ml_sdfg_subset *keep = write        ? &last
						      : first.dims ? NULL
								   : &first;
			if (keep)
				ml_sdfg_subset(s->r, json_object_get(e->memlet, "subset"),
					       keep);
			move(s, work, e, write);
		}
	if (matmul) {
		/* each element of the result takes the length of the inner dimension */
		f->node[work].ops[ML_FLOW_MUL] = f->node[work].ops[ML_FLOW_ADD] = 1;
		f->node[work].repeat = ml_sym_make(&f->arena, ML_SYM_MUL,
						   volume(&f->arena, &last),
						   extent(&f->arena, &first, 1));
	} else if (!strcmp(name, "Reduce")) {
		f->node[work].ops[ML_FLOW_ADD] = 1;
		f->node[work].repeat = volume(&f->arena, &first);
	} else
		ml_flow_add_note(f, "the operations of library node '%s' are not known",
				 name);
	ml_flow_add_note(f,
			 "library node '%s' is taken to access each element of its "
			 "memlets once",
			 name);
}

/* The part of an outer array that a nested graph sees under a connector's name. */
static void bind_array(struct state *s, const struct edge *e, const char *name,
		       json_t *desc, const struct ml_sdfg_name *bound, size_t count,
		       struct ml_sdfg_array *out)
{
	struct ml_sdfg_reader *r = s->r;
	struct ml_arena *a = &r->f->arena;
	struct ml_sdfg_array *from = ml_sdfg_find(r, e->data);
	struct ml_sdfg_subset x;
	struct ml_flow_container inner = { 0 };

	*out = (struct ml_sdfg_array){ .name = name, .lost = true };
	ml_sdfg_subset(r, json_object_get(e->memlet, "subset"), &x);
	if (!from)
		return;
	out->container = from->container;
	/* the inner layout is written with inner names */
	size_t base = r->name_base, names = r->name_count;
	r->name_base = names;
	for (size_t i = 0; i < count; i++)
		ml_sdfg_bind(r, bound[i].name, bound[i].value);
	bool readable = ml_sdfg_layout(r, desc, &inner);
	r->name_base = base;
	r->name_count = names;
	if (!readable)
		return;
	out->dims = inner.dims;
	memcpy(out->shape, inner.shape, sizeof(out->shape));
	memcpy(out->stride, inner.stride, sizeof(out->stride));
	if (x.bad || x.dims != from->dims || from->lost)
		return;
	const struct ml_flow_container *c = &r->f->container[from->container];
	out->lost = false;
	if (!from->mapped) {
		out->base = from->base;
		for (uint32_t d = 0; d < x.dims; d++)
			out->base = ml_sym_make(a, ML_SYM_ADD, out->base,
						ml_sym_make(a, ML_SYM_MUL,
							    x.range[d].from,
							    from->stride[d]));
		return;
	}
	/* dimensions with the same stride belong together, in their order */
	int at = -1;
	out->mapped = true;
	memcpy(out->first, from->first, sizeof(out->first));
	for (uint32_t d = 0; d < x.dims; d++)
		if (from->to[d] >= 0)
			out->first[from->to[d]] = ml_sym_make(
				a, ML_SYM_ADD, from->first[from->to[d]], x.range[d].from);
	for (uint32_t d = 0; d < inner.dims; d++) {
		struct ml_arena scratch = { 0 };
		struct ml_poly want = ml_poly_from(&scratch, inner.stride[d]);
		int to = at + 1;

		while (to < (int)c->dims &&
		       !ml_poly_equal(want, ml_poly_from(&scratch, c->stride[to])))
			to++;
		ml_arena_release(&scratch);
		out->to[d] = to < (int)c->dims ? to : -1;
		if (to < (int)c->dims)
			at = to;
		else if (!ml_sym_is(inner.shape[d], 1))
			out->mapped = false;
	}
	if (out->mapped)
		return;
	out->base = ml_sym_const(a, 0);
	for (uint32_t d = 0; d < c->dims; d++)
		out->base = ml_sym_make(
			a, ML_SYM_ADD, out->base,
			ml_sym_make(a, ML_SYM_MUL, out->first[d], c->stride[d]));
}

static void nested(struct state *s, size_t node)
{
	struct ml_sdfg_reader *r = s->r;
	json_t *sdfg = attr(s, node, "sdfg"), *mapping = attr(s, node, "symbol_mapping");
	json_t *descs = ml_sdfg_attr(sdfg, "_arrays"), *value;
	size_t arrays = r->array_count, names = r->name_count;
	size_t array_base = r->array_base, name_base = r->name_base;
	uint32_t parent = r->parent;
	const char *key;
	struct ml_sdfg_name *bound = NULL;
	size_t count = 0, cap = 0;

	if (r->depth >= ML_SDFG_DEPTH || !sdfg) {
		ml_flow_add_note(r->f, "a nested graph is empty or nested too deeply");
		return;
	}
	r->depth++;
	r->parent =
		ml_flow_add_node(r->f, parent, ML_FLOW_SCOPE,
				 ml_sdfg_text(json_array_get(s->nodes, node), "label"));
	ml_sdfg_where(r, r->parent, json_array_get(s->nodes, node));
	/* symbols first: the inner shapes use them; values belong to the outer graph */
	json_object_foreach(mapping, key, value)
	{
		bound = ml_grow(bound, &cap, count + 1, sizeof(*bound));
		bound[count++] = (struct ml_sdfg_name){ key, ml_sdfg_value(r, value) };
	}
	struct ml_sdfg_array *inner = NULL;
	size_t inner_count = 0, inner_cap = 0;
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge *e = &s->edge[i];
		bool in = e->dst == node, out = e->src == node;
		const char *name = in ? e->to : e->from;
		bool known = false;

		if ((!in && !out) || !e->memlet || !*name)
			continue;
		for (size_t j = 0; j < inner_count; j++)
			known |= !strcmp(inner[j].name, name);
		if (known)
			continue;
		inner = ml_grow(inner, &inner_cap, inner_count + 1, sizeof(*inner));
		bind_array(s, e, name, json_object_get(descs, name), bound, count,
			   &inner[inner_count++]);
	}
	r->name_base = r->name_count;
	for (size_t i = 0; i < count; i++)
		ml_sdfg_bind(r, bound[i].name, bound[i].value);
	r->array_base = r->array_count;
	for (size_t i = 0; i < inner_count; i++) {
		r->array = ml_grow(r->array, &r->array_cap, r->array_count + 1,
				   sizeof(*r->array));
		r->array[r->array_count++] = inner[i];
	}
	ml_sdfg_graph(r, sdfg);
	ml_free(bound);
	ml_free(inner);
	r->array_count = arrays;
	r->name_count = names;
	r->array_base = array_base;
	r->name_base = name_base;
	r->parent = parent;
	r->depth--;
}

static void scope(struct state *s, size_t entry);

static void map(struct state *s, size_t node)
{
	struct ml_sdfg_reader *r = s->r;
	json_t *params = attr(s, node, "params"), *range = attr(s, node, "range");
	uint32_t parent = r->parent;
	size_t names = r->name_count;
	struct ml_sdfg_subset x;
	bool dynamic = false;

	if (r->depth >= ML_SDFG_DEPTH)
		return;
	r->depth++;
	/* inputs that are no IN_ connectors are values for the bounds */
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge *e = &s->edge[i];

		if (e->dst != node || !e->memlet || !*e->to || !strncmp(e->to, "IN_", 3))
			continue;
		if (!dynamic)
			r->reads = ml_flow_add_node(r->f, parent, ML_FLOW_WORK,
						    "bounds of the map");
		dynamic = true;
		move(s, r->reads, e, false);
		ml_sdfg_bind(r, e->to, NULL);
	}
	ml_sdfg_subset(r, range, &x);
	for (size_t d = 0; d < json_array_size(params); d++) {
		json_t *param = json_array_get(params, d);
		const char *name = json_is_string(param) ? json_string_value(param) : "?";
		const struct ml_sym *none = ml_sym_unknown(&r->f->arena);
		bool there = d < x.dims;
		/* bounds may use the parameters before them */
		ml_sdfg_subset(r, range, &x);
		int64_t step = there && x.range[d].step->op == ML_SYM_CONST
				       ? x.range[d].step->value
				       : 0;
		uint32_t loop = ml_sdfg_loop(
			r, ml_sdfg_text(json_array_get(s->nodes, node), "label"), name,
			there ? x.range[d].from : none,
			there && step ? x.range[d].to : none, step ? step : 1);
		r->f->node[loop].parallel = true;
		ml_sdfg_where(r, loop, json_array_get(s->nodes, node));
		r->parent = loop;
		ml_sdfg_bind(r, name,
			     ml_sym_symbol(&r->f->arena, r->f->node[loop].symbol));
	}
	scope(s, node);
	r->name_count = names;
	r->parent = parent;
	r->depth--;
}

static void copies_from(struct state *s, size_t node)
{
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge *e = &s->edge[i];

		if (e->src != node || !e->memlet)
			continue;
		size_t end = path_end(s, e, false);
		/* to another array, here or outside of the map */
		if (is(s, end, "AccessNode") && !is(s, e->dst, "MapEntry"))
			copy(s, e);
	}
}

static void copies_into(struct state *s, size_t node)
{
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge *e = &s->edge[i];

		if (e->dst == node && e->memlet && is(s, e->src, "MapEntry"))
			copy(s, e);
	}
}

static void scope(struct state *s, size_t entry)
{
	for (size_t i = 0; i < s->node_count; i++) {
		size_t n = s->order[i];

		if (s->scope[n] != entry || n == entry)
			continue;
		if (is(s, n, "Tasklet"))
			tasklet(s, n);
		else if (is(s, n, "MapEntry"))
			map(s, n);
		else if (is(s, n, "NestedSDFG"))
			nested(s, n);
		else if (is(s, n, "LibraryNode"))
			library(s, n);
		else if (is(s, n, "AccessNode")) {
			copies_into(s, n);
			copies_from(s, n);
		} else if (!is(s, n, "MapExit"))
			ml_flow_add_note(s->r->f,
					 "a node of type '%s' is not understood; what it "
					 "moves is not counted",
					 type_of(s, n));
	}
}

void ml_sdfg_state(struct ml_sdfg_reader *r, json_t *state)
{
	struct state s = { .r = r, .nodes = json_object_get(state, "nodes") };
	struct ml_arena a = { 0 };

	if (!json_array_size(s.nodes))
		return;
	uint32_t parent = r->parent;
	r->parent = ml_flow_add_node(r->f, parent, ML_FLOW_SCOPE,
				     ml_sdfg_text(state, "label"));
	load(&s, state, &a);
	sort(&s, &a);
	scope(&s, SIZE_MAX);
	r->parent = parent;
	ml_arena_release(&a);
}
