/* The dataflow of one state of an .sdfg. */
#include <stdlib.h>
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_state_parts.h"

static const char *type_of(struct ml_sdfg_dataflow *s, size_t node)
{
	return ml_sdfg_text(json_array_get(s->nodes, node), "type");
}

json_t *ml_sdfg_node_attr(struct ml_sdfg_dataflow *s, size_t node, const char *key)
{
	return ml_sdfg_attr(json_array_get(s->nodes, node), key);
}

bool ml_sdfg_is(struct ml_sdfg_dataflow *s, size_t node, const char *type)
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

static void load(struct ml_sdfg_dataflow *s, json_t *state, struct ml_arena *a)
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
		struct ml_sdfg_edge *x = &s->edge[s->edge_count];
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
static void sort(struct ml_sdfg_dataflow *s, struct ml_arena *a)
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
static const struct ml_sdfg_edge *outer(struct ml_sdfg_dataflow *s,
					const struct ml_sdfg_edge *e, bool back)
{
	const char *connector = back ? e->from : e->to;
	const char *name = strchr(connector, '_');
	size_t node = back ? e->src : e->dst;

	if (!name || s->steps++ > 1000)
		return NULL;
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct ml_sdfg_edge *x = &s->edge[i];
		const char *other = back ? x->to : x->from;
		const char *its = strchr(other, '_');

		if ((back ? x->dst : x->src) == node && its && !strcmp(its, name) &&
		    strncmp(other, back ? "IN" : "OUT", back ? 2 : 3) == 0)
			return x;
	}
	return NULL;
}

/* The node where the path of an edge begins (back) or ends. */
size_t ml_sdfg_path_end(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e,
			bool back)
{
	s->steps = 0;
	for (;;) {
		size_t node = back ? e->src : e->dst;
		bool map = strstr(type_of(s, node), back ? "Entry" : "Exit") != NULL;
		const struct ml_sdfg_edge *next = map ? outer(s, e, back) : NULL;

		if (!next)
			return node;
		e = next;
	}
}

const char *ml_sdfg_data(struct ml_sdfg_dataflow *s, size_t node)
{
	json_t *d = ml_sdfg_node_attr(s, node, "data");

	return json_is_string(d) ? json_string_value(d) : "";
}

/* A memlet whose volume says that not all of its subset moves. */
static bool partial(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e,
		    struct ml_sdfg_subset *subset)
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

/* "lambda a, b: (a + b)" */
static void mark_update(struct ml_sdfg_dataflow *s, uint32_t work, size_t first,
			const char *wcr)
{
	struct ml_flow_node *n = &s->r->f->node[work];
	enum ml_flow_update update = !wcr                 ? ML_FLOW_NO_UPDATE
				     : strstr(wcr, "max") ? ML_FLOW_MAXIMUM
				     : strstr(wcr, "min") ? ML_FLOW_MINIMUM
				     : strchr(wcr, '*')   ? ML_FLOW_PRODUCT
				     : strchr(wcr, '+')   ? ML_FLOW_SUM
							  : ML_FLOW_NO_UPDATE;

	for (size_t i = first; i < n->access_count; i++) {
		const char *type = s->r->f->container[n->access[i].container].type;

		n->access[i].update = update;
		n->access[i].rounds = strncmp(type, "int", 3) &&
				      strncmp(type, "uint", 4) &&
				      update <= ML_FLOW_PRODUCT;
	}
}

static void move_subset(struct ml_sdfg_dataflow *s, uint32_t work,
			const struct ml_sdfg_edge *e, json_t *of, bool write)
{
	struct ml_sdfg_array *a = ml_sdfg_find(s->r, e->data);
	struct ml_sdfg_subset subset;

	if (!a) {
		ml_flow_add_note(s->r->f, "a memlet names '%s', which is no array",
				 e->data);
		return;
	}
	ml_sdfg_subset(s->r, of, &subset);
	bool bounded = partial(s, e, &subset);
	json_t *wcr = json_object_get(e->memlet, "wcr");
	size_t first = s->r->f->node[work].access_count;
	bool resolves = write && wcr && !json_is_null(wcr);
	if (resolves) {
		ml_sdfg_access(s->r, work, a, &subset, false, bounded);
		s->r->f->node[work].ops[ML_FLOW_ADD]++;
	}
	ml_sdfg_access(s->r, work, a, &subset, write, bounded);
	if (resolves)
		mark_update(s, work, first, json_string_value(wcr));
}

/* Accesses from `first` on are what the code calls by the name of a connector. */
static void name_accesses(struct ml_sdfg_dataflow *s, uint32_t work, size_t first,
			  const char *connector)
{
	struct ml_flow_node *n = &s->r->f->node[work];

	if (!*connector || first == n->access_count)
		return;
	connector = ml_arena_strdup(&s->r->f->arena, connector);
	for (size_t i = first; i < n->access_count; i++)
		n->access[i].connector = connector;
}

/* A union of subsets moves each of them; where they overlap, that is a bound. */
static void move(struct ml_sdfg_dataflow *s, uint32_t work, const struct ml_sdfg_edge *e,
		 bool write)
{
	json_t *subset = json_object_get(e->memlet, "subset"), *one;
	json_t *list = json_object_get(subset, "subset_list");
	bool bounded = s->r->bounded;
	size_t i, first = s->r->f->node[work].access_count;

	if (!json_array_size(list))
		move_subset(s, work, e, subset, write);
	s->r->bounded |= json_array_size(list) > 1;
	json_array_foreach(list, i, one) move_subset(s, work, e, one, write);
	s->r->bounded = bounded;
	name_accesses(s, work, first, write ? e->from : e->to);
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

static uint32_t add_work(struct ml_sdfg_dataflow *s, size_t node)
{
	json_t *o = json_array_get(s->nodes, node);
	uint32_t work = ml_flow_add_node(s->r->f, s->r->parent, ML_FLOW_WORK,
					 ml_sdfg_text(o, "label"));

	ml_sdfg_where(s->r, work, o);
	return work;
}

static void tasklet(struct ml_sdfg_dataflow *s, size_t node)
{
	struct ml_flow *f = s->r->f;
	uint32_t work = add_work(s, node);
	json_t *code = ml_sdfg_node_attr(s, node, "code");
	const char *text = json_is_string(code) ? json_string_value(code)
						: ml_sdfg_text(code, "string_data");
	struct ml_py p = { .arena = &f->arena, .name = value_in_code };
	/* the assignment's left side names outputs: reads are named behind it */
	const char *right = strchr(text, '=');

	f->node[work].code = ml_arena_strdup(&f->arena, text);
	ml_py_code(&p, text);
	for (int i = 0; i < ML_FLOW_OPS; i++)
		f->node[work].ops[i] += p.ops[i];
	if (p.bad)
		ml_flow_add_note(f,
				 "the code of tasklet '%s' is not understood; its "
				 "operations may be miscounted",
				 f->node[work].label);
	if (json_is_true(ml_sdfg_node_attr(s, node, "side_effects"))) {
		f->node[work].assumed = true;
		ml_flow_add_note(
			f,
			"tasklet '%s' has side effects (a callback); what it does "
			"besides its memlets is not counted",
			f->node[work].label);
	}
	size_t last = 0, from = SIZE_MAX;
	/* reads in the order of their names; a selection sort over few connectors */
	for (size_t pass = 0; pass < s->edge_count; pass++) {
		size_t best = SIZE_MAX, where = SIZE_MAX;

		for (size_t i = 0; i < s->edge_count; i++) {
			const struct ml_sdfg_edge *e = &s->edge[i];

			if (e->dst != node || !e->memlet ||
			    ml_sdfg_is(s, e->src, "Tasklet"))
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
		    !ml_sdfg_is(s, s->edge[i].dst, "Tasklet"))
			move(s, work, &s->edge[i], true);
}

static void library(struct ml_sdfg_dataflow *s, size_t node)
{
	struct ml_arena a = { 0 };
	uint32_t work = add_work(s, node);
	struct ml_sdfg_operand *operand =
		ml_arena_alloc(&a, (s->edge_count + 1) * sizeof(*operand));
	size_t count = 0;

	for (int write = 0; write < 2; write++)
		for (size_t i = 0; i < s->edge_count; i++) {
			const struct ml_sdfg_edge *e = &s->edge[i];

			if ((write ? e->src : e->dst) != node || !e->memlet)
				continue;
			operand[count].connector = write ? e->from : e->to;
			operand[count].write = write;
			ml_sdfg_subset(s->r, json_object_get(e->memlet, "subset"),
				       &operand[count++].subset);
			move(s, work, e, write);
		}
	ml_sdfg_library(s->r, work, json_array_get(s->nodes, node), operand, count);
	ml_arena_release(&a);
}

static void scope(struct ml_sdfg_dataflow *s, size_t entry);

static void map(struct ml_sdfg_dataflow *s, size_t node)
{
	struct ml_sdfg_reader *r = s->r;
	json_t *params = ml_sdfg_node_attr(s, node, "params"),
	       *range = ml_sdfg_node_attr(s, node, "range");
	uint32_t parent = r->parent;
	size_t names = r->name_count;
	struct ml_sdfg_subset x;
	bool dynamic = false;

	if (r->depth >= ML_SDFG_DEPTH)
		return;
	r->depth++;
	/* inputs that are no IN_ connectors are values for the bounds */
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct ml_sdfg_edge *e = &s->edge[i];

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

/* A scope that runs as long as a queue has elements: how often depends on data. */
static void consume(struct ml_sdfg_dataflow *s, size_t node)
{
	struct ml_sdfg_reader *r = s->r;
	json_t *index = ml_sdfg_node_attr(s, node, "pe_index");
	const char *name = json_is_string(index) ? json_string_value(index) : "consume";
	const struct ml_sym *unknown = ml_sym_unknown(&r->f->arena);
	uint32_t parent = r->parent;
	size_t names = r->name_count;

	if (r->depth >= ML_SDFG_DEPTH)
		return;
	r->depth++;
	r->parent = ml_sdfg_loop(r, ml_sdfg_text(json_array_get(s->nodes, node), "label"),
				 name, unknown, unknown, 1);
	ml_sdfg_where(r, r->parent, json_array_get(s->nodes, node));
	/* which processor takes an element depends on time */
	ml_sdfg_bind(r, name, NULL);
	scope(s, node);
	r->name_count = names;
	r->parent = parent;
	r->depth--;
}

static void scope(struct ml_sdfg_dataflow *s, size_t entry)
{
	for (size_t i = 0; i < s->node_count; i++) {
		size_t n = s->order[i];

		if (s->scope[n] != entry || n == entry)
			continue;
		if (ml_sdfg_is(s, n, "Tasklet"))
			tasklet(s, n);
		else if (ml_sdfg_is(s, n, "MapEntry"))
			map(s, n);
		else if (ml_sdfg_is(s, n, "NestedSDFG"))
			ml_sdfg_nested(s, n);
		else if (ml_sdfg_is(s, n, "LibraryNode"))
			library(s, n);
		else if (ml_sdfg_is(s, n, "ConsumeEntry"))
			consume(s, n);
		else if (ml_sdfg_is(s, n, "AccessNode")) {
			if (ml_sdfg_is_view(s, n))
				ml_sdfg_place_view(s, n);
			ml_sdfg_copies_into(s, n);
			ml_sdfg_copies_from(s, n);
		} else if (!ml_sdfg_is(s, n, "MapExit") &&
			   !ml_sdfg_is(s, n, "ConsumeExit"))
			ml_flow_add_note(s->r->f,
					 "a node of type '%s' is not understood; what it "
					 "moves is not counted",
					 type_of(s, n));
	}
}

void ml_sdfg_state(struct ml_sdfg_reader *r, json_t *state)
{
	struct ml_sdfg_dataflow s = { .r = r, .nodes = json_object_get(state, "nodes") };
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
