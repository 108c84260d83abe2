#include "lib/query/trace/tables/loop_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/loops/loop_costs.h"
#include "lib/analyse/loops/loop_walk.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/simulation.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/trace/trace.h"

void ml_loop_rows_release(struct ml_loop_rows *r)
{
	ml_free(r->at);
	ml_arena_release(&r->arena);
	*r = (struct ml_loop_rows){ 0 };
}

/* A tree whose nodes become rows. */
struct maker {
	struct ml_loop_rows *r;
	const struct ml_tables *tables;
	const struct ml_loop_walk *walk;
	struct ml_loop_costs *costs; /* NULL: not simulated */
	struct ml_loop_row *row;     /* by node */
};

static const char *thread_name(const struct maker *m, uint16_t id)
{
	const char *name = NULL;

	for (size_t i = 0; i < m->tables->threads.count; i++)
		if (m->tables->threads.at[i].id == id && m->tables->threads.at[i].name)
			name = ml_tables_text(m->tables, m->tables->threads.at[i].name);
	return name ? ml_arena_printf(&m->r->arena, "thread %u %s", id, name)
		    : ml_arena_printf(&m->r->arena, "thread %u", id);
}

static void name_function(const struct maker *m, const struct ml_code_function *f,
			  struct ml_loop_row *row)
{
	row->name = f->name ? ml_tables_text(m->tables, f->name)
			    : ml_arena_printf(&m->r->arena, "0x%llx",
					      (unsigned long long)row->address);
}

static void describe(const struct maker *m, const struct ml_loop_node *n,
		     struct ml_loop_row *row)
{
	const struct ml_code_graph *g = ml_loop_walk_graph(m->walk);

	*row = (struct ml_loop_row){ .kind = (enum ml_loop_row_kind)n->kind,
				     .file = "",
				     .irreducible = n->irreducible,
				     .copied = n->copied,
				     .entries = n->entries,
				     .iterations = n->iterations,
				     .min = n->entries ? n->min : 0,
				     .max = n->max,
				     .recursion = n->depth,
				     .own = n->refs };
	if (n->kind == ML_LOOP_THREAD) {
		row->name = thread_name(m, n->thread);
		return;
	}
	const struct ml_code_function *f = ml_loop_walk_function(m->walk, n->function);
	row->address = g->block[f->entry].at;
	name_function(m, f, row);
	if (n->kind == ML_LOOP_FUNCTION)
		return;
	const struct ml_code_loop *l = &f->loop[n->loop];
	row->address = g->block[l->header].at;
	if (!l->site)
		return;
	const struct ml_frame *frame = &m->tables->frames.at[l->frame];
	row->file = ml_tables_text(m->tables, frame->file);
	row->line = frame->line;
	row->inlined = frame->func && frame->func != f->name;
	if (row->inlined)
		row->name = ml_tables_text(m->tables, frame->func);
}

static void cost(const struct maker *m, uint32_t node, struct ml_loop_row *row)
{
	const struct ml_loop_cost *c = ml_loop_costs_at(m->costs, node);
	const struct ml_machine *x = &m->r->machine;
	uint64_t refs = 0;

	for (unsigned k = 1; k <= x->levels + 1; k++) {
		unsigned cycles = k <= x->levels ? x->level[k - 1].cycles
						 : x->memory_cycles;

		refs += c->served[k];
		row->own_cycles += (double)c->served[k] * cycles;
	}
	row->own_cycles += ml_surcharge_cycles(&c->surcharge, x, refs);
	row->own_lost = row->own_cycles - (double)refs * x->level[0].cycles;
}

/* A child while children are put in order. */
struct child {
	uint32_t node;
	double cycles;
	uint64_t refs;
};

static int by_cost(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	if (x->refs != y->refs)
		return x->refs > y->refs ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Adds up what is below each node: parents stand before their children. */
static void add_up(struct maker *m)
{
	const struct ml_loop_tree *t = ml_loop_walk_tree(m->walk);

	for (size_t i = 0; i < t->count; i++) {
		struct ml_loop_row *row = &m->row[i];

		describe(m, &t->node[i], row);
		if (m->costs)
			cost(m, (uint32_t)i, row);
		row->refs = row->own;
		row->cycles = row->own_cycles;
		row->lost = row->own_lost;
	}
	for (size_t i = t->count; i-- > 0;) {
		uint32_t parent = t->node[i].parent;

		if (parent == ML_NO_NODE) {
			m->r->refs += m->row[i].refs;
			m->r->cycles += m->row[i].cycles;
			m->r->lost += m->row[i].lost;
			continue;
		}
		m->row[parent].refs += m->row[i].refs;
		m->row[parent].cycles += m->row[i].cycles;
		m->row[parent].lost += m->row[i].lost;
	}
}

/* The children of a node in order, or the threads. */
static struct child *children_of(const struct maker *m, uint32_t node, size_t *count)
{
	const struct ml_loop_tree *t = ml_loop_walk_tree(m->walk);
	struct child *child = NULL;
	size_t cap = 0;
	uint32_t i = node == ML_NO_NODE ? 0 : t->node[node].child;

	*count = 0;
	while (i != ML_NO_NODE && i < t->count) {
		if (t->node[i].parent == node) {
			child = ml_grow(child, &cap, *count + 1, sizeof(*child));
			child[(*count)++] = (struct child){ i, m->row[i].cycles,
							    m->row[i].refs };
		}
		i = node == ML_NO_NODE ? i + 1 : t->node[i].sibling;
	}
	if (*count)
		qsort(child, *count, sizeof(*child), by_cost);
	return child;
}

/* Puts the rows of a tree into their order. The tree may be deep: no recursion. */
static void put_in_order(struct maker *m)
{
	struct level {
		struct child *child;
		size_t count, next;
	} *level = NULL;
	size_t depth = 0, cap = 0;
	struct ml_loop_rows *r = m->r;

	level = ml_grow(level, &cap, 1, sizeof(*level));
	level[0].child = children_of(m, ML_NO_NODE, &level[0].count);
	level[0].next = 0;
	for (depth = 1; depth;) {
		struct level *l = &level[depth - 1];

		if (l->next == l->count) {
			ml_free(l->child);
			depth--;
			continue;
		}
		uint32_t node = l->child[l->next++].node;
		r->at = ml_grow(r->at, &r->cap, r->count + 1, sizeof(*r->at));
		r->at[r->count] = m->row[node];
		r->at[r->count++].depth = (unsigned)depth - 1;
		level = ml_grow(level, &cap, depth + 1, sizeof(*level));
		level[depth].child = children_of(m, node, &level[depth].count);
		level[depth++].next = 0;
	}
	ml_free(level);
}

/* Runs the trace through the machine; the pass moves the walk on. */
static bool simulate(struct maker *m, struct ml_trace *t,
		     const struct ml_machine *machine, const struct ml_work *work,
		     struct ml_err *err)
{
	struct ml_pass pass = ml_loop_costs_pass(m->costs);
	struct ml_simulation_options o = {
		.replay = { .machine = *machine,
			    .interleave = ML_INTERLEAVE_AUTO,
			    .work = work },
		.passes = &pass,
		.pass_count = 1,
		.replays = true,
		.no_cache = true,
	};
	struct ml_simulation s;

	if (!ml_simulation_obtain(&s, t, &o, err))
		return false;
	m->r->machine = s.profile->machine;
	m->r->simulated = true;
	bool ok = !s.damage || ml_fail(err, ML_FORMAT, "%s", s.damage);
	ml_simulation_release(&s);
	return ok;
}

static bool find(struct maker *m, struct ml_trace *t, const struct ml_machine *machine,
		 const struct ml_work *work, struct ml_err *err)
{
	struct ml_loop_walk *walk = ml_loop_walk_open(t, work, err);

	if (!walk)
		return false;
	m->walk = walk;
	m->costs = machine ? ml_loop_costs_open(walk) : NULL;
	bool ok = !machine || simulate(m, t, machine, work, err);
	if (ok) {
		while (ml_loop_walk_next(walk, NULL, err))
			;
		ok = err->kind == ML_OK;
	}
	if (ok) {
		ml_loop_walk_finish(walk);
		m->row = ml_resize(NULL, (ml_loop_walk_tree(walk)->count + 1) *
						 sizeof(*m->row));
		add_up(m);
		put_in_order(m);
		ml_free(m->row);
	}
	if (m->costs)
		ml_loop_costs_close(m->costs);
	ml_loop_walk_close(walk);
	return ok;
}

bool ml_loop_rows_make(struct ml_loop_rows *r, struct ml_trace *t,
		       const struct ml_machine *machine, const struct ml_work *work,
		       struct ml_err *err)
{
	struct maker m = { .r = r, .tables = &t->tables };

	*r = (struct ml_loop_rows){ 0 };
	if (!ml_trace_knows_control(t, err))
		return false;
	if (find(&m, t, machine, work, err))
		return true;
	ml_loop_rows_release(r);
	return false;
}

/* How large a share a row must have so that at most `top` rows have it. A row has no more
 * than the one that it is below, so the rows that are left are a tree. */
static double share_of(const struct ml_loop_rows *r, const struct ml_loop_row *row)
{
	double refs = r->refs ? (double)row->refs / (double)r->refs : 0;
	double cycles = r->cycles > 0 ? row->cycles / r->cycles : 0;

	return refs > cycles ? refs : cycles;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

static double least_share(const struct ml_loop_rows *r, size_t top)
{
	if (!top || r->count <= top)
		return 0;
	double *share = ml_resize(NULL, r->count * sizeof(*share));
	for (size_t i = 0; i < r->count; i++)
		share[i] = share_of(r, &r->at[i]);
	qsort(share, r->count, sizeof(*share), descending);
	double least = share[top - 1];
	ml_free(share);
	return least;
}

static const char *text_of(struct ml_table *t, const struct ml_loop_row *row)
{
	const char *indent = ml_arena_printf(&t->arena, "%*s", (int)(2 * row->depth), "");
	const char *slash = strrchr(row->file, '/');

	if (row->kind != ML_LOOP_ROW_LOOP)
		return ml_arena_printf(&t->arena, "%s%s", indent, row->name);
	if (!row->line)
		return ml_arena_printf(&t->arena, "%sloop at 0x%llx%s", indent,
				       (unsigned long long)row->address,
				       row->irreducible ? " (irreducible)" : "");
	return ml_arena_printf(&t->arena, "%sloop %s:%u%s%s%s", indent,
			       slash ? slash + 1 : row->file, row->line,
			       row->inlined ? " of " : "", row->inlined ? row->name : "",
			       row->irreducible ? " (irreducible)" : "");
}

static void put_iterations(struct ml_table *t, const struct ml_loop_row *row)
{
	if (row->kind != ML_LOOP_ROW_LOOP) {
		ml_table_no_value(t);
		ml_table_text(
			t, row->recursion > 1
				   ? ml_arena_printf(&t->arena, "%u deep", row->recursion)
				   : NULL);
		return;
	}
	ml_table_real(t,
		      row->entries ? (double)row->iterations / (double)row->entries : 0);
	ml_table_text(t, row->min == row->max
				 ? NULL
				 : ml_arena_printf(&t->arena, "%llu to %llu",
						   (unsigned long long)row->min,
						   (unsigned long long)row->max));
}

void ml_loop_rows_text(const struct ml_loop_rows *r, size_t top, int columns,
		       struct ml_buf *out)
{
	static const struct ml_column all[] = {
		{ "waiting", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "references", .kind = ML_COLUMN_PERCENT, .decimals = 1 },
		{ "entered", .kind = ML_COLUMN_COUNT },
		{ "iterations", .kind = ML_COLUMN_REAL, .decimals = 1 },
		{ "from_to", .kind = ML_COLUMN_TEXT, "from to" },
		{ "what", .kind = ML_COLUMN_TEXT },
	};
	unsigned skip = r->simulated ? 0 : 1;
	struct ml_table t = { .columns = all + skip, .width = 6 - skip };
	double least = least_share(r, top);
	size_t rows = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct ml_loop_row *row = &r->at[i];

		if (share_of(r, row) < least)
			continue;
		rows++;
		if (r->simulated)
			ml_table_real(&t, r->cycles > 0 ? row->lost / r->cycles : 0);
		ml_table_real(&t, r->refs ? (double)row->refs / (double)r->refs : 0);
		ml_table_count(&t, row->entries);
		put_iterations(&t, row);
		ml_table_text(&t, text_of(&t, row));
	}
	ml_table_print(&t, columns, out);
	if (rows < r->count)
		ml_buf_printf(out, "\n%zu smaller ones are left out; --top shows more.\n",
			      r->count - rows);
	ml_table_release(&t);
}

static void fill(const struct ml_loop_rows *r, size_t top, struct ml_table *t)
{
	static const char *const kinds[] = { "thread", "function", "loop" };
	double least = least_share(r, top);

	for (size_t i = 0; i < r->count; i++) {
		const struct ml_loop_row *row = &r->at[i];
		bool loop = row->kind == ML_LOOP_ROW_LOOP;

		if (share_of(r, row) < least)
			continue;
		ml_table_count(t, row->depth);
		ml_table_text(t, kinds[row->kind]);
		ml_table_text(t, row->name);
		ml_table_text(t, loop && row->line ? row->file : NULL);
		if (loop && row->line)
			ml_table_count(t, row->line);
		else
			ml_table_no_value(t);
		if (row->address)
			ml_table_count(t, row->address);
		else
			ml_table_no_value(t);
		ml_table_count(t, row->entries);
		for (int k = 0; k < 3; k++)
			if (loop)
				ml_table_count(t, k == 0   ? row->iterations
						  : k == 1 ? row->min
							   : row->max);
			else
				ml_table_no_value(t);
		if (row->kind == ML_LOOP_ROW_FUNCTION)
			ml_table_count(t, row->recursion);
		else
			ml_table_no_value(t);
		ml_table_count(t, row->refs);
		ml_table_count(t, row->own);
		for (int k = 0; k < 4; k++)
			if (r->simulated)
				ml_table_real(t, k == 0   ? row->cycles
						 : k == 1 ? row->own_cycles
						 : k == 2 ? row->lost
							  : row->own_lost);
			else
				ml_table_no_value(t);
		ml_table_count(t, row->irreducible);
		ml_table_count(t, row->copied);
	}
}

static const struct ml_column exact[] = {
	{ "depth", .kind = ML_COLUMN_COUNT },
	{ "kind", .kind = ML_COLUMN_TEXT },
	{ "name", .kind = ML_COLUMN_TEXT },
	{ "file", .kind = ML_COLUMN_TEXT },
	{ "line", .kind = ML_COLUMN_COUNT },
	{ "address", .kind = ML_COLUMN_ADDRESS },
	{ "entries", .kind = ML_COLUMN_COUNT },
	{ "iterations", .kind = ML_COLUMN_COUNT },
	{ "min", .kind = ML_COLUMN_COUNT },
	{ "max", .kind = ML_COLUMN_COUNT },
	{ "recursion", .kind = ML_COLUMN_COUNT },
	{ "references", .kind = ML_COLUMN_COUNT },
	{ "own_references", .kind = ML_COLUMN_COUNT },
	{ "cycles", .kind = ML_COLUMN_REAL },
	{ "own_cycles", .kind = ML_COLUMN_REAL },
	{ "waiting", .kind = ML_COLUMN_REAL },
	{ "own_waiting", .kind = ML_COLUMN_REAL },
	{ "irreducible", .kind = ML_COLUMN_COUNT },
	{ "copies", .kind = ML_COLUMN_COUNT },
};
enum { EXACT = sizeof(exact) / sizeof(*exact) };

void ml_loop_rows_csv(const struct ml_loop_rows *r, size_t top, struct ml_buf *out)
{
	struct ml_table t = { .columns = exact, .width = EXACT };

	fill(r, top, &t);
	ml_table_csv(&t, out);
	ml_table_release(&t);
}

void ml_loop_rows_json(const struct ml_loop_rows *r, size_t top, struct ml_buf *out)
{
	struct ml_table t = { .columns = exact, .width = EXACT };
	struct ml_json w = { .out = out, .indent = 2 };

	fill(r, top, &t);
	ml_json_object(&w);
	ml_json_key_u64(&w, "references", r->refs);
	if (r->simulated) {
		ml_json_key_real(&w, "cycles", r->cycles);
		ml_json_key_real(&w, "waiting", r->lost);
	}
	ml_json_key(&w, "rows");
	ml_table_json(&t, &w);
	ml_json_end(&w);
	ml_buf_text(out, "\n");
	ml_table_release(&t);
}
