#include "lib/query/trace/tables/phases.h"

#include "lib/base/err.h"
#include "lib/base/map.h"
#include "lib/trace/trace.h"

enum { DEPTH_MAX = 64 }; /* phases that nest deeper count as outermost */

/*
 * A phase within its parent. The children of a parent are in the order of their first
 * begin.
 */
struct node {
	uint32_t parent, name, depth;
	uint32_t first, last, next; /* first and last child, next sibling */
	uint64_t times, refs;
	uint64_t running,
		since; /* threads in the phase now; time since when there is any */
};

struct nodes {
	const struct ml_trace *trace;
	const struct ml_phases_fn *fn;
	struct {
		struct node *at; /* node 0 is the parent of outermost phases */
		size_t count, cap;
	} list;
	struct ml_map by_name; /* parent and name -> node */
	struct ml_map current; /* thread -> node */
};

static uint32_t child_of(struct nodes *n, uint32_t parent, uint32_t name)
{
	bool is_new;

	if (n->list.at[parent].depth == DEPTH_MAX)
		parent = 0;
	uint64_t *found = ml_map_add(&n->by_name, (uint64_t)parent << 32 | name, &is_new);
	uint32_t number = (uint32_t)n->list.count;
	if (!is_new)
		return (uint32_t)*found;
	*found = number;
	*ML_ADD(n->list) = (struct node){ .parent = parent, .name = name };
	struct node *p = &n->list.at[parent];
	n->list.at[number].depth = p->depth + 1;
	*(p->last ? &n->list.at[p->last].next : &p->first) = number;
	p->last = number;
	return number;
}

static void begin(struct nodes *n, const struct ml_mark *m)
{
	uint64_t *current = ml_map_add(&n->current, m->thread, NULL);
	uint32_t number = child_of(n, (uint32_t)*current, m->name);
	struct node *node = &n->list.at[number];

	if (!node->running++)
		node->since = m->time;
	node->times++;
	*current = number;
}

static void spend(struct nodes *n, uint64_t number, uint64_t until)
{
	struct node *node = &n->list.at[number];

	node->refs += until - node->since;
	if (n->fn->spent)
		n->fn->spent(n->fn->arg, (uint32_t)number, node->since, until);
}

static void leave(struct nodes *n, uint64_t *current, uint64_t time)
{
	struct node *node = &n->list.at[*current];

	if (!--node->running)
		spend(n, *current, time);
	*current = node->parent;
}

/* Ends the phase of that name, and open phases inside it. */
static void end(struct nodes *n, const struct ml_mark *m)
{
	uint64_t *current = ml_map_add(&n->current, m->thread, NULL);
	uint64_t found = *current;

	while (found && n->list.at[found].name != m->name)
		found = n->list.at[found].parent;
	if (!found)
		return; /* the phase began before the trace, or in another thread */
	while (*current != found)
		leave(n, current, m->time);
	leave(n, current, m->time);
}

/* Reports the children of a node, each followed by its own children. */
static void walk(struct nodes *n, uint32_t parent)
{
	for (uint32_t i = n->list.at[parent].first; i; i = n->list.at[i].next) {
		struct node *node = &n->list.at[i];

		if (node->running)
			spend(n, i, n->trace->count);
		n->fn->row(n->fn->arg, i,
			   &(struct ml_phase){
				   .name = ml_tables_text(&n->trace->tables, node->name),
				   .depth = node->depth - 1,
				   .times = node->times,
				   .refs = node->refs,
				   .open = node->running,
			   });
		walk(n, i);
	}
}

void ml_phases_each(const struct ml_trace *trace, const struct ml_phases_fn *fn)
{
	const struct ml_tables *t = &trace->tables;
	struct nodes n = { .trace = trace, .fn = fn };

	(void)ML_ADD(n.list);
	for (size_t i = 0; i < t->marks.count; i++) {
		const struct ml_mark *m = &t->marks.at[i];

		if (m->kind == ML_MARK_BEGIN)
			begin(&n, m);
		else if (m->kind == ML_MARK_END)
			end(&n, m);
	}
	walk(&n, 0);
	ml_free(n.list.at);
	ml_map_release(&n.by_name);
	ml_map_release(&n.current);
}

bool ml_phases_window(const struct ml_trace *t, const char *name, uint64_t *from,
		      uint64_t *to, struct ml_err *err)
{
	const struct ml_tables *x = &t->tables;
	uint32_t number = ml_names_find(&x->names, name), depth = 0;
	bool found = false;

	*to = t->count;
	for (size_t i = 0; i < x->marks.count; i++) {
		const struct ml_mark *m = &x->marks.at[i];

		if (m->name != number || m->kind == ML_MARK_POINT)
			continue;
		if (m->kind == ML_MARK_BEGIN && !found) {
			*from = m->time;
			found = true;
		}
		depth += m->kind == ML_MARK_BEGIN;
		if (found && m->kind == ML_MARK_END && depth && !--depth) {
			*to = m->time;
			break;
		}
	}
	return found || ml_fail(err, ML_USAGE, "%s has no phase '%s'", t->path, name);
}
